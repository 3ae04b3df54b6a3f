"""The services, actions and topics of the node nao_bridge."""

from rigid_tree_kinematics.nodes.nao.bridge.drivers import DriverActions, offer_driver_services
from rigid_tree_kinematics.nodes.nao.bridge.services import MethodActions, offer_methods
from rigid_tree_kinematics.nodes.nao.bridge.topics import CommandTopics
