"""The topic monitored_planning_scene: the whole scene once, and then what changes."""

from __future__ import annotations

import threading
from collections.abc import Callable

import numpy as np
from moveit_msgs.msg import PlanningScene
from rclpy.callback_groups import CallbackGroup
from rclpy.node import Node

from rigid_tree_kinematics.collision import Scene
from rigid_tree_kinematics.nodes.moveit.messages import (
    MoveItRobot,
    scene_difference,
    scene_reply,
    state_difference,
)


class ShownScene:
    """Publishes changes of the scene at once, and the robot's state now and then while it moves.

    RViz' MotionPlanning panel knows the state of the robot from these messages only.

    Args:
        node: of the topic.
        robot: returns the present robot, None if there is none.
        frequency: of the robot's states, Hz; 0: none are sent between changes of the scene.
        group: of the timer.
    """

    def __init__(
        self,
        node: Node,
        robot: Callable[[], MoveItRobot | None],
        frequency: float,
        group: CallbackGroup,
    ) -> None:
        self._robot_now = robot
        self._lock = threading.Lock()
        self._shown: tuple[MoveItRobot, Scene] | None = None
        self._configuration = np.zeros(0)
        self._publisher = node.create_publisher(PlanningScene, "monitored_planning_scene", 100)
        if frequency > 0.0:
            node.create_timer(1.0 / frequency, self._show_state, callback_group=group)

    def has(self, robot: MoveItRobot, scene: Scene) -> bool:
        """Return whether this scene of this robot is the last one shown."""
        shown = self._shown
        return shown is not None and shown[0] is robot and shown[1] is scene

    def show(self, robot: MoveItRobot, scene: Scene, prefix: str) -> None:
        """Publish how the scene differs from the last one, or all of it for a new robot."""
        with self._lock:
            self._configuration = robot.state.configuration
            if self._shown is None or self._shown[0] is not robot:
                message = scene_reply(scene, robot, prefix, 0)
            else:
                message = scene_difference(self._shown[1], scene, robot, prefix)
            self._shown = robot, scene
            self._publisher.publish(message)

    def _show_state(self) -> None:
        robot = self._robot_now()
        if robot is None or not self._publisher.get_subscription_count():
            return
        with self._lock:
            configuration = robot.state.configuration
            if self._shown is None or np.array_equal(configuration, self._configuration):
                return
            self._configuration = configuration
            self._publisher.publish(state_difference(robot))
