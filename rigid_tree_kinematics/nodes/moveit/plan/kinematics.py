"""compute_ik and compute_fk."""

from __future__ import annotations

import numpy as np
from geometry_msgs.msg import PoseStamped
from moveit_msgs.msg import MoveItErrorCodes, PositionIKRequest, RobotState
from moveit_msgs.srv import GetPositionFK

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.collision import Scene
from rigid_tree_kinematics.description.srdf import Group
from rigid_tree_kinematics.errors import OutOfTimeError
from rigid_tree_kinematics.ik import (
    Constraint,
    ConstraintSet,
    IKStatus,
    InverseKinematics,
    PoseTarget,
    projected_solutions,
)
from rigid_tree_kinematics.kinematics import body_transforms
from rigid_tree_kinematics.model.transforms import inverse
from rigid_tree_kinematics.nodes.ik import (
    ALL_WEIGHTS,
    MOST_BODIES,
    IkSettings,
    Problem,
    Query,
    solve,
)
from rigid_tree_kinematics.nodes.moveit.messages import (
    MOST_CONSTRAINTS,
    BaseFrames,
    ConstraintReader,
    MoveItError,
    MoveItRobot,
    refusing,
    robot_state,
)
from rigid_tree_kinematics.nodes.tf import Target, pose_message, read_target

INVALID = MoveItErrorCodes.INVALID_GOAL_CONSTRAINTS
EXACT = 1e-6  # m, rad; poses are met to within so much
BEGINNINGS = 64  # solutions for the first pose
MOST_SOLUTIONS = 16  # looked at for one that touches nothing


async def solve_ik(
    request: PositionIKRequest, robot: MoveItRobot, scene: Scene, frames: BaseFrames
) -> RobotState:
    """Return the state that brings a link to a pose; MoveItError, UnknownFrameError."""
    group = robot.group(request.group_name)
    start = robot.start(request.robot_state)
    reader = ConstraintReader(robot, group, start, frames, moving_frames=True, code=INVALID)
    constraints = await reader.read(request.constraints)
    if constraints or request.pose_stamped_vector:
        return await _solve_together(request, robot, group, start, scene, frames, constraints)
    link = robot.link(request.ik_link_name, group)
    settings = IkSettings()
    problem = Problem(
        body=link,
        base=robot.tree.base_name,
        weights=ALL_WEIGHTS,
        locked=robot.standing(group),
        position_tolerance=settings.position_tolerance,
        orientation_tolerance=settings.orientation_tolerance,
    )
    with refusing(INVALID):
        target = read_target(request.pose_stamped, "pose_stamped")
    T_base_target = await frames.base_from(target.frame, start) @ target.pose
    checker = robot.checkers.checker(scene) if request.avoid_collisions else None
    query = Query(
        problem=problem,
        target=Target(T_base_target, "", target.stamp),
        start=start,
        timeout=frames.deadline.limit,
        max_solutions=1,
    )
    with refusing(INVALID):
        found = solve(query, T_base_target, robot.ik, frames.deadline, checker)
    if not found.results:
        raise MoveItError(
            MoveItErrorCodes.NO_IK_SOLUTION,
            f"every solution found touches something: {found.blocked}",
        )
    first = found.results[0]
    if not first.success:
        late = first.status is IKStatus.OUT_OF_TIME
        code = MoveItErrorCodes.TIMED_OUT if late else MoveItErrorCodes.NO_IK_SOLUTION
        raise MoveItError(code, first.message)
    return robot_state(robot, first.configuration)


async def _solve_together(
    request: PositionIKRequest,
    robot: MoveItRobot,
    group: Group,
    start: Array,
    scene: Scene,
    frames: BaseFrames,
    constraints: list[Constraint],
) -> RobotState:
    """Return a state that brings several links to poses, or one while constraints are met."""
    deadline = frames.deadline
    poses = list(request.pose_stamped_vector) or [request.pose_stamped]
    names = list(request.ik_link_names) if request.pose_stamped_vector else [request.ik_link_name]
    if len(names) != len(poses):
        raise MoveItError(INVALID, f"{len(poses)} poses of {len(names)} ik_link_names")
    if len(poses) > MOST_CONSTRAINTS:
        raise MoveItError(INVALID, f"{len(poses)} poses, more than {MOST_CONSTRAINTS}")
    wanted: list[PoseTarget] = []
    for pose, name in zip(poses, names, strict=True):
        with refusing(INVALID):
            target = read_target(pose, "pose_stamped")
        T_base_target = await frames.base_from(target.frame, start) @ target.pose
        wanted.append(PoseTarget(robot.link(name, group), T_base_target))
    with refusing(INVALID):
        held = ConstraintSet(
            robot.tree.compiled(), [*wanted, *constraints], robot.standing(group), tightest=EXACT
        )
    checker = robot.checkers.checker(scene) if request.avoid_collisions else None
    most = 1 if checker is None else MOST_SOLUTIONS
    # What meets the first pose is a better beginning than what meets nothing.
    first = wanted[0]
    solver = InverseKinematics(robot.tree, first.body, locked=robot.standing(group))
    others = solver.solve_all(first.target, start, most=BEGINNINGS, timeout=deadline.earlier(0.5))
    found = projected_solutions(
        held,
        start,
        most=most,
        timeout=deadline,
        others=[np.array(result.configuration) for result in others],
    )
    if not found:
        if deadline.over:
            raise OutOfTimeError(deadline.why(f"before any solution met {len(wanted)} poses"))
        raise MoveItError(
            MoveItErrorCodes.NO_IK_SOLUTION,
            f"no solution meets all; the start state does not: {held.why(start)}",
        )
    for number, q in enumerate(found):
        if number:
            deadline.check(number, len(found), "solutions looked at for collisions")
        if checker is None or checker.is_free(q):
            return robot_state(robot, q)
    assert checker is not None
    raise MoveItError(
        MoveItErrorCodes.NO_IK_SOLUTION,
        f"every solution found touches something: {checker.check(found[0]).message}",
    )


async def answer_fk(
    request: GetPositionFK.Request,
    robot: MoveItRobot,
    frames: BaseFrames,
    prefix: str,
    response: GetPositionFK.Response,
) -> None:
    """Fill in where links are; MoveItError, UnknownFrameError."""
    count = len(request.fk_link_names)
    if not 0 < count <= MOST_BODIES:
        raise MoveItError(
            MoveItErrorCodes.INVALID_LINK_NAME,
            f"fk_link_names has {count:,} names; 1 to {MOST_BODIES:,} are answered",
        )
    with refusing(MoveItErrorCodes.INVALID_LINK_NAME):
        compiled = robot.tree.compiled()
        names = list(request.fk_link_names)
        rows = [compiled.index_of(name) for name in names]
    q = robot.start(request.robot_state)
    frame = request.header.frame_id or prefix + robot.tree.base_name
    T_frame_base = inverse(await frames.base_from(frame, q))
    links = T_frame_base @ body_transforms(compiled, q)
    poses: list[PoseStamped] = []
    for row in rows:
        frames.deadline.check(len(poses), count, "links")
        poses.append(pose_message(links[row], frame))
        poses[-1].header.stamp = request.header.stamp
    response.pose_stamped = poses
    response.fk_link_names = names
