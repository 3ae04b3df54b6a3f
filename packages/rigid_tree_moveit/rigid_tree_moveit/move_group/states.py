"""move_group's services for states and links: compute_ik, compute_fk, validity, get_urdf."""

import itertools
import math
from collections.abc import Sequence
from itertools import zip_longest
from typing import Any

import numpy as np
from geometry_msgs.msg import Point, PoseStamped
from moveit_msgs import srv
from moveit_msgs.msg import ConstraintEvalResult, ContactInformation
from moveit_msgs.msg import MoveItErrorCodes as Codes
from moveit_msgs.srv import GetPositionFK, GetPositionIK, GetStateValidity
from rclpy.duration import Duration
from sensor_msgs.msg import JointState

from rigid_tree_kinematics import ik
from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.collision import Contact, Scene
from rigid_tree_kinematics.deadline import Deadline
from rigid_tree_kinematics.description.srdf import group_urdf
from rigid_tree_kinematics.errors import OutOfTimeError
from rigid_tree_kinematics.kinematics import body_transforms
from rigid_tree_kinematics.model.transforms import inverse
from rigid_tree_kinematics.nodes.base import pose_message
from rigid_tree_kinematics.nodes.ik import MOST_BODIES, IkSettings, solve
from rigid_tree_kinematics.nodes.planning import Cancellation
from rigid_tree_kinematics.nodes.scene import placed_pose
from rigid_tree_moveit.move_group import messages
from rigid_tree_moveit.move_group.server import MoveItServer

FAILURE, INVALID = Codes.FAILURE, Codes.INVALID_GOAL_CONSTRAINTS
NO_SOLUTION = Codes.NO_IK_SOLUTION
EXACT = 1e-6  # m, rad; tolerance of poses
MOST_SOLUTIONS = 64  # checked for collisions


class StateServices:
    """Answers requests for kinematics, for the validity of states, and for a group's URDF."""

    def __init__(self, server: MoveItServer) -> None:
        self._server = server
        server.offer(GetPositionIK, "compute_ik", self._on_ik)
        # MoveIt's srv_kinematics_plugin calls this name.
        server.offer(GetPositionIK, "solve_ik", self._on_ik)
        server.offer(GetPositionFK, "compute_fk", self._on_fk)
        server.offer(GetStateValidity, "check_state_validity", self._on_validity)
        newer = getattr(srv, "GetMultiStateValidity", None)
        server.offer(newer, "check_multi_state_validity", self._on_validities)
        server.offer(getattr(srv, "GetGroupUrdf", None), "get_urdf", self._on_urdf)

    async def _on_ik(self, request: Any, response: Any) -> list[str]:
        asked, server = request.ik_request, self._server
        async with server.slots.slot(Cancellation()):
            timeout, group = Duration.from_msg(asked.timeout).nanoseconds / 1e9, asked.group_name
            if timeout <= 0.0:
                solver = (await server.first_robot()).solvers.get(group)
                timeout = (solver and solver.timeout) or IkSettings().timeout
            deadline = Deadline(timeout)
            job = await server.job(asked, response, asked.robot_state, group, deadline)
            response.solution = messages.robot_state(job.robot, await _solution(job))
            return job.remarks

    async def _on_fk(self, request: Any, response: Any) -> list[str]:
        deadline = Deadline(self._server.settings.time_limit)
        job = await self._server.job(request, response, request.robot_state, "", deadline)
        names = list(request.fk_link_names)
        if not 0 < len(names) <= MOST_BODIES:
            reason = f"fk_link_names has {len(names):,} names, not 1 to {MOST_BODIES:,}"
            raise messages.MoveItError(Codes.INVALID_LINK_NAME, reason)
        compiled = job.robot.tree.compiled()
        tools = [(compiled.index_of(link), T) for link, T in map(job.tool, names)]
        frame = request.header.frame_id or job.root
        T_frame_base = inverse(await job.frames.base_from(frame, job.configuration))
        links = T_frame_base @ body_transforms(compiled, job.configuration)
        poses: list[PoseStamped] = []
        for row, T_link_tool in tools:
            deadline.check(len(poses), len(tools), "links")
            poses.append(pose_message(links[row] @ T_link_tool, frame))
            poses[-1].header.stamp = request.header.stamp
        response.pose_stamped, response.fk_link_names = poses, names
        return job.remarks

    async def _on_validity(self, request: Any, response: Any) -> list[str]:
        return await self._validate(request, response, [JointState()])

    async def _on_validities(self, request: Any, response: Any) -> list[str]:
        """Check states, each relative to the one before, up to the first invalid one."""
        if not request.joint_states:
            raise messages.MoveItError(Codes.INVALID_ROBOT_STATE, "joint_states is empty")
        return await self._validate(request, response, request.joint_states)

    async def _on_urdf(self, request: Any, response: Any) -> None:
        robot = await self._server.first_robot()
        with messages.error_code(FAILURE):  # like MoveIt, not INVALID_GROUP_NAME
            group = robot.semantics.group(request.group_name)
            response.urdf_string = group_urdf(robot.urdf, group.name, group.members)

    async def _validate(
        self, request: Any, response: Any, states: Sequence[JointState]
    ) -> list[str]:
        deadline = Deadline(self._server.settings.time_limit)
        robot = await self._server.first_robot()
        # Constraints without a link apply to the group's tip; without a group, to any group's.
        named, groups = request.group_name, robot.semantics.groups
        group = named or next(iter(groups))
        job = await self._server.job(request, response, request.robot_state, group, deadline)
        _require_positions(request.robot_state.joint_state, job)
        # As in MoveIt, all links are checked without a known group.
        checker = job.checker if named in groups else robot.checkers.checker(job.scene)
        if named and named not in groups:
            known = ", ".join(groups)
            remark = f"all links are checked, as group '{named}' is unknown; known: {known}"
            job.remarks.append(remark)
        read = await messages.read_constraints(request.constraints, job, FAILURE)
        with messages.error_code(FAILURE):
            constraints = [ik.ConstraintSet(robot.tree.compiled(), [item]) for item in read]
        q = job.configuration
        for number, state in enumerate(states):
            with messages.error_code(Codes.INVALID_ROBOT_STATE, f"joint_states[{number}]: "):
                deadline.check(number, len(states), "states")
                q = robot.named.merge(q, state.name, np.array(state.position), strict=True)
            response.constraint_result = [_result(q, item) for item in constraints]
            met = all(item.result for item in response.constraint_result)
            if not (met and checker.is_free(q)):
                contacts = checker.check(q).contacts
                response.contacts = [_contact(item, job) for item in contacts]
                return job.remarks
        response.valid = True
        return job.remarks


def _require_positions(state: JointState, job: messages.Job) -> None:
    """Raise MoveItError if a state does not say where a joint of the group is that it names."""
    groups, tree = job.robot.semantics.groups, job.robot.tree
    checked = job.group.joints if job.request.group_name in groups else tree.position_names
    found = zip_longest(state.name, state.position, fillvalue=math.nan)
    if unknown := [name for name, q in found if name in checked and not math.isfinite(q)]:
        reason = f"robot_state has no finite position of {', '.join(unknown)}"
        raise messages.MoveItError(Codes.INVALID_ROBOT_STATE, reason)


def _contact(contact: Contact, job: messages.Job) -> ContactInformation:
    message = ContactInformation(
        position=Point(**dict(zip("xyz", map(float, contact.point), strict=True))),
        depth=contact.depth,
        contact_body_1=contact.first,
        contact_body_2=contact.second,
        body_type_1=_body_type(contact.first, job.scene),
        body_type_2=_body_type(contact.second, job.scene),
    )
    message.header.frame_id = job.root
    return message


def _result(q: Array, constraint: ik.ConstraintSet) -> ConstraintEvalResult:
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


async def _solution(job: messages.Job) -> Array:
    """Return a configuration (nq,) with links at their poses; MoveItError, UnknownFrameError."""
    request = job.request
    constraints = await messages.read_constraints(request.constraints, job, INVALID)
    if constraints or request.pose_stamped_vector:
        return await _solution_of_all(job, constraints)
    target = await _target(job, request.ik_link_name, request.pose_stamped)
    checker = job.checker if request.avoid_collisions else None
    pose, solver = np.asarray(target.target), _solver(job, target)
    with messages.error_code(INVALID):
        results, blocked = solve(solver, pose, job.start, job.deadline, checker)
    if not results:
        raise messages.MoveItError(NO_SOLUTION, f"every solution found is in collision: {blocked}")
    first = results[0]
    if not first.success:
        late = first.status is ik.IKStatus.OUT_OF_TIME
        raise messages.MoveItError(Codes.TIMED_OUT if late else NO_SOLUTION, first.message)
    return first.configuration


async def _target(job: messages.Job, name: str, pose: PoseStamped) -> ik.PoseTarget:
    """Return the pose of a link at which the named frame is at a pose."""
    with messages.error_code(INVALID):
        T_frame_target = placed_pose(pose.pose, "pose_stamped.pose")
    T_base_target = await job.frames.base_from(pose.header.frame_id, job.start) @ T_frame_target
    link, T_link_tool = job.tool(name)
    return ik.PoseTarget(link, T_base_target, tool=T_link_tool)


def _solver(job: messages.Job, target: ik.PoseTarget) -> ik.InverseKinematics:
    """Return a solver for a target, or for its position only."""
    tool = tuple(map(tuple, np.asarray(target.tool).tolist()))
    return job.robot.solver(target.body, locked=job.locked, tool=tool, weights=job.weights)


def _position(target: ik.PoseTarget) -> ik.PositionTarget:
    T_base_tool, T_link_tool = np.asarray(target.target), np.asarray(target.tool)
    place, point = T_base_tool[:3, 3].tolist(), T_link_tool[:3, 3].tolist()
    return ik.PositionTarget(target.body, place, point=point)


async def _solution_of_all(job: messages.Job, constraints: list[ik.Constraint]) -> Array:
    """Return a configuration (nq,) that satisfies several poses, or a pose and constraints."""
    request, deadline, start, tree = job.request, job.deadline, job.start, job.robot.tree
    poses, names = [request.pose_stamped], [request.ik_link_name]
    if request.pose_stamped_vector:
        poses, names = request.pose_stamped_vector, request.ik_link_names
    if len(names) != len(poses):
        raise messages.MoveItError(INVALID, f"{len(poses)} poses, but {len(names)} ik_link_names")
    if len(poses) > messages.MOST_CONSTRAINTS:
        reason = f"{len(poses)} poses, more than {messages.MOST_CONSTRAINTS}"
        raise messages.MoveItError(INVALID, reason)
    targets = [await _target(job, name, pose) for pose, name in zip(poses, names, strict=True)]
    conditions = [_position(target) if job.position_only else target for target in targets]
    with messages.error_code(INVALID):
        wanted = ik.ConstraintSet(
            tree.compiled(), [*conditions, *constraints], job.locked, tightest=EXACT
        )
    checker = job.checker if request.avoid_collisions else None
    blocked = None
    for q in itertools.islice(ik.each_solution(wanted, start, timeout=deadline), MOST_SOLUTIONS):
        if checker is None or checker.is_free(q):
            return q
        blocked = q if blocked is None else blocked
    if blocked is None:
        if deadline.over:
            reason = f"before any solution satisfied {len(targets)} poses"
            raise OutOfTimeError(deadline.why(reason))
        reason = f"no solution satisfies all; the start state: {wanted.why(start)}"
        raise messages.MoveItError(NO_SOLUTION, reason)
    message = job.checker.check(blocked).message
    raise messages.MoveItError(NO_SOLUTION, f"every solution found is in collision: {message}")
