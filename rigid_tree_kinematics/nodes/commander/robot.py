"""RobotCommander: the robot's groups, joints, links and state, with moveit_commander's names."""

from __future__ import annotations

from moveit_msgs.msg import RobotState

from rigid_tree_kinematics.nodes.commander.client import shared_client


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

    def get_current_state(self) -> RobotState:
        """Return the robot's current state with attached objects."""
        return self._client.state()

    def get_current_variable_values(self) -> dict[str, float]:
        """Return the current positions of all joints with joint states, rad or m."""
        return self._client.positions()
