"""move_group's services about states and links: compute_ik, compute_fk, validity, get_urdf."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from moveit_msgs import srv
from moveit_msgs.msg import ConstraintEvalResult, ContactInformation
from moveit_msgs.msg import MoveItErrorCodes as Codes
from moveit_msgs.srv import GetPositionFK, GetPositionIK, GetStateValidity
from sensor_msgs.msg import JointState

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.collision import Contact, Scene
from rigid_tree_kinematics.deadline import Deadline
from rigid_tree_kinematics.description.srdf import group_urdf
from rigid_tree_kinematics.ik import ConstraintSet
from rigid_tree_kinematics.nodes.common.process import Cancellation
from rigid_tree_kinematics.nodes.common.requests import seconds_of
from rigid_tree_kinematics.nodes.ik import IkSettings
from rigid_tree_kinematics.nodes.moveit import messages
from rigid_tree_kinematics.nodes.moveit.interface.server import MoveItServer
from rigid_tree_kinematics.nodes.moveit.plan import answer_fk, solve_ik
from rigid_tree_kinematics.nodes.scene import point_of

FAILURE = Codes.FAILURE


class StateServices:
    """Answers requests for kinematics, for the validity of states, and for a group's URDF."""

    def __init__(self, server: MoveItServer) -> None:
        self._server = server
        server.offer(GetPositionIK, "compute_ik", self._on_ik)
        # The name that MoveIt's srv_kinematics_plugin calls.
        server.offer(GetPositionIK, "solve_ik", self._on_ik)
        server.offer(GetPositionFK, "compute_fk", self._on_fk)
        server.offer(GetStateValidity, "check_state_validity", self._on_validity)
        newer = getattr(srv, "GetMultiStateValidity", None)
        server.offer(newer, "check_multi_state_validity", self._on_validities)
        server.offer(getattr(srv, "GetGroupUrdf", None), "get_urdf", self._on_urdf)

    async def _on_ik(self, request: Any, response: Any) -> None:
        asked, server = request.ik_request, self._server
        async with server.slots.slot(Cancellation()):
            timeout, group = seconds_of(asked.timeout), asked.group_name
            if timeout <= 0.0:
                timeouts = (await server.first_robot()).solver_timeouts
                timeout = timeouts.get(group, IkSettings().timeout)
            deadline = Deadline(timeout)
            job = await server.job(asked, response, asked.robot_state, group, deadline)
            response.solution = await solve_ik(job)

    async def _on_fk(self, request: Any, response: Any) -> None:
        deadline = Deadline(self._server.settings.time_limit)
        job = await self._server.job(request, response, request.robot_state, "", deadline)
        await answer_fk(job)

    async def _on_validity(self, request: Any, response: Any) -> None:
        await self._validate(request, response, [JointState()])

    async def _on_validities(self, request: Any, response: Any) -> None:
        """Check states, each relative to the one before, up to the first invalid one."""
        if not request.joint_states:
            raise messages.MoveItError(Codes.INVALID_ROBOT_STATE, "joint_states is empty")
        await self._validate(request, response, request.joint_states)

    async def _on_urdf(self, request: Any, response: Any) -> None:
        robot = await self._server.first_robot()
        with messages.error_code(FAILURE):  # like MoveIt, not INVALID_GROUP_NAME
            group = robot.semantics.group(request.group_name)
            response.urdf_string = group_urdf(robot.urdf, group.name, group.members)

    async def _validate(self, request: Any, response: Any, states: Sequence[JointState]) -> None:
        deadline = Deadline(self._server.settings.time_limit)
        robot = await self._server.first_robot()
        # Constraints without a link are of the group's tip; without a group, of any.
        group = request.group_name or next(iter(robot.semantics.groups))
        job = await self._server.job(request, response, request.robot_state, group, deadline)
        read = await messages.read_constraints(request.constraints, job, FAILURE)
        with messages.error_code(FAILURE):
            constraints = [ConstraintSet(robot.tree.compiled(), [item]) for item in read]
        q = job.configuration
        for number, state in enumerate(states):
            with messages.error_code(Codes.INVALID_ROBOT_STATE, f"joint_states[{number}]: "):
                deadline.check(number, len(states), "states")
                q = robot.named.merge(q, state.name, np.array(state.position), strict=True)
            response.constraint_result = [_result(q, item) for item in constraints]
            met = all(item.result for item in response.constraint_result)
            if not (met and job.checker.is_free(q)):
                contacts = job.checker.check(q).contacts
                response.contacts = [_contact(item, job) for item in contacts]
                return
        response.valid = True


def _contact(contact: Contact, job: messages.Job) -> ContactInformation:
    message = ContactInformation(
        position=point_of(contact.point),
        depth=contact.depth,
        contact_body_1=contact.first,
        contact_body_2=contact.second,
        body_type_1=_body_type(contact.first, job.scene),
        body_type_2=_body_type(contact.second, job.scene),
    )
    message.header.frame_id = job.settings.frame_prefix + job.robot.tree.base_name
    return message


def _result(q: Array, constraint: ConstraintSet) -> ConstraintEvalResult:
    """Return whether a configuration satisfies a constraint, and its violation (m, rad)."""
    violations = constraint.violations(q)
    distance = math.sqrt(sum(violation.amount**2 for violation in violations))
    return ConstraintEvalResult(result=not violations, distance=distance)


def _body_type(name: str, scene: Scene) -> int:
    if name in scene.attached:
        return int(ContactInformation.ROBOT_ATTACHED)
    if name in scene.obstacles:
        return int(ContactInformation.WORLD_OBJECT)
    return int(ContactInformation.ROBOT_LINK)
