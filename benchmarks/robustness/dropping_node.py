"""A node that receives scenes and drops them."""

import rclpy
from rclpy.node import Node
from rigid_tree_interfaces.srv import UpdateScene

from rigid_tree_kinematics.nodes.scene import with_arrays

if __name__ == "__main__":
    rclpy.init()
    node = Node("dropping")
    node.create_service(with_arrays(UpdateScene), "drop", lambda request, response: response)
    rclpy.spin(node)
