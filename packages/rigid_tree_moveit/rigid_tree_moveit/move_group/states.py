"""move_group's services for states and links: compute_ik, compute_fk, validity, get_urdf."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import zip_longest

import numpy as np
from geometry_msgs.msg import Point, PoseStamped
from moveit_msgs import srv
from moveit_msgs.msg import ConstraintEvalResult, ContactInformation
from moveit_msgs.msg import MoveItErrorCodes as Codes
from rclpy.duration import Duration
from sensor_msgs.msg import JointState

from rigid_tree_kinematics import ik
from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.collision import Contact, Scene
from rigid_tree_kinematics.deadline import Deadline
from rigid_tree_kinematics.description.srdf import group_urdf
from rigid_tree_kinematics.kinematics import body_transforms
from rigid_tree_kinematics.model.transforms import inverse
from rigid_tree_kinematics.nodes.base import pose_message
from rigid_tree_kinematics.nodes.planning import Cancellation
from rigid_tree_moveit.move_group import messages, queries
from rigid_tree_moveit.move_group.codes import MoveItError, error_code
from rigid_tree_moveit.move_group.robot import PlanningContext, robot_state
from rigid_tree_moveit.move_group.server import MoveItServer

MOST_LINKS = 10_000  # of a request for forward kinematics, which takes about a second


class StateServices:
    """Answers requests for kinematics, for the validity of states, and for a group's URDF."""

    def __init__(self, server: MoveItServer) -> None:
        self._server = server
        server.advertise(srv.GetPositionIK, "compute_ik", self._on_ik)
        # MoveIt's srv_kinematics_plugin calls this name.
        server.advertise(srv.GetPositionIK, "solve_ik", self._on_ik)
        server.advertise(srv.GetPositionFK, "compute_fk", self._on_fk)
        server.advertise(srv.GetStateValidity, "check_state_validity", self._on_validity)
        newer = getattr(srv, "GetMultiStateValidity", None)
        server.advertise(newer, "check_multi_state_validity", self._on_validities)
        server.advertise(getattr(srv, "GetGroupUrdf", None), "get_urdf", self._on_urdf)

    async def _on_ik(
        self, request: srv.GetPositionIK.Request, response: srv.GetPositionIK.Response
    ) -> list[str]:
        server, asked = self._server, request.ik_request
        async with server.slots.slot(Cancellation()):
            timeout, group = Duration.from_msg(asked.timeout).nanoseconds / 1e9, asked.group_name
            if timeout <= 0.0:
                timeout = (await server.first_robot()).ik_timeout(group)
            context = await server.planning_context(asked.robot_state, group, Deadline(timeout))
            query = await queries.read_ik(asked, context)
            response.solution = robot_state(context.robot, query.solve())
            return context.remarks

    async def _on_fk(
        self, request: srv.GetPositionFK.Request, response: srv.GetPositionFK.Response
    ) -> list[str]:
        deadline = Deadline(self._server.settings.time_limit)
        context = await self._server.planning_context(request.robot_state, "", deadline)
        names = list(request.fk_link_names)
        if not 0 < len(names) <= MOST_LINKS:
            reason = f"fk_link_names has {len(names):,} names, not 1 to {MOST_LINKS:,}"
            raise MoveItError(Codes.INVALID_LINK_NAME, reason)
        compiled, q = context.robot.tree.compiled(), context.configuration
        tools = [(compiled.index_of(link), T) for link, T in map(context.tool, names)]
        frame = request.header.frame_id or context.root
        links = inverse(await context.frames.base_from(frame, q)) @ body_transforms(compiled, q)
        poses: list[PoseStamped] = []
        for row, T_link_tool in tools:
            deadline.check(len(poses), len(tools), "links")
            poses.append(pose_message(links[row] @ T_link_tool, frame))
            poses[-1].header.stamp = request.header.stamp
        response.pose_stamped, response.fk_link_names = poses, names
        return context.remarks

    async def _on_validity(
        self, request: srv.GetStateValidity.Request, response: srv.GetStateValidity.Response
    ) -> list[str]:
        return await self._validate(request, response, [JointState()])

    async def _on_validities(
        self,
        request: srv.GetMultiStateValidity.Request,
        response: srv.GetMultiStateValidity.Response,
    ) -> list[str]:
        """Check states, each relative to the one before, up to the first invalid one."""
        if not request.joint_states:
            raise MoveItError(Codes.INVALID_ROBOT_STATE, "joint_states is empty")
        return await self._validate(request, response, request.joint_states)

    async def _on_urdf(
        self, request: srv.GetGroupUrdf.Request, response: srv.GetGroupUrdf.Response
    ) -> None:
        robot = await self._server.first_robot()
        with error_code(Codes.FAILURE):  # like MoveIt, not INVALID_GROUP_NAME
            group = robot.semantics.group(request.group_name)
            response.urdf_string = group_urdf(robot.urdf, group.name, group.members)

    async def _validate(
        self,
        request: srv.GetStateValidity.Request | srv.GetMultiStateValidity.Request,
        response: srv.GetStateValidity.Response | srv.GetMultiStateValidity.Response,
        states: Sequence[JointState],
    ) -> list[str]:
        deadline = Deadline(self._server.settings.time_limit)
        robot = await self._server.first_robot()
        # Constraints without a link apply to the group's tip; without a group, to any group's.
        named, groups = request.group_name, robot.semantics.groups
        group, is_known = named or next(iter(groups)), named in groups
        context = await self._server.planning_context(request.robot_state, group, deadline)
        _require_positions(request.robot_state.joint_state, context, is_known)
        # As in MoveIt, all links are checked without a known group.
        checker = context.checker if is_known else robot.checkers.checker(context.scene)
        if named and not is_known:
            known = ", ".join(groups)
            remark = f"all links are checked, as group '{named}' is unknown; known: {known}"
            context.remarks.append(remark)
        read = await messages.read_constraints(request.constraints, context, Codes.FAILURE)
        with error_code(Codes.FAILURE):
            constraints = [ik.ConstraintSet(robot.tree.compiled(), [item]) for item in read]
        q = context.configuration
        for number, state in enumerate(states):
            with error_code(Codes.INVALID_ROBOT_STATE, f"joint_states[{number}]: "):
                deadline.check(number, len(states), "states")
                q = robot.named.merge(q, state.name, np.array(state.position), strict=True)
            response.constraint_result = [_result(q, item) for item in constraints]
            met = all(item.result for item in response.constraint_result)
            if not (met and checker.is_free(q)):
                contacts = checker.check(q).contacts
                response.contacts = [_contact(contact, context) for contact in contacts]
                return context.remarks
        response.valid = True
        return context.remarks


def _require_positions(state: JointState, context: PlanningContext, of_group: bool) -> None:
    """Raise MoveItError if a state does not say where a joint is that it names.

    Only the joints of the group are required, or all.
    """
    checked = context.group.joints if of_group else context.robot.tree.position_names
    found = zip_longest(state.name, state.position, fillvalue=math.nan)
    if unknown := [name for name, q in found if name in checked and not math.isfinite(q)]:
        reason = f"robot_state has no finite position of {', '.join(unknown)}"
        raise MoveItError(Codes.INVALID_ROBOT_STATE, reason)


def _contact(contact: Contact, context: PlanningContext) -> ContactInformation:
    message = ContactInformation(
        position=Point(**dict(zip("xyz", map(float, contact.point), strict=True))),
        depth=contact.depth,
        contact_body_1=contact.first,
        contact_body_2=contact.second,
        body_type_1=_body_type(contact.first, context.scene),
        body_type_2=_body_type(contact.second, context.scene),
    )
    message.header.frame_id = context.root
    return message


def _result(q: Array, constraint: ik.ConstraintSet) -> ConstraintEvalResult:
    """Return whether a configuration satisfies a constraint, and its violation (m, rad)."""
    violations = constraint.violations(q)
    distance = math.hypot(*(violation.amount for violation in violations))
    return ConstraintEvalResult(result=not violations, distance=distance)


def _body_type(name: str, scene: Scene) -> int:
    if name in scene.attached:
        return int(ContactInformation.ROBOT_ATTACHED)
    if name in scene.obstacles:
        return int(ContactInformation.WORLD_OBJECT)
    return int(ContactInformation.ROBOT_LINK)
