"""The services, actions and topics of the node move_group."""

from rigid_tree_kinematics.nodes.moveit.interface.node import MoveGroupNode
