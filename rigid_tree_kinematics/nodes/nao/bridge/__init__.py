"""The services, actions and topics of the node nao_bridge."""

from rigid_tree_kinematics.nodes.nao.bridge.driver_actions import DriverActions
from rigid_tree_kinematics.nodes.nao.bridge.driver_services import offer_driver_services
from rigid_tree_kinematics.nodes.nao.bridge.services import MethodActions, offer_methods
from rigid_tree_kinematics.nodes.nao.bridge.topics import CommandTopics
