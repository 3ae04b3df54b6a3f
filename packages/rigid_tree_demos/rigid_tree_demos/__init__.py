"""Demonstrations, and base classes of nodes that run one coroutine."""

from rigid_tree_kinematics.nodes.demos.demo_node import DemoError, DemoNode, MotionNode
