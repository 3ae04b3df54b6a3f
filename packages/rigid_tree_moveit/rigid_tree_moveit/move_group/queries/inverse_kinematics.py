"""Requests for inverse kinematics."""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from geometry_msgs.msg import PoseStamped
from moveit_msgs.msg import MoveItErrorCodes as Codes
from moveit_msgs.msg import PositionIKRequest

from rigid_tree_kinematics import ik
from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.collision import CollisionChecker
from rigid_tree_kinematics.errors import OutOfTimeError
from rigid_tree_kinematics.nodes.scene import placed_pose
from rigid_tree_moveit.move_group import messages
from rigid_tree_moveit.move_group.codes import MoveItError, error_code
from rigid_tree_moveit.move_group.robot import PlanningContext

INVALID = Codes.INVALID_GOAL_CONSTRAINTS
NO_SOLUTION = Codes.NO_IK_SOLUTION
EXACT = 1e-6  # m, rad; tolerance of poses
MOST_SOLUTIONS = 64  # checked for collisions


@dataclass(frozen=True, eq=False)
class IkQuery:
    """A request for a configuration with links at poses that satisfies constraints."""

    context: PlanningContext
    targets: list[ik.PoseTarget]
    constraints: list[ik.Constraint]
    avoid_collisions: bool

    def solve(self) -> Array:
        """Return a configuration (nq,); MoveItError or OutOfTimeError without one."""
        if len(self.targets) == 1 and not self.constraints:
            return self._solve_pose(self.targets[0])
        return self._solve_all()

    @property
    def _checker(self) -> CollisionChecker | None:
        return self.context.checker if self.avoid_collisions else None

    def _solve_pose(self, target: ik.PoseTarget) -> Array:
        """Return a solution of one pose, or of its position only."""
        context, pose = self.context, np.asarray(target.target)
        start, limit = context.start, context.deadline
        tool = tuple(map(tuple, np.asarray(target.tool).tolist()))
        solver = context.robot.ik_solver(
            target.body, locked=context.locked, tool=tool, weights=context.weights
        )
        with error_code(INVALID):
            if (checker := self._checker) is not None:
                results, blocked = ik.free_solutions(solver, checker, pose, start, timeout=limit)
            else:
                results, blocked = [solver.solve(pose, start, timeout=limit)], ""
        if not results:
            raise MoveItError(NO_SOLUTION, f"every solution found is in collision: {blocked}")
        first = results[0]
        if not first.success:
            late = first.status is ik.IKStatus.OUT_OF_TIME
            raise MoveItError(Codes.TIMED_OUT if late else NO_SOLUTION, first.message)
        return first.configuration

    def _solve_all(self) -> Array:
        """Return a solution of several poses, or of a pose and constraints."""
        context, checker = self.context, self._checker
        targets: Sequence[ik.Constraint] = self.targets
        if context.position_only:
            targets = [_position(target) for target in self.targets]
        with error_code(INVALID):
            wanted = ik.ConstraintSet(
                context.robot.tree.compiled(),
                [*targets, *self.constraints],
                context.locked,
                tightest=EXACT,
            )
        blocked = None
        found = ik.each_solution(wanted, context.start, timeout=context.deadline)
        for q in itertools.islice(found, MOST_SOLUTIONS):
            if checker is None or checker.is_free(q):
                return q
            blocked = q if blocked is None else blocked
        if blocked is None:
            if context.deadline.over:
                reason = f"before any solution satisfied {len(targets)} poses"
                raise OutOfTimeError(context.deadline.why(reason))
            reason = f"no solution satisfies all; the start state: {wanted.why(context.start)}"
            raise MoveItError(NO_SOLUTION, reason)
        message = context.checker.check(blocked).message
        raise MoveItError(NO_SOLUTION, f"every solution found is in collision: {message}")


async def read_ik(request: PositionIKRequest, context: PlanningContext) -> IkQuery:
    """Return a request of compute_ik; raises MoveItError, UnknownFrameError."""
    constraints = await messages.read_constraints(request.constraints, context, INVALID)
    poses, names = [request.pose_stamped], [request.ik_link_name]
    if request.pose_stamped_vector:
        poses, names = request.pose_stamped_vector, request.ik_link_names
    if len(names) != len(poses):
        raise MoveItError(INVALID, f"{len(poses)} poses, but {len(names)} ik_link_names")
    if len(poses) > messages.MOST_CONSTRAINTS:
        reason = f"{len(poses)} poses, more than {messages.MOST_CONSTRAINTS}"
        raise MoveItError(INVALID, reason)
    targets = [await _target(context, *row) for row in zip(names, poses, strict=True)]
    return IkQuery(context, targets, constraints, request.avoid_collisions)


async def _target(context: PlanningContext, name: str, pose: PoseStamped) -> ik.PoseTarget:
    """Return the pose of a link at which the named frame is at a pose."""
    with error_code(INVALID):
        T_frame_target = placed_pose(pose.pose, "pose_stamped.pose")
    T_base_frame = await context.frames.base_from(pose.header.frame_id, context.start)
    link, T_link_tool = context.tool(name)
    return ik.PoseTarget(link, T_base_frame @ T_frame_target, tool=T_link_tool)


def _position(target: ik.PoseTarget) -> ik.PositionTarget:
    T_base_tool, T_link_tool = np.asarray(target.target), np.asarray(target.tool)
    place, point = T_base_tool[:3, 3].tolist(), T_link_tool[:3, 3].tolist()
    return ik.PositionTarget(target.body, place, point=point)
