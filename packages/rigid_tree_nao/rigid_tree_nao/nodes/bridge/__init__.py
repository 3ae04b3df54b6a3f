"""The services, actions and topics of the node nao_bridge."""

from rigid_tree_nao.nodes.bridge.drivers import DriverActions, advertise_driver_services
from rigid_tree_nao.nodes.bridge.services import MethodActions, advertise_methods
from rigid_tree_nao.nodes.bridge.topics import CommandTopics
