"""compute_ik and compute_fk."""

from __future__ import annotations

import numpy as np
from geometry_msgs.msg import PoseStamped
from moveit_msgs.msg import MoveItErrorCodes as Codes
from moveit_msgs.msg import PositionIKRequest, RobotState

from rigid_tree_kinematics import ik
from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.errors import OutOfTimeError
from rigid_tree_kinematics.kinematics import body_transforms
from rigid_tree_kinematics.model.transforms import inverse
from rigid_tree_kinematics.nodes.ik import ALL_WEIGHTS, MOST_BODIES, IkSettings, Problem, solve
from rigid_tree_kinematics.nodes.moveit import messages
from rigid_tree_kinematics.nodes.tf import pose_message, read_target

INVALID = Codes.INVALID_GOAL_CONSTRAINTS
NO_SOLUTION = Codes.NO_IK_SOLUTION
EXACT = 1e-6  # m, rad; tolerance of poses
SEEDS = 64  # solutions for the first pose
MOST_SOLUTIONS = 16  # checked for collisions


async def solve_ik(job: messages.Job) -> RobotState:
    """Return the state with a link at a pose; raises MoveItError, UnknownFrameError."""
    request: PositionIKRequest = job.request
    constraints = await messages.read_constraints(request.constraints, job, INVALID)
    checker = job.checker if request.avoid_collisions else None
    if constraints or request.pose_stamped_vector:
        return messages.robot_state(job.robot, await _solve_together(job, constraints))
    settings = IkSettings()
    target = await _target(job, request.ik_link_name, request.pose_stamped)
    problem = Problem(
        body=target.body,
        base=job.robot.tree.base_name,
        weights=ALL_WEIGHTS,
        locked=job.locked,
        position_tolerance=settings.position_tolerance,
        orientation_tolerance=settings.orientation_tolerance,
    )
    with messages.error_code(INVALID):
        results, blocked = solve(
            job.robot.solver(problem), np.asarray(target.target), job.start, job.deadline, checker
        )
    if not results:
        raise messages.MoveItError(NO_SOLUTION, f"every solution found is in collision: {blocked}")
    first = results[0]
    if not first.success:
        late = first.status is ik.IKStatus.OUT_OF_TIME
        raise messages.MoveItError(Codes.TIMED_OUT if late else NO_SOLUTION, first.message)
    return messages.robot_state(job.robot, first.configuration)


async def _target(job: messages.Job, name: str, pose: PoseStamped) -> ik.PoseTarget:
    """Return the pose of a link at which the named frame is at a pose."""
    with messages.error_code(INVALID):
        target = read_target(pose, "pose_stamped")
    T_base_target = await job.frames.base_from(target.frame, job.start) @ target.pose
    link, T_link_tool = job.tool(name)
    return ik.PoseTarget(link, T_base_target @ inverse(T_link_tool))


async def _targets(job: messages.Job) -> list[ik.PoseTarget]:
    """Return the target poses of a request, for one link or several."""
    request: PositionIKRequest = job.request
    poses = list(request.pose_stamped_vector) or [request.pose_stamped]
    names = list(request.ik_link_names) if request.pose_stamped_vector else [request.ik_link_name]
    if len(names) != len(poses):
        raise messages.MoveItError(INVALID, f"{len(poses)} poses, but {len(names)} ik_link_names")
    if len(poses) > messages.MOST_CONSTRAINTS:
        words = f"{len(poses)} poses, more than {messages.MOST_CONSTRAINTS}"
        raise messages.MoveItError(INVALID, words)
    return [await _target(job, name, pose) for pose, name in zip(poses, names, strict=True)]


async def _solve_together(job: messages.Job, constraints: list[ik.Constraint]) -> Array:
    """Return a configuration (nq,) that satisfies several poses, or a pose and constraints."""
    deadline, start = job.deadline, job.start
    targets = await _targets(job)
    with messages.error_code(INVALID):
        wanted = ik.ConstraintSet(
            job.robot.tree.compiled(), [*targets, *constraints], job.locked, tightest=EXACT
        )
    checker = job.checker if job.request.avoid_collisions else None
    # Solutions for the first pose are better seeds than random configurations.
    solver = ik.InverseKinematics(job.robot.tree, targets[0].body, locked=job.locked)
    seeds = solver.solve_all(targets[0].target, start, most=SEEDS, timeout=deadline.earlier(0.5))
    found = ik.projected_solutions(
        wanted,
        start,
        most=1 if checker is None else MOST_SOLUTIONS,
        timeout=deadline,
        others=[np.array(result.configuration) for result in seeds],
    )
    if not found:
        if deadline.over:
            raise OutOfTimeError(
                deadline.why(f"before any solution satisfied {len(targets)} poses")
            )
        words = f"no solution satisfies all; the start state: {wanted.why(start)}"
        raise messages.MoveItError(NO_SOLUTION, words)
    for number, q in enumerate(found):
        if number:
            deadline.check(number, len(found), "solutions checked for collisions")
        if checker is None or checker.is_free(q):
            return q
    assert checker is not None
    message = checker.check(found[0]).message
    raise messages.MoveItError(NO_SOLUTION, f"every solution found is in collision: {message}")


async def answer_fk(job: messages.Job) -> None:
    """Fill in the poses of links; MoveItError, UnknownFrameError."""
    request, response = job.request, job.response
    names = list(request.fk_link_names)
    if not 0 < len(names) <= MOST_BODIES:
        words = f"fk_link_names has {len(names):,} names, not 1 to {MOST_BODIES:,}"
        raise messages.MoveItError(Codes.INVALID_LINK_NAME, words)
    compiled = job.robot.tree.compiled()
    tools = [(compiled.index_of(link), T) for link, T in map(job.tool, names)]
    frame = request.header.frame_id or job.settings.frame_prefix + job.robot.tree.base_name
    T_frame_base = inverse(await job.frames.base_from(frame, job.configuration))
    links = T_frame_base @ body_transforms(compiled, job.configuration)
    poses: list[PoseStamped] = []
    for row, T_link_tool in tools:
        job.deadline.check(len(poses), len(tools), "links")
        poses.append(pose_message(links[row] @ T_link_tool, frame))
        poses[-1].header.stamp = request.header.stamp
    response.pose_stamped, response.fk_link_names = poses, names
