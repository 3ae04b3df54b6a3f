"""MoveGroupCommander: plans and moves one planning group, with moveit_commander's names."""

import copy
from collections.abc import Sequence
from typing import Any

import numpy as np
from geometry_msgs.msg import Vector3
from moveit_msgs import msg
from moveit_msgs.action import MoveGroup
from moveit_msgs.srv import GetCartesianPath, QueryPlannerInterfaces
from trajectory_msgs.msg import JointTrajectory

from rigid_tree_moveit.commander.client import LONGEST, MOVE, text_of
from rigid_tree_moveit.commander.errors import CommanderError
from rigid_tree_moveit.commander.fields import converted, number
from rigid_tree_moveit.commander.goals import stamped
from rigid_tree_moveit.commander.targets import GroupTargets

CARTESIAN = 60.0  # s, for a long Cartesian path
REPLANS = 5


class MoveGroupCommander(GroupTargets):
    """Plans and executes motions of a group.

    Positions are in rad and m. Methods without a return value set options of the next plans.

    Args:
        name: of the group.
        robot_description: accepted for compatibility; the robot is move_group's.
        ns: namespace of move_group.
        wait_for_servers: time for move_group to appear, s.

    Raises CommanderError for an unknown group, and without move_group.
    """

    _replan = _look = False

    def allow_looking(self, value: bool) -> None:
        """Set whether ``go`` asks move_group to look around; this package's ignores it."""
        self._look = converted("allow_looking", "boolean", value)

    def allow_replanning(self, value: bool) -> None:
        """Set whether ``go`` replans when the path becomes blocked."""
        self._replan = converted("allow_replanning", "boolean", value)

    def set_path_constraints(self, value: msg.Constraints | None) -> None:
        """Set constraints of the whole path; None removes them."""
        self._request.path_constraints = converted(
            "the path constraints", "moveit_msgs/Constraints", value or msg.Constraints()
        )

    def get_path_constraints(self) -> msg.Constraints:
        """Return the constraints of the whole path."""
        return copy.deepcopy(self._request.path_constraints)

    def clear_path_constraints(self) -> None:
        """Remove the constraints of the path."""
        self.set_path_constraints(None)

    def get_trajectory_constraints(self) -> msg.TrajectoryConstraints:
        """Return the constraints of the trajectory."""
        return copy.deepcopy(self._request.trajectory_constraints)

    def set_trajectory_constraints(self, value: msg.TrajectoryConstraints | None) -> None:
        """Set constraints of the trajectory, which planners ignore; None removes them."""
        kind, value = "moveit_msgs/TrajectoryConstraints", value or msg.TrajectoryConstraints()
        self._request.trajectory_constraints = converted("the trajectory constraints", kind, value)

    def clear_trajectory_constraints(self) -> None:
        """Remove the constraints of the trajectory."""
        self.set_trajectory_constraints(None)

    def set_workspace(self, ws: Sequence[float]) -> None:
        """Set the corners of the workspace in the planning frame, m; [] removes it.

        Args:
            ws: [min x, min y, max x, max y] or [min x, min y, min z, max x, max y, max z].
        """
        values = converted("the workspace", "sequence<double>", ws)
        if len(values) not in (0, 4, 6):
            raise CommanderError(f"a workspace has 0, 4 or 6 values, not {len(values)}")
        half = len(values) // 2
        corners = [dict(zip("xyz", values[k : k + half], strict=False)) for k in (0, half)]
        workspace = self._request.workspace_parameters = msg.WorkspaceParameters(
            min_corner=Vector3(**corners[0]), max_corner=Vector3(**corners[1])
        )
        workspace.header.frame_id = self._client.planning_frame

    def get_planning_time(self) -> float:
        """Return the time limit of a plan, s."""
        return float(self._request.allowed_planning_time)

    def get_planning_pipeline_id(self) -> str:
        """Return the planning pipeline; empty: move_group's default."""
        return str(self._request.pipeline_id)

    def get_planner_id(self) -> str:
        """Return the planner of the pipeline; empty: its default."""
        return str(self._request.planner_id)

    def get_interface_description(self) -> msg.PlannerInterfaceDescription:
        """Return move_group's first planning pipeline, with the ids of its planners."""
        reply = self._client.call("query_planner_interface", QueryPlannerInterfaces.Request())
        return next(iter(reply.planner_interfaces), msg.PlannerInterfaceDescription())

    def set_support_surface_name(self, value: str) -> None:
        """Do nothing: the surface is for ``place``, which is not available."""
        converted("the support surface", "string", value)

    def limit_max_cartesian_link_speed(self, speed: float, link_name: str = "") -> None:
        """Set the maximum speed (m/s) of a link, by default of the end effector."""
        if not (limit := number("the speed", speed)) > 0.0:
            raise CommanderError(f"the speed must be above 0 m/s, not {limit:g}")
        _limit_speed(self._request, limit, converted("the link", "string", link_name))

    def clear_max_cartesian_link_speed(self) -> None:
        """Remove the maximum speed of a link."""
        _limit_speed(self._request, 0.0, "")

    def set_planning_time(self, seconds: float) -> None:
        """Set the time limit of a plan, s."""
        self._request.allowed_planning_time = number("the planning time", seconds, 0.0, LONGEST)

    def set_planning_pipeline_id(self, planning_pipeline: str) -> None:
        """Set the planning pipeline, such as ompl."""
        self._request.pipeline_id = converted("the pipeline", "string", planning_pipeline)

    def set_planner_id(self, planner_id: str) -> None:
        """Set the planner of the pipeline, such as LIN."""
        self._request.planner_id = converted("the planner", "string", planner_id)

    def set_num_planning_attempts(self, num_planning_attempts: int) -> None:
        """Set the number of searches; the shortest path is used."""
        self._request.num_planning_attempts = converted(
            "num_planning_attempts",
            "int32",
            number("num_planning_attempts", num_planning_attempts, 0.0),
        )

    def set_max_velocity_scaling_factor(self, value: float) -> None:
        """Set the fraction (0, 1] of the velocity limits."""
        self._request.max_velocity_scaling_factor = _factor(value)

    def set_max_acceleration_scaling_factor(self, value: float) -> None:
        """Set the fraction (0, 1] of the acceleration limits."""
        self._request.max_acceleration_scaling_factor = _factor(value)

    def go(self, joints: Any = None, wait: bool = True) -> bool:
        """Plan and move to a target, by default the one set before; return whether it succeeded.

        Args:
            joints: a target as in ``set_joint_value_target``, a Pose, or a named target's name.
            wait: False returns when move_group has accepted the motion.

        Ctrl-C stops the motion. The reason for a failure is logged. Raises CommanderError if there
        is no target.
        """
        if isinstance(joints, bool):
            joints, wait = None, joints
        goal = MoveGroup.Goal(request=self._aimed(joints))
        goal.request.start_state = msg.RobotState(is_diff=True)
        goal.planning_options.look_around = self._look
        goal.planning_options.replan = self._replan
        goal.planning_options.replan_attempts = REPLANS if self._replan else 0
        goal.planning_options.planning_scene_diff.is_diff = True
        goal.planning_options.planning_scene_diff.robot_state.is_diff = True
        return self._client.run(MOVE, goal, wait)

    def plan(
        self, joints: Any = None
    ) -> tuple[bool, msg.RobotTrajectory, float, msg.MoveItErrorCodes]:
        """Return success, trajectory, planning time (s) and code of a plan; see ``go``."""
        reply = self._client.plan(self._aimed(joints))
        success = reply.error_code.val == msg.MoveItErrorCodes.SUCCESS
        return success, reply.trajectory, reply.planning_time, reply.error_code

    def construct_motion_plan_request(self) -> msg.MotionPlanRequest:
        """Return the request that ``plan`` sends; raises CommanderError if there is no target."""
        return copy.deepcopy(self._aimed())

    def compute_cartesian_path(
        self,
        waypoints: Sequence[Any],
        eef_step: float,
        *options: Any,
        avoid_collisions: bool = True,
        path_constraints: msg.Constraints | None = None,
    ) -> tuple[msg.RobotTrajectory, float]:
        """Return the trajectory of the end effector along straight lines, and the fraction done.

        Args:
            waypoints: poses in the pose reference frame; PoseStamped in their own, common frame.
            eef_step: distance between computed configurations, m.
            options: positional avoid_collisions and path_constraints, after a jump threshold
                (a float) as in older versions.
            avoid_collisions: whether a collision ends the path.
            path_constraints: a violation ends the path.

        The reason for an incomplete path is logged.
        """
        given = list(options)
        jump = 0.0
        if given and not isinstance(given[0], bool | np.bool_):
            jump = converted("jump_threshold", "double", given.pop(0))
        avoid_collisions = given.pop(0) if given else avoid_collisions
        path_constraints = given.pop(0) if given else path_constraints
        poses = [stamped(pose, self._frame) for pose in waypoints]
        frames = sorted({pose.header.frame_id for pose in poses}) or [self._frame]
        if len(frames) > 1:
            raise CommanderError(f"the waypoints are in several frames: {', '.join(frames)}")
        request = GetCartesianPath.Request(
            group_name=self._group.name,
            start_state=self._request.start_state,
            link_name=self._link(""),
            waypoints=[pose.pose for pose in poses],
            max_step=converted("eef_step", "double", eef_step),
            jump_threshold=jump,
            avoid_collisions=converted("avoid_collisions", "boolean", avoid_collisions),
            path_constraints=path_constraints or msg.Constraints(),
        )
        request.header.frame_id = frames[0]
        for name in ("max_velocity_scaling_factor", "max_acceleration_scaling_factor"):
            if hasattr(request, name):  # not in Humble
                setattr(request, name, getattr(self._request, name))
        _limit_speed(request, self._request.max_cartesian_speed, _speed_link(self._request))
        reply = self._client.call("compute_cartesian_path", request, CARTESIAN)
        if reply.fraction < 1.0:
            what = f"the Cartesian path ended at {100.0 * reply.fraction:.0f} %"
            self._client.log.warning(f"{what}: {text_of(reply.error_code)}")
        return reply.solution, reply.fraction

    def execute(
        self, trajectory: msg.RobotTrajectory | JointTrajectory, wait: bool = True
    ) -> bool:
        """Move along a trajectory; return whether it succeeded. See ``go``."""
        if isinstance(trajectory, JointTrajectory):
            trajectory = msg.RobotTrajectory(joint_trajectory=trajectory)
        if not isinstance(trajectory, msg.RobotTrajectory):
            expected = "execute takes a RobotTrajectory, the second value that plan() returns"
            raise CommanderError(f"{expected}, not a {type(trajectory).__name__}")
        return self._client.execute(trajectory, wait)

    def stop(self) -> None:
        """Stop all motions of move_group."""
        self._client.stop_execution()

    def attach_object(
        self, object_name: str, link_name: str = "", touch_links: Sequence[str] = ()
    ) -> bool:
        """Attach an object of the scene to a link; only ``touch_links`` may touch it.

        The defaults are the end effector and, for ``touch_links``, the link.
        """
        link = self._link(link_name)
        item = msg.AttachedCollisionObject(link_name=link)
        touching = converted("touch_links", "sequence<string>", touch_links)
        item.touch_links = touching or [link]
        item.object.id, item.object.operation = object_name, msg.CollisionObject.ADD
        return self._client.change(item)

    def detach_object(self, name: str = "") -> bool:
        """Detach an object, or all objects of a link; without a name, all of the group's links."""
        links = [name] if name else self._client.links(self._group)
        remove = [msg.AttachedCollisionObject(link_name=link) for link in links]
        if name and name not in self._client.tree.body_names:
            remove = [msg.AttachedCollisionObject(object=msg.CollisionObject(id=name))]
        for item in remove:
            item.object.operation = msg.CollisionObject.REMOVE
        done = [self._client.change(item) for item in remove]
        return all(done)


# Humble has the second name.
SPEED_LINKS = ("cartesian_speed_limited_link", "cartesian_speed_end_effector_link")


def _limit_speed(request: Any, speed: float, link: str) -> None:
    """Set the maximum speed (m/s) of a link in a request, if its type has the fields."""
    values = {"max_cartesian_speed": speed, **dict.fromkeys(SPEED_LINKS, link)}
    for name, value in values.items():
        if hasattr(request, name):
            setattr(request, name, value)


def _speed_link(request: Any) -> str:
    return next((getattr(request, name) for name in SPEED_LINKS if hasattr(request, name)), "")


def _factor(value: float) -> float:
    factor: float = converted("a scaling factor", "double", value)
    if not 0.0 < factor <= 1.0:
        raise CommanderError(f"a scaling factor must be above 0 and at most 1, not {factor}")
    return factor
