"""A move_group's robot and its states, named as in moveit_commander and moveit_py."""

from collections.abc import Mapping, Sequence

import numpy as np
from geometry_msgs.msg import Pose
from moveit_msgs import msg

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.nodes.base import pose_matrix
from rigid_tree_moveit.commander.client import LONGEST, Client, shared_client
from rigid_tree_moveit.commander.errors import CommanderError
from rigid_tree_moveit.commander.fields import converted, number
from rigid_tree_moveit.commander.goals import joint_goal, stamped, state_of


class RobotCommander:
    """The robot of a move_group.

    Args:
        robot_description: accepted for compatibility; the robot is move_group's.
        ns: namespace of move_group.
    """

    def __init__(self, robot_description: str = "robot_description", ns: str = "") -> None:
        self._client = shared_client(ns)

    def get_planning_frame(self) -> str:
        """Return the frame of the planning scene."""
        return self._client.planning_frame

    def get_root_link(self) -> str:
        """Return the robot's root link."""
        return self._client.tree.base_name

    def get_group_names(self) -> list[str]:
        """Return the planning groups."""
        return list(self._client.groups)

    def has_group(self, name: str) -> bool:
        """Return whether there is such a group."""
        return name in self._client.groups

    def get_active_joint_names(self, group: str | None = None) -> list[str]:
        """Return the independent joints of a group or of the robot."""
        joints = self._client.group(group).joints if group else self._client.tree.joint_names
        return list(joints)

    def get_joint_names(self, group: str | None = None) -> list[str]:
        """Return all joints of a group or of the robot, including fixed and mimic joints."""
        if group:
            return list(self._client.group(group).members)
        return [joint.name for joint in self._client.tree.joints]

    def get_link_names(self, group: str | None = None) -> list[str]:
        """Return the links that a group moves, or all links of the robot."""
        if group:
            return self._client.links(self._client.group(group))
        return list(self._client.tree.body_names)

    def get_current_state(self) -> msg.RobotState:
        """Return the robot's current state with attached objects."""
        return self._client.state()

    def get_current_variable_values(self) -> dict[str, float]:
        """Return the current positions of all joints with joint states, rad or m."""
        return self._client.positions()


class JointModelGroup:
    """A planning group of the robot."""

    def __init__(self, client: Client, name: str) -> None:
        group = client.group(name)
        self.name = group.name
        self.joint_model_names = list(group.members)
        self.active_joint_model_names = list(group.joints)
        self.link_model_names = client.links(group)


class RobotModel:
    """The robot of a move_group."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self.name = client.tree.name
        self.model_frame = client.planning_frame
        self.joint_model_group_names = list(client.groups)

    def has_joint_model_group(self, joint_model_group_name: str) -> bool:
        """Return whether there is such a group."""
        return joint_model_group_name in self.client.groups

    def get_joint_model_group(self, joint_model_group_name: str) -> JointModelGroup:
        """Return a group; CommanderError lists the groups."""
        return JointModelGroup(self.client, joint_model_group_name)


class RobotState:
    """Positions of all joints (rad, m). Changing it does not move the robot.

    A new state has the home positions. Planar joints, attached objects and anything else without a
    position here are as in move_group's current state.
    """

    def __init__(self, robot_model: RobotModel) -> None:
        self.robot_model = robot_model
        self._client = robot_model.client
        self._positions: dict[str, float] = {}
        self.set_to_default_values()

    @property
    def state_message(self) -> msg.RobotState:
        """The state as a message."""
        return state_of(self._positions)

    @property
    def joint_positions(self) -> dict[str, float]:
        """Positions by joint; assigning changes the joints that are named."""
        return dict(self._positions)

    @joint_positions.setter
    def joint_positions(self, positions: Mapping[str, float]) -> None:
        unknown = positions.keys() - self._positions.keys()
        if unknown:
            known = f"Known: {', '.join(self._positions)}"
            raise CommanderError(f"unknown joints: {', '.join(sorted(unknown))}. {known}")
        self._positions |= {k: number(f"joint '{k}'", value) for k, value in positions.items()}

    def get_joint_group_positions(self, joint_model_group_name: str) -> Array:
        """Return the positions of a group's active joints."""
        joints = self._client.group(joint_model_group_name).joints
        return np.array([self._positions[name] for name in joints])

    def set_joint_group_positions(
        self, joint_model_group_name: str, position_values: Sequence[float]
    ) -> None:
        """Set the positions of a group's active joints."""
        group = self._client.group(joint_model_group_name)
        self.joint_positions = self._client.by_joint(group, position_values)

    set_joint_group_active_positions = set_joint_group_positions

    def set_to_default_values(self, joint_model_group: object = None, name: str = "") -> None:
        """Set home positions; with a group and a name, a state of the SRDF."""
        if joint_model_group is None:
            self._take(self._client.tree.home_configuration())
        else:
            group = getattr(joint_model_group, "name", joint_model_group)
            self.joint_positions = self._client.named(str(group), name)

    def set_to_random_positions(self, joint_model_group: object = None) -> None:
        """Set random positions within the limits, of all joints or of a group's."""
        before = dict(self._positions)
        self._take(self._client.tree.random_configuration())
        if joint_model_group is not None:
            moved = self._client.group(str(getattr(joint_model_group, "name", joint_model_group)))
            drawn = {name: self._positions[name] for name in moved.joints}
            self._positions = before | drawn

    def set_from_ik(
        self, joint_model_group_name: str, geometry_pose: Pose, tip_name: str, timeout: float = 0.0
    ) -> bool:
        """Set the positions of a group by inverse kinematics for a link's pose (planning frame).

        Collisions are ignored. Returns False, and changes nothing, if there is no solution.
        """
        pose = stamped(geometry_pose, self._client.planning_frame)
        tip_name = converted("tip_name", "string", tip_name)
        timeout = number("timeout", timeout, 0.0, LONGEST)
        group = self._client.group(joint_model_group_name)
        try:
            found = self._client.inverse(group, pose, tip_name, self.state_message, timeout)
        except CommanderError as error:
            self._client.log.error(str(error))
            return False
        self.joint_positions = found
        return True

    def get_pose(self, link_name: str) -> Pose:
        """Return a link's pose in the planning frame; CommanderError for an unknown link."""
        return self._client.pose(link_name, self.state_message).pose

    def get_global_link_transform(self, link_name: str) -> Array:
        """Return a link's 4x4 transform in the planning frame."""
        return pose_matrix(self.get_pose(link_name))

    get_frame_transform = get_global_link_transform

    def update(self, force: bool = False) -> None:
        """Do nothing: transforms are always up to date."""

    def _take(self, configuration: Array) -> None:
        by_name = self._client.tree.configuration_by_name(configuration)
        self._positions = {k: value for k, value in by_name.items() if isinstance(value, float)}


def construct_joint_constraint(
    robot_state: RobotState, joint_model_group: JointModelGroup, tolerance: float = 0.01
) -> msg.Constraints:
    """Return the positions of a group in a state, with a tolerance (rad, m), as a goal."""
    positions = robot_state.joint_positions
    joints = joint_model_group.active_joint_model_names
    return joint_goal({name: positions[name] for name in joints}, tolerance)
