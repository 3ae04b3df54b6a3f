"""Messages for RViz: the scene, the search tree, the path, the moving robot."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from rclpy.node import Node
from rclpy.qos import QoSProfile
from rigid_tree_interfaces.msg import PlanReply
from rigid_tree_interfaces.msg import Scene as SceneMessage
from sensor_msgs.msg import JointState
from std_msgs.msg import ColorRGBA
from visualization_msgs.msg import Marker, MarkerArray

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.collision import Scene
from rigid_tree_kinematics.kinematics import body_transform, body_transforms
from rigid_tree_kinematics.model import RigidBodyTree
from rigid_tree_kinematics.nodes import scene as scenes
from rigid_tree_kinematics.nodes.common.robot import LATCHED
from rigid_tree_kinematics.planning import PlanResult

try:  # only the display of trajectories needs MoveIt's messages
    from moveit_msgs.msg import DisplayTrajectory, RobotState, RobotTrajectory
except ImportError:
    DisplayTrajectory = None


STANDING = ColorRGBA(r=0.75, g=0.75, b=0.8, a=0.9)
HELD = ColorRGBA(r=0.5, g=0.2, b=0.9, a=0.9)
TREES = (ColorRGBA(r=0.2, g=0.6, b=1.0, a=0.6), ColorRGBA(r=1.0, g=0.6, b=0.2, a=0.6))
PATH = ColorRGBA(r=0.1, g=0.8, b=0.2, a=1.0)
TREE_WIDTH, PATH_WIDTH = 0.002, 0.01  # m
MOST_EDGES = 2000  # of a tree, drawn; limits the network traffic


class SceneDisplay:
    """The publishers of a node with a scene."""

    def __init__(self, node: Node) -> None:
        self._node = node
        self._scene = node.create_publisher(SceneMessage, "scene", LATCHED)
        self._scene_markers = node.create_publisher(MarkerArray, "scene_markers", LATCHED)

    def show_scene(self, scene: Scene, tree: RigidBodyTree, prefix: str) -> None:
        """Publish the scene as a message and as markers."""
        message = scenes.scene_message(scene, tree.base_name, prefix)
        message.header.stamp = self._node.get_clock().now().to_msg()
        self._scene.publish(message)
        markers = [Marker(action=Marker.DELETEALL)]
        things = [(item, item.pose, tree.base_name, STANDING) for item in scene.obstacles.values()]
        things += [
            (item.obstacle, item.T_body_obstacle, item.body, HELD)
            for item in scene.attached.values()
        ]
        for obstacle, T, body, color in things:
            color = scene.labels.get(obstacle.name, {}).get("color", color)
            for placed in obstacle.shapes:
                marker = scenes.shape_marker(placed.shape, T @ placed.pose, color)
                marker.header.stamp, marker.header.frame_id = message.header.stamp, prefix + body
                marker.ns, marker.id = obstacle.name, len(markers)
                markers.append(marker)
        self._scene_markers.publish(MarkerArray(markers=markers))


class PlanDisplay(SceneDisplay):
    """The publishers of a planner node."""

    def __init__(self, node: Node) -> None:
        super().__init__(node)
        self._tree = node.create_publisher(MarkerArray, "planning_tree", QoSProfile(depth=5))
        self._path = node.create_publisher(MarkerArray, "planned_path", LATCHED)
        self._trajectory = None
        if DisplayTrajectory is not None:
            shown = DisplayTrajectory
            self._trajectory = node.create_publisher(shown, "display_planned_path", LATCHED)

    def show_trees(
        self,
        trees: Sequence[tuple[Array, NDArray[np.int64]]],
        tree: RigidBodyTree,
        tip: str,
        prefix: str,
    ) -> None:
        """Publish the edges of each tree at the positions of the tip."""
        if not self._tree.get_subscription_count():
            return
        markers = []
        for number, ((nodes, parents), color) in enumerate(zip(trees, TREES, strict=False)):
            marker = self._lines("tree", number, prefix + tree.base_name, TREE_WIDTH, color)
            marker.type = Marker.LINE_LIST
            at = body_transforms(tree, np.array(nodes))[:, tree.compiled().index_of(tip), :3, 3]
            children = np.flatnonzero(np.asarray(parents) >= 0)[-MOST_EDGES:]
            for child in children:
                marker.points += [scenes.point_of(at[parents[child]]), scenes.point_of(at[child])]
            markers.append(marker)
        self._tree.publish(MarkerArray(markers=markers))

    def show_path(
        self, result: PlanResult, reply: PlanReply, tree: RigidBodyTree, tip: str, prefix: str
    ) -> None:
        """Publish the path of the tip, and the trajectory to animate."""
        if result.trajectory is None:
            return
        marker = self._lines("path", 0, prefix + tree.base_name, PATH_WIDTH, PATH)
        marker.type = Marker.LINE_STRIP
        along = body_transform(tree, result.trajectory.positions, tip)[:, :3, 3]
        marker.points = [scenes.point_of(position) for position in along]
        self._path.publish(MarkerArray(markers=[marker]))
        if self._trajectory is not None:
            start = JointState(name=tree.position_names, position=result.path[0].tolist())
            message = DisplayTrajectory(model_id=tree.name)
            message.trajectory = [RobotTrajectory(joint_trajectory=reply.trajectory)]
            message.trajectory_start = RobotState(joint_state=start)
            self._trajectory.publish(message)

    def _lines(self, name: str, number: int, frame: str, width: float, color: ColorRGBA) -> Marker:
        marker = scenes.line_marker(name, number, frame, width, color)
        marker.header.stamp = self._node.get_clock().now().to_msg()
        return marker
