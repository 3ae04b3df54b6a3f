"""move_group's service about the robot's description: get_urdf."""

from __future__ import annotations

from typing import Any

from moveit_msgs.msg import MoveItErrorCodes

from rigid_tree_kinematics.description.srdf import group_urdf
from rigid_tree_kinematics.nodes.moveit.interface.server import MoveItServer
from rigid_tree_kinematics.nodes.moveit.messages import SUCCESS, answering, refusing, tell


class DescriptionServices:
    """Tells the URDF of a group."""

    def __init__(self, server: MoveItServer) -> None:
        self._server = server
        server.offer_if_known("GetGroupUrdf", "get_urdf", self._on_urdf)

    def _on_urdf(self, request: Any, response: Any) -> Any:
        with answering(self._server, response.error_code):
            robot = self._server.present_robot
            # Not INVALID_GROUP_NAME: MoveIt's answer is FAILURE.
            with refusing(MoveItErrorCodes.FAILURE):
                group = robot.semantics.group(request.group_name)
                response.urdf_string = group_urdf(robot.urdf, group.name, group.members)
            tell(self._server, response.error_code, SUCCESS)
        return response
