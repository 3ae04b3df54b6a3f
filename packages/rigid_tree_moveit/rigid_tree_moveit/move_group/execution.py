"""Execution of trajectories by the robot's controllers, within move_group's parameters."""

import math

from control_msgs.action import FollowJointTrajectory
from moveit_msgs.msg import MoveItErrorCodes as Codes
from moveit_msgs.msg import RobotTrajectory
from trajectory_msgs.msg import JointTrajectory

from rigid_tree_kinematics.errors import RigidTreeError
from rigid_tree_kinematics.execution import start_errors
from rigid_tree_kinematics.nodes.planning import (
    Cancellation,
    WatchedDriver,
    read_trajectory,
    wait_until,
)
from rigid_tree_kinematics.text import told_apart
from rigid_tree_kinematics.trajectories import JointNamesError, Waypoints
from rigid_tree_moveit.move_group.codes import MoveItError, error_code
from rigid_tree_moveit.move_group.robot import MoveItRobot
from rigid_tree_moveit.move_group.server import MoveItServer

DISCOVERED_WITHIN = 3.0  # s, for the discovery of a driver
# s, age at which the position of a joint is stale; s, to wait for a joint state.
STALE, STATE_WITHIN = 1.0, 1.0
NOT_ALLOWED = "parameter allow_trajectory_execution is false: motions are only planned"
INVALID_PLAN = Codes.INVALID_MOTION_PLAN


def read_waypoints(trajectory: RobotTrajectory, robot: MoveItRobot, code: int) -> Waypoints | None:
    """Return the waypoints of a client's trajectory, None without any.

    MoveItError INVALID_MOTION_PLAN for unusable joints, and ``code`` for unusable points.
    """
    several = trajectory.multi_dof_joint_trajectory
    if several.joint_names or several.points:
        reason = "multi_dof_joint_trajectory is not supported: use joint_trajectory for all joints"
        raise MoveItError(INVALID_PLAN, reason)
    if not trajectory.joint_trajectory.points:
        return None
    try:
        return read_trajectory(trajectory.joint_trajectory, robot.tree.compiled())
    except RigidTreeError as error:
        wrong_joints = isinstance(error, JointNamesError)
        raise MoveItError(INVALID_PLAN if wrong_joints else code, str(error)) from error


class TrajectoryExecution:
    """Sends trajectories to the robot's controllers, and monitors them."""

    def __init__(self, server: MoveItServer) -> None:
        self._server = server
        self._driver = WatchedDriver(server, server.controllers)

    def destroy(self) -> None:
        """Stop running motions."""
        self._driver.destroy()

    async def follow(
        self,
        trajectory: JointTrajectory,
        points: Waypoints,
        robot: MoveItRobot,
        cancellation: Cancellation,
    ) -> None:
        """Execute a trajectory to its end; MoveItError with the reason if it stops earlier.

        ``points`` are its waypoints for ``robot``.
        """
        if not self._server.settings.allow_trajectory_execution:
            raise MoveItError(Codes.CONTROL_FAILED, NOT_ALLOWED)
        # Plans have past stamps, which a driver would take as the start of the motion.
        trajectory.header.stamp.sec = trajectory.header.stamp.nanosec = 0
        await self._wait_for_driver(points, robot, cancellation)
        goal, longest = FollowJointTrajectory.Goal(trajectory=trajectory), self._longest(points)
        end = await self._driver.follow(goal, points, robot, cancellation, longest)
        if end.succeeded and not cancellation.is_set():
            return
        code = Codes.CONTROL_FAILED
        if end.timed_out:
            code = Codes.TIMED_OUT
        elif end.canceled or cancellation.is_set():
            code = Codes.PREEMPTED
        elif end.blocked:
            code = Codes.MOTION_PLAN_INVALIDATED_BY_ENVIRONMENT_CHANGE
        elif end.code == FollowJointTrajectory.Result.INVALID_JOINTS:
            code = INVALID_PLAN
        raise MoveItError(code, end.reason or "stopped")

    def _longest(self, points: Waypoints) -> float:
        """Return how long the driver may take, s."""
        settings = self._server.settings
        if not settings.execution_duration_monitoring:
            return math.inf
        scaled = settings.allowed_execution_duration_scaling * float(points.times[-1])
        return scaled + settings.allowed_goal_duration_margin

    async def _wait_for_driver(
        self, points: Waypoints, robot: MoveItRobot, cancellation: Cancellation
    ) -> None:
        """Wait for the driver and for joint states; MoveItError if the motion cannot start."""
        server = self._server

        def has_driver() -> bool:
            return cancellation.is_set() or not self._driver.missing(points.names)

        def has_state() -> bool:
            return cancellation.is_set() or not robot.state.stale(points.slots, STALE)

        with error_code(Codes.CONTROL_FAILED):
            self._driver.missing(points.names)  # an error for joints without a controller
            await wait_until(server, has_driver, DISCOVERED_WITHIN)
        if cancellation.is_set() or not has_driver():
            return  # the driver reports it
        await wait_until(server, has_state, STATE_WITHIN)
        topic = server.resolve_topic_name("joint_states")
        _check_start(robot, points, topic, server.settings.allowed_start_tolerance)


def _check_start(robot: MoveItRobot, points: Waypoints, topic: str, tolerance: float) -> None:
    """Raise MoveItError if the robot is not known to be at the trajectory's start.

    ``tolerance`` (rad, m) is for joints without their own; 0 means any distance.
    """
    stale = robot.state.stale(points.slots, STALE)
    if stale:
        reason = f"no positions of {', '.join(stale)} on {topic} for {STALE:g} s"
        raise MoveItError(Codes.ROBOT_STATE_STALE, reason)
    if points.times[0] > 0.0:
        return  # the driver moves to the first point
    now = robot.state.configuration
    allowed = [robot.start_tolerances.get(name, tolerance) or math.inf for name in points.names]
    errors = start_errors(robot.tree.compiled(), now, points).tolist()
    k = max(range(len(errors)), key=lambda each: errors[each] / allowed[each])
    if errors[k] > allowed[k]:
        begin, here = told_apart(points.positions[0, k], now[points.slots[k]], digits=4)
        raise MoveItError(
            Codes.CONTROL_FAILED,
            f"the trajectory starts at {points.names[k]} = {begin}, but the robot is "
            f"at {here}, more than allowed_start_tolerance {allowed[k]:g} away; a first "
            "time_from_start above 0 makes it move there first",
        )
