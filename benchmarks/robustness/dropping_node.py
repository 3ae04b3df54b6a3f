"""A node that receives scenes and drops them."""

import rclpy
from rclpy.node import Node
from rigid_tree_interfaces.srv import UpdateScene

if __name__ == "__main__":
    rclpy.init()
    node = Node("dropping")
    node.create_service(UpdateScene, "drop", lambda request, response: response)
    rclpy.spin(node)
