"""The services, actions and topics of the node nao_bridge."""

from rigid_tree_kinematics.nodes.nao.bridge.driver_actions import DriverActions
from rigid_tree_kinematics.nodes.nao.bridge.driver_services import DriverServices
from rigid_tree_kinematics.nodes.nao.bridge.services import MethodActions, MethodServices
from rigid_tree_kinematics.nodes.nao.bridge.topics import CommandTopics
