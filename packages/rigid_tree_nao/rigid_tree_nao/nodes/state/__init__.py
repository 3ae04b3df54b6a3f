"""The state of a NAO as messages: joints, sensors, diagnostics."""

from rigid_tree_nao.nodes.state.sensors import InfoTopic
from rigid_tree_nao.nodes.state.state import StatePublisher
