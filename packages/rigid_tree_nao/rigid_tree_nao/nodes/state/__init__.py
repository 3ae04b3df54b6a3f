"""The state of a NAO as messages: joints, sensors, diagnostics."""

from rigid_tree_kinematics.nodes.nao.state.sensors import InfoTopic
from rigid_tree_kinematics.nodes.nao.state.state import StatePublisher
