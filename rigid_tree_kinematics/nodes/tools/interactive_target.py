"""Node: a draggable target in RViz, which the robot follows or plans a motion to.

It needs the package interactive_markers, which comes with RViz.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from geometry_msgs.msg import Pose, PoseStamped
from visualization_msgs import msg

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.errors import RigidTreeError
from rigid_tree_kinematics.model.chains import longest_chain_end
from rigid_tree_kinematics.needed_packages import needs
from rigid_tree_kinematics.nodes.common.process import (
    STEADY,
    Parameters,
    at_start,
    parameter,
    run_node,
)
from rigid_tree_kinematics.nodes.common.robot import (
    SOURCE_PARAMETERS,
    Robot,
    RobotDescription,
    RobotServer,
)
from rigid_tree_kinematics.nodes.motion import UserMotion
from rigid_tree_kinematics.nodes.tf import pose_matrix, pose_message

NAME = "interactive_target"
MARKER = "target"
HALF = float(np.sqrt(0.5))
PERIOD = 1.0  # s between updates of the target, until it is dragged


@dataclass(frozen=True)
class TargetSettings(Parameters):
    """The node's parameters."""

    body: str = parameter("", "Link that follows the target. Empty: the end of the longest chain.")
    frame_prefix: str = at_start("", "Prefix of the robot's frame names, such as 'left/'.")
    follow: bool = parameter(True, "Whether the robot follows the target while it is dragged.")
    replans: int = parameter(
        0,
        "Maximum number of replans, from where the robot has stopped, if the path is blocked.",
        low=0,
        high=1000,
    )
    size: float = at_start(0.25, "Size of the target.", low=0.01, high=10.0, unit="m")


class InteractiveTarget(RobotServer[Robot]):
    """The node. Raises a RigidTreeError or a parameter exception if startup fails."""

    settings: TargetSettings

    def __init__(self) -> None:
        super().__init__(NAME)
        with needs("interactive_markers", NAME, "it comes with RViz; web_viewer has a target too"):
            from interactive_markers import InteractiveMarkerServer, MenuHandler
        self._motion: UserMotion | None = None
        self._dragged = False
        self._last_message = ""
        self.settings = TargetSettings.declare(self)
        self._server = InteractiveMarkerServer(self, NAME)
        self._menu = MenuHandler()
        for title, action in (
            ("Plan and execute", self._plan),
            ("Back to the robot", self._reset_target),
            ("Stop", self._stop),
        ):
            self._menu.insert(title, callback=action)
        self.begin()
        self.create_timer(PERIOD, self._follow_robot, clock=STEADY)

    def make_robot(self, description: RobotDescription) -> Robot:
        """Return the robot; UnknownNameError if it lacks the body."""
        robot = Robot(description)
        if self.settings.body:
            robot.tree.get_body(self.settings.body)
        return robot

    def robot_taken(self, robot: Robot) -> None:
        """Set the target to the body's pose."""
        if self._motion is not None:
            self._motion.destroy()
        self._motion = UserMotion(self, "", robot.tree.compiled(), self._positions, self._report)
        self._reset_target()

    def check(self, changed: Mapping[str, Any]) -> None:
        """Raise a RigidTreeError for an invalid change."""
        settings = self.settings.changed(changed)
        if settings.body and self.robot is not None and "body" in changed:
            self.robot.tree.get_body(settings.body)

    def apply(self, changed: Mapping[str, Any]) -> None:
        """Apply new values."""
        super().apply(changed)
        if "body" in changed and self.robot is not None:
            self._reset_target()

    def _positions(self) -> dict[str, float]:
        robot = self.present_robot
        now = robot.state.configuration.tolist()
        return dict(zip(robot.tree.position_names, now, strict=True))

    def _report(self, message: str, *_: object) -> None:
        if message != self._last_message:  # a drag repeats messages
            self._last_message = message
            self.get_logger().info(message)

    @property
    def _followed_body(self) -> str:
        return self.settings.body or longest_chain_end(self.present_robot.tree)

    @property
    def _base_frame(self) -> str:
        return self.settings.frame_prefix + self.present_robot.tree.base_name

    def _reset_target(self, feedback: msg.InteractiveMarkerFeedback | None = None) -> None:
        """Set the target to the body's pose."""
        self._dragged = False
        marker = msg.InteractiveMarker(name=MARKER, description=self._followed_body)
        stamped = self._body_pose(self.present_robot)
        marker.header, marker.pose = stamped.header, stamped.pose
        marker.scale = self.settings.size
        marker.controls = _controls(self.settings.size)
        self._server.insert(marker, feedback_callback=self._on_feedback)
        self._menu.apply(self._server, MARKER)
        self._server.applyChanges()

    def _body_pose(self, robot: Robot) -> PoseStamped:
        """Return the pose of the followed body."""
        T = robot.tree.get_transform(robot.state.configuration, self._followed_body)
        return pose_message(T, self._base_frame)

    def _follow_robot(self) -> None:
        """Move the target with the body, until it is dragged."""
        if self.robot is not None and not self._dragged:
            self._server.setPose(MARKER, self._body_pose(self.robot).pose)
            self._server.applyChanges()

    def _on_feedback(self, feedback: msg.InteractiveMarkerFeedback) -> None:
        if (
            feedback.event_type != msg.InteractiveMarkerFeedback.POSE_UPDATE
            or self._motion is None
        ):
            return
        self._dragged = True
        if not self.settings.follow:
            return
        pose = self._pose_or_warning(feedback.pose)
        if pose is not None:
            frame = feedback.header.frame_id or self._base_frame
            self._motion.follow(self._followed_body, pose, frame)

    def _plan(self, feedback: msg.InteractiveMarkerFeedback) -> None:
        assert self._motion is not None
        pose = self._pose_or_warning(self._server.get(MARKER).pose)
        if pose is not None:
            self._motion.plan(self._followed_body, pose, self._base_frame, self.settings.replans)

    def _pose_or_warning(self, pose: Pose) -> Array | None:
        """Return a pose of the target (4x4); None after a warning that it is invalid."""
        try:
            return pose_matrix(pose)
        except RigidTreeError as error:
            self.get_logger().warning(f"rejected the target's pose: {error}")
            return None

    def _stop(self, feedback: msg.InteractiveMarkerFeedback) -> None:
        assert self._motion is not None
        self._motion.stop()


def _controls(size: float) -> list[msg.InteractiveMarkerControl]:
    """Return arrows and rings for all six directions, and a sphere with the menu."""
    ball = msg.Marker(type=msg.Marker.SPHERE)
    ball.scale.x = ball.scale.y = ball.scale.z = 0.3 * size
    ball.color.r, ball.color.g, ball.color.b, ball.color.a = 0.95, 0.5, 0.1, 0.8
    menu = msg.InteractiveMarkerControl(
        name="menu",
        interaction_mode=msg.InteractiveMarkerControl.MENU,
        markers=[ball],
        always_visible=True,
    )
    controls = [menu]
    modes = (
        ("move", msg.InteractiveMarkerControl.MOVE_AXIS),
        ("turn", msg.InteractiveMarkerControl.ROTATE_AXIS),
    )
    # A control acts along its x axis: a rotation about z turns it to y, one about y to z.
    for letter, about in ("xx", "yz", "zy"):
        for name, mode in modes:
            control = msg.InteractiveMarkerControl(name=f"{name}_{letter}", interaction_mode=mode)
            control.orientation.w = HALF
            setattr(control.orientation, about, HALF)
            controls.append(control)
    return controls


PARAMETERS = (TargetSettings, SOURCE_PARAMETERS)


def main() -> int:
    """Run the node; return the exit code of the process."""
    return run_node(NAME, InteractiveTarget, PARAMETERS)
