"""The current state and the targets of a planning group, with moveit_commander's names."""

import copy
import math
from collections.abc import Mapping, Sequence
from typing import Any

from geometry_msgs.msg import Pose, PoseStamped
from moveit_msgs.msg import Constraints, MotionPlanRequest, RobotState
from sensor_msgs.msg import JointState

from rigid_tree_kinematics.model.transforms import matrix_rpy
from rigid_tree_kinematics.nodes.base import pose_matrix
from rigid_tree_moveit.commander.client import known, shared_client
from rigid_tree_moveit.commander.connection import SERVERS
from rigid_tree_moveit.commander.errors import CommanderError
from rigid_tree_moveit.commander.fields import converted, number
from rigid_tree_moveit.commander.goals import (
    constrain_pose,
    joint_goal,
    list_to_pose,
    pose_to_list,
    stamped,
    state_of,
)

POSITION, TURN = "position", "orientation"


class GroupTargets:
    """The targets of MoveGroupCommander."""

    def __init__(
        self,
        name: str,
        robot_description: str = "robot_description",
        ns: str = "",
        wait_for_servers: float = SERVERS,
    ) -> None:
        self._client = shared_client(ns, wait_for_servers)
        self._group = self._client.group(name)
        self._tip = self._group.tip
        self._frame = self._client.planning_frame
        self._request = MotionPlanRequest(
            group_name=name, num_planning_attempts=1, allowed_planning_time=5.0
        )
        self.set_start_state_to_current_state()
        self._tolerances = [1e-4, 1e-4, 1e-3]  # of joints, position, orientation, as in MoveIt
        self._joint_target: dict[str, float] = {}
        self._pose_targets: dict[str, list[PoseStamped]] = {}
        self._parts: tuple[str, ...] = ()  # constrained, of poses; empty: the joint target
        self._remembered: dict[str, list[float]] = {}

    def get_name(self) -> str:
        """Return the group's name."""
        return self._group.name

    def get_active_joints(self) -> list[str]:
        """Return the independent joints, in the order of all positions."""
        return list(self._group.joints)

    def get_joints(self) -> list[str]:
        """Return all joints, including fixed and mimic joints."""
        return list(self._group.members)

    def get_variable_count(self) -> int:
        """Return the number of positions of all joints; mimic joints have one, fixed ones none."""
        joints = {joint.name: joint for joint in self._client.tree.joints}
        members = [joints[name] for name in self._group.members]
        return sum(joint.position_count if joint.mimic is None else 1 for joint in members)

    def has_end_effector_link(self) -> bool:
        """Return whether there is an end-effector link."""
        return bool(self._tip)

    def get_end_effector_link(self) -> str:
        """Return the end-effector link; empty: none."""
        return self._tip

    def set_end_effector_link(self, link_name: str) -> None:
        """Set the end-effector link; CommanderError for an unknown one."""
        self._tip = known("link", link_name, self._client.tree.body_names, "the robot")

    def get_planning_frame(self) -> str:
        """Return the frame of the planning scene."""
        return self._client.planning_frame

    def get_pose_reference_frame(self) -> str:
        """Return the frame of poses without a header."""
        return self._frame

    def set_pose_reference_frame(self, reference_frame: str) -> None:
        """Set the frame of poses without a header."""
        self._frame = converted("reference_frame", "string", reference_frame)

    def get_current_joint_values(self) -> list[float]:
        """Return the current positions; CommanderError if no joint states arrive."""
        return list(self._client.positions(self._group.joints).values())

    def get_current_pose(self, end_effector_link: str = "") -> PoseStamped:
        """Return a link's current pose in the planning frame."""
        state = state_of(self._client.positions(self._group.joints))
        return self._client.pose(self._link(end_effector_link), state)

    def get_current_rpy(self, end_effector_link: str = "") -> list[float]:
        """Return a link's current roll, pitch and yaw in the planning frame, rad."""
        pose = self.get_current_pose(end_effector_link).pose
        return list(matrix_rpy(pose_matrix(pose)[:3, :3]))

    def get_current_state(self) -> RobotState:
        """Return the robot's current state with attached objects."""
        return self._client.state()

    def get_current_state_bounded(self) -> RobotState:
        """Return the robot's current state, within the joint limits."""
        return self.enforce_bounds(self._client.state())

    def enforce_bounds(self, robot_state_msg: RobotState) -> RobotState:
        """Return a state with its positions clamped to the limits.

        Positions of continuous joints are within a turn. Raises CommanderError for unknown joints.
        """
        state = copy.deepcopy(converted("the state", "moveit_msgs/RobotState", robot_state_msg))
        joints = state.joint_state
        if len(joints.name) != len(joints.position):
            found = f"{len(joints.name)} names and {len(joints.position)} positions"
            raise CommanderError(f"a state needs a position for each joint, not {found}")
        values = map(self._client.bounded, joints.name, joints.position)
        joints.position = list(values)
        return state

    def get_random_joint_values(self) -> list[float]:
        """Return random positions within the limits."""
        tree = self._client.tree
        drawn = tree.configuration_by_name(tree.random_configuration())
        return [float(drawn[name]) for name in self._group.joints]

    def get_random_pose(self, end_effector_link: str = "") -> PoseStamped:
        """Return a link's pose at random positions of the group, in the planning frame."""
        drawn = self._client.by_joint(self._group, self.get_random_joint_values())
        return self._client.pose(self._link(end_effector_link), state_of(drawn))

    def set_start_state_to_current_state(self) -> None:
        """Plan from the current state."""
        self._request.start_state = RobotState(is_diff=True)

    def set_start_state(self, msg: RobotState) -> None:
        """Plan from a state; ``go`` always starts at the current one."""
        self._request.start_state = converted("the state", "moveit_msgs/RobotState", msg)

    def set_joint_value_target(self, arg1: Any, arg2: Any = None, arg3: Any = None) -> None:
        """Set target positions: a list, dict, JointState, or a joint's name and its position.

        A Pose or PoseStamped, optionally with a link, sets the solution of inverse kinematics.
        Raises CommanderError for unknown joints, positions outside the limits, or no solution.
        """
        if isinstance(arg1, Pose | PoseStamped):
            link = next((given for given in (arg2, arg3) if isinstance(given, str)), "")
            pose, tip = stamped(arg1, self._frame), self._link(link)
            positions = self._client.inverse(self._group, pose, tip)
        elif isinstance(arg1, str):
            positions = {arg1: arg2}
        elif isinstance(arg1, JointState):
            if len(arg1.name) != len(arg1.position):
                found = f"{len(arg1.name)} names and {len(arg1.position)} positions"
                raise CommanderError(f"a JointState needs a position for each name, not {found}")
            positions = dict(zip(arg1.name, arg1.position, strict=True))
        elif isinstance(arg1, Mapping):
            positions = dict(arg1)
        else:
            positions = self._client.by_joint(self._group, arg1)
        positions = {k: converted(f"joint '{k}'", "double", v) for k, v in positions.items()}
        self._client.check_limits(self._group, positions)
        if positions.keys() < set(self._group.joints):
            current = self._client.positions(self._group.joints)
            positions = {**current, **self._joint_target, **positions}
        self._joint_target, self._parts = positions, ()

    def get_joint_value_target(self) -> list[float]:
        """Return the target positions of the active joints; home, until one is set."""
        home = self._client.tree.configuration_by_name(self._client.tree.home_configuration())
        return [float(self._joint_target.get(name, home[name])) for name in self._group.joints]

    def set_random_target(self) -> None:
        """Set random target positions within the limits."""
        self.set_joint_value_target(self.get_random_joint_values())

    def get_named_targets(self) -> list[str]:
        """Return the names of the SRDF's states and of remembered positions."""
        return list(dict.fromkeys([*self._remembered, *self._group.states]))

    def set_named_target(self, name: str) -> None:
        """Set a state of the SRDF, or remembered positions, as target.

        CommanderError lists the SRDF's names.
        """
        remembered = self._remembered.get(name)
        self.set_joint_value_target(remembered or self.get_named_target_values(name))

    def remember_joint_values(self, name: str, values: Sequence[float] | None = None) -> None:
        """Give positions, by default the current ones, a name for ``set_named_target``."""
        positions = self.get_current_joint_values() if values is None else values
        self._remembered[name] = list(self._client.by_joint(self._group, positions).values())

    def get_remembered_joint_values(self) -> dict[str, list[float]]:
        """Return the remembered positions by name."""
        return copy.deepcopy(self._remembered)

    def forget_joint_values(self, name: str) -> None:
        """Remove remembered positions."""
        self._remembered.pop(name, None)

    def get_named_target_values(self, target: str) -> dict[str, float]:
        """Return a state of the SRDF by joint; CommanderError lists the names."""
        return self._client.named(self._group.name, target)

    def set_pose_target(self, pose: Any, end_effector_link: str = "") -> None:
        """Set a link's target pose: a Pose, PoseStamped, or list (see ``list_to_pose``)."""
        self.set_pose_targets([pose], end_effector_link)

    def set_pose_targets(self, poses: Sequence[Any], end_effector_link: str = "") -> None:
        """Set alternative target poses of a link."""
        self._set_poses(poses, end_effector_link, (POSITION, TURN))

    def set_position_target(self, xyz: Sequence[float], end_effector_link: str = "") -> None:
        """Set a link's target position, with any orientation."""
        at = converted("the position", "double[3]", xyz)
        self._set_poses([[*at, 0.0, 0.0, 0.0]], end_effector_link, (POSITION,))

    def set_orientation_target(self, q: Sequence[float], end_effector_link: str = "") -> None:
        """Set a link's target quaternion (x, y, z, w), at any position."""
        turn = converted("the orientation", "sequence<double>", q)
        self._set_poses([[0.0, 0.0, 0.0, *turn]], end_effector_link, (TURN,))

    set_rpy_target = set_orientation_target  # three angles instead of a quaternion

    def shift_pose_target(self, axis: int, value: float, end_effector_link: str = "") -> None:
        """Set the current pose, shifted along axis 0 to 5: x, y, z (m), roll, pitch, yaw (rad)."""
        if axis not in range(6):
            raise CommanderError(f"axis is 0 to 5 (x, y, z, roll, pitch, yaw), not {axis}")
        pose = self.get_current_pose(end_effector_link)
        rpy = matrix_rpy(pose_matrix(pose.pose)[:3, :3])
        values = [*pose_to_list(pose.pose)[:3], *rpy]
        values[int(axis)] += converted("the shift", "double", value)
        pose.pose = list_to_pose(values)
        self.set_pose_target(pose, end_effector_link)

    def clear_pose_target(self, end_effector_link: str) -> None:
        """Clear the target poses of a link."""
        self._pose_targets.pop(self._link(end_effector_link), None)

    def clear_pose_targets(self) -> None:
        """Clear the target poses of all links."""
        self._pose_targets.clear()

    def get_goal_tolerance(self) -> tuple[float, float, float]:
        """Return the tolerances of joints, positions and orientations."""
        joint, position, orientation = self._tolerances
        return joint, position, orientation

    def get_goal_joint_tolerance(self) -> float:
        """Return the tolerance of joint targets, rad or m."""
        return self._tolerances[0]

    def get_goal_position_tolerance(self) -> float:
        """Return the tolerance of target positions, m."""
        return self._tolerances[1]

    def get_goal_orientation_tolerance(self) -> float:
        """Return the tolerance of target orientations about each axis, rad."""
        return self._tolerances[2]

    def set_goal_tolerance(self, value: float) -> None:
        """Set all tolerances."""
        self._tolerances = [number("the tolerance", value, 0.0)] * 3

    def set_goal_joint_tolerance(self, value: float) -> None:
        """Set the tolerance of joint targets, rad or m."""
        self._tolerances[0] = number("the tolerance", value, 0.0)

    def set_goal_position_tolerance(self, value: float) -> None:
        """Set the tolerance of target positions, m."""
        self._tolerances[1] = number("the tolerance", value, 0.0)

    def set_goal_orientation_tolerance(self, value: float) -> None:
        """Set the tolerance of target orientations about each axis, rad."""
        self._tolerances[2] = number("the tolerance", value, 0.0)

    def _aimed(self, joints: Any = None) -> MotionPlanRequest:
        """Return the request with a target; CommanderError if there is none."""
        if isinstance(joints, str):
            self.set_named_target(joints)
        elif isinstance(joints, Pose | PoseStamped):
            self.set_pose_target(joints)
        elif joints is not None:
            self.set_joint_value_target(joints)
        request = copy.copy(self._request)
        if self._parts:
            request.goal_constraints = self._pose_goals()
        elif self._joint_target:
            request.goal_constraints = [joint_goal(self._joint_target, self._tolerances[0])]
        if not request.goal_constraints:
            advice = "call set_pose_target, set_joint_value_target or set_named_target first"
            raise CommanderError(f"group '{self._group.name}' has no target: {advice}")
        return request

    def _link(self, name: str) -> str:
        if not (name or self._tip):
            advice = "has no end effector: name a link, or call set_end_effector_link"
            raise CommanderError(f"group '{self._group.name}' {advice}")
        return str(converted("the link", "string", name or self._tip))

    def _set_poses(self, poses: Sequence[Any], link: str, parts: tuple[str, ...]) -> None:
        targets = [stamped(pose, self._frame) for pose in poses]
        if not all(math.isfinite(v) for pose in targets for v in pose_to_list(pose.pose)):
            raise CommanderError("a target pose has numbers that are not finite")
        self._pose_targets[self._link(link)] = targets
        self._parts = parts

    def _pose_goals(self) -> list[Constraints]:
        """Return alternatives: the i-th of each link's poses together."""
        goals: list[Constraints] = []
        _, radius, angle = self._tolerances
        sides = radius if POSITION in self._parts else None, angle if TURN in self._parts else None
        for link, poses in self._pose_targets.items():
            goals += [Constraints() for _ in poses[len(goals) :]]
            for goal, pose in zip(goals, poses, strict=False):
                constrain_pose(goal, link, pose, *sides)
        return goals
