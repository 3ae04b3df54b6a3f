"""move_group's services about states: compute_ik, solve_ik, compute_fk, and which are free."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from moveit_msgs.msg import (
    ConstraintEvalResult,
    ContactInformation,
    MoveItErrorCodes,
    PositionIKRequest,
)
from moveit_msgs.srv import GetPositionFK, GetPositionIK, GetStateValidity
from sensor_msgs.msg import JointState

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.collision import Contact, Scene
from rigid_tree_kinematics.deadline import Deadline
from rigid_tree_kinematics.ik import ConstraintSet
from rigid_tree_kinematics.nodes.common.requests import seconds_of
from rigid_tree_kinematics.nodes.ik import IkSettings
from rigid_tree_kinematics.nodes.moveit.interface.server import MoveItServer
from rigid_tree_kinematics.nodes.moveit.messages import (
    SUCCESS,
    ConstraintReader,
    MoveItError,
    MoveItRobot,
    answering,
    refusing,
    scene_with,
    tell,
)
from rigid_tree_kinematics.nodes.moveit.plan import answer_fk, solve_ik
from rigid_tree_kinematics.nodes.scene import point_of

FAILURE = MoveItErrorCodes.FAILURE


class StateServices:
    """Answers where links are, where joints have to be, and whether a state is free."""

    def __init__(self, server: MoveItServer) -> None:
        self._server = server
        server.offer(GetPositionIK, "compute_ik", self._on_ik)
        # The name that MoveIt's srv_kinematics_plugin calls.
        server.offer(GetPositionIK, "solve_ik", self._on_ik)
        server.offer(GetPositionFK, "compute_fk", self._on_fk)
        server.offer(GetStateValidity, "check_state_validity", self._on_validity)
        server.offer_if_known(
            "GetMultiStateValidity", "check_multi_state_validity", self._on_validities
        )

    async def _on_ik(
        self, request: GetPositionIK.Request, response: GetPositionIK.Response
    ) -> GetPositionIK.Response:
        async with self._server.slots.slot():
            await self._solve(request.ik_request, response)
        return response

    async def _solve(self, asked: PositionIKRequest, response: GetPositionIK.Response) -> None:
        with answering(self._server, response.error_code):
            settings = IkSettings()
            timeout = seconds_of(asked.timeout)
            deadline = Deadline(timeout if timeout > 0.0 else settings.timeout)
            robot = self._server.present_robot
            frames = self._server.base_frames(robot, deadline)
            items = asked.robot_state.attached_collision_objects
            scene = await scene_with(items, self._server.keeper.scene, robot, frames)
            response.solution = await solve_ik(asked, robot, scene, frames)
            tell(self._server, response.error_code, SUCCESS)

    async def _on_fk(
        self, request: GetPositionFK.Request, response: GetPositionFK.Response
    ) -> GetPositionFK.Response:
        with answering(self._server, response.error_code):
            robot = self._server.present_robot
            prefix = self._server.settings.frame_prefix
            frames = self._server.base_frames(robot, Deadline(self._server.settings.time_limit))
            await answer_fk(request, robot, frames, prefix, response)
            tell(self._server, response.error_code, SUCCESS)
        return response

    async def _on_validity(
        self, request: GetStateValidity.Request, response: GetStateValidity.Response
    ) -> GetStateValidity.Response:
        with answering(self._server, MoveItErrorCodes()):  # the type has no place for it; the log
            await self._judge(request, response, [JointState()])
        return response

    async def _on_validities(self, request: Any, response: Any) -> Any:
        """Judge states, each from the one before; what is told is of the first that is invalid."""
        with answering(self._server, MoveItErrorCodes()):
            if not request.joint_states:
                raise MoveItError(MoveItErrorCodes.INVALID_ROBOT_STATE, "joint_states is empty")
            await self._judge(request, response, request.joint_states)
        return response

    async def _judge(self, request: Any, response: Any, states: Sequence[JointState]) -> None:
        deadline = Deadline(self._server.settings.time_limit)
        robot = self._server.present_robot
        # Of constraints without links only a group has a tip.
        named = request.group_name or next(iter(robot.semantics.groups))
        group = robot.group(named)
        frames = self._server.base_frames(robot, deadline)
        items = request.robot_state.attached_collision_objects
        scene = await scene_with(items, self._server.keeper.scene, robot, frames)
        checker = robot.checkers.checker(scene)
        q = robot.start(request.robot_state)
        reader = ConstraintReader(robot, group, q, frames, moving_frames=True, code=FAILURE)
        with refusing(FAILURE):
            constraints = [
                ConstraintSet(robot.tree.compiled(), [item])
                for item in await reader.read(request.constraints)
            ]
        for number, state in enumerate(states):
            with refusing(MoveItErrorCodes.INVALID_ROBOT_STATE, f"joint_states[{number}]: "):
                deadline.check(number, len(states), "states")
                q = robot.named.merge(q, state.name, np.array(state.position), strict=True)
            response.constraint_result = [_result(q, item) for item in constraints]
            met = all(item.result for item in response.constraint_result)
            if not (met and checker.is_free(q)):
                contacts = checker.check(q).contacts
                response.contacts = [self._contact(item, robot, scene) for item in contacts]
                return
        response.valid = True

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


def _result(q: Array, constraint: ConstraintSet) -> ConstraintEvalResult:
    """Return whether a configuration meets a constraint, and by how much (m, rad) it does not."""
    violations = constraint.violations(q)
    distance = math.sqrt(sum(violation.amount**2 for violation in violations))
    return ConstraintEvalResult(result=not violations, distance=distance)


def _body_type(name: str, scene: Scene) -> int:
    if name in scene.attached:
        return int(ContactInformation.ROBOT_ATTACHED)
    if name in scene.obstacles:
        return int(ContactInformation.WORLD_OBJECT)
    return int(ContactInformation.ROBOT_LINK)
