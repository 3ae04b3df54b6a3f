"""move_group's services about states: compute_ik, solve_ik, compute_fk, check_state_validity."""

from __future__ import annotations

import math

from moveit_msgs.msg import ConstraintEvalResult, ContactInformation, MoveItErrorCodes
from moveit_msgs.srv import GetPositionFK, GetPositionIK, GetStateValidity

from rigid_tree_kinematics.collision import Contact, Scene
from rigid_tree_kinematics.ik import Constraint, HeldConstraints
from rigid_tree_kinematics.nodes.moveit.codes import SUCCESS, answering, refusing, tell
from rigid_tree_kinematics.nodes.moveit.constraints import Array, ConstraintReader
from rigid_tree_kinematics.nodes.moveit.kinematics import answer_fk, solve_ik
from rigid_tree_kinematics.nodes.moveit.robot import MoveItRobot
from rigid_tree_kinematics.nodes.moveit.scene import scene_with
from rigid_tree_kinematics.nodes.moveit.server import MoveItServer
from rigid_tree_kinematics.nodes.scene.messages import point_of


class StateServices:
    """Answers where links are, where joints have to be, and whether a state is free."""

    def __init__(self, server: MoveItServer) -> None:
        self._server = server
        server.offer(GetPositionIK, "compute_ik", self._on_ik)
        # The name that MoveIt's srv_kinematics_plugin calls.
        server.offer(GetPositionIK, "solve_ik", self._on_ik)
        server.offer(GetPositionFK, "compute_fk", self._on_fk)
        server.offer(GetStateValidity, "check_state_validity", self._on_validity)

    async def _on_ik(
        self, request: GetPositionIK.Request, response: GetPositionIK.Response
    ) -> GetPositionIK.Response:
        with answering(self._server, response.error_code):
            robot = self._server.present_robot
            frames = self._server.base_frames(robot)
            asked = request.ik_request
            items = asked.robot_state.attached_collision_objects
            scene = await scene_with(items, self._server.keeper.scene, robot, frames)
            response.solution = await solve_ik(asked, robot, scene, frames)
            tell(self._server, response.error_code, SUCCESS)
        return response

    async def _on_fk(
        self, request: GetPositionFK.Request, response: GetPositionFK.Response
    ) -> GetPositionFK.Response:
        with answering(self._server, response.error_code):
            robot = self._server.present_robot
            prefix = self._server.settings.frame_prefix
            await answer_fk(request, robot, self._server.base_frames(robot), prefix, response)
            tell(self._server, response.error_code, SUCCESS)
        return response

    async def _on_validity(
        self, request: GetStateValidity.Request, response: GetStateValidity.Response
    ) -> GetStateValidity.Response:
        reply = MoveItErrorCodes()  # the type has no place for it; the log has
        with answering(self._server, reply):
            robot = self._server.present_robot
            # Of constraints without links only a group has a tip.
            named = request.group_name or next(iter(robot.semantics.groups))
            group = robot.group(named)
            frames = self._server.base_frames(robot)
            items = request.robot_state.attached_collision_objects
            scene = await scene_with(items, self._server.keeper.scene, robot, frames)
            q = robot.start(request.robot_state)
            failure = MoveItErrorCodes.FAILURE
            reader = ConstraintReader(robot, group, q, frames, moving_frames=True, code=failure)
            constraints = await reader.read(request.constraints)
            report = robot.checkers.checker(scene).check(q)
            with refusing(failure):
                response.constraint_result = [_result(robot, q, item) for item in constraints]
            met = all(item.result for item in response.constraint_result)
            response.valid = report.free and met
            response.contacts = [
                self._contact(contact, robot, scene) for contact in report.contacts
            ]
        return response

    def _contact(self, contact: Contact, robot: MoveItRobot, scene: Scene) -> ContactInformation:
        message = ContactInformation(
            position=point_of(contact.point),
            depth=contact.depth,
            contact_body_1=contact.first,
            contact_body_2=contact.second,
            body_type_1=_body_type(contact.first, scene),
            body_type_2=_body_type(contact.second, scene),
        )
        message.header.frame_id = self._server.settings.frame_prefix + robot.tree.base_name
        return message


def _result(robot: MoveItRobot, q: Array, constraint: Constraint) -> ConstraintEvalResult:
    """Return whether a configuration meets a constraint, and by how much (m, rad) it does not."""
    violations = HeldConstraints(robot.tree.compiled(), [constraint]).violations(q)
    distance = math.sqrt(sum(violation.amount**2 for violation in violations))
    return ConstraintEvalResult(result=not violations, distance=distance)


def _body_type(name: str, scene: Scene) -> int:
    if name in scene.attached:
        return int(ContactInformation.ROBOT_ATTACHED)
    if name in scene.obstacles:
        return int(ContactInformation.WORLD_OBJECT)
    return int(ContactInformation.ROBOT_LINK)
