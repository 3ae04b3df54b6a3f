"""Sequences of motions, with or without stops in between.

A blend is that of Pilz' industrial motion planner: within a sphere around the end of the first
motion, the tool changes from one motion to the other while both continue, weighted by a quintic.
It is described in the paper in the planner's source ("Motion blend algorithm").
"""

import math

import numpy as np

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.collision import CollisionChecker
from rigid_tree_kinematics.deadline import Deadline
from rigid_tree_kinematics.errors import PlanningError
from rigid_tree_kinematics.ik import InverseKinematics
from rigid_tree_kinematics.kinematics import body_transform
from rigid_tree_kinematics.model import CompiledTree
from rigid_tree_kinematics.model.transforms import axis_angle_matrix, rotation_log
from rigid_tree_kinematics.planning.problem import Trajectory
from rigid_tree_kinematics.planning.timing import states_at
from rigid_tree_kinematics.planning.tool.pose_following import LONGEST_JUMP

BLEND_STEP = 0.005  # s between points of a blend
FEWEST_STEPS = 12
CHECK_STEP = 0.002  # s, between checks where a motion enters the sphere
MOST_CHECKS = 50_000
BISECTIONS = 30
SHORTEST = 1e-4  # s, of a motion's part beside a blend


def joined(first: Trajectory, second: Trajectory) -> Trajectory:
    """Return two motions in sequence; the second starts at rest where the first ends.

    Example:
        >>> planner = MotionPlanner(load_robot("ur5"))
        >>> home = planner.compiled.home
        >>> there = planner.plan(home, home + 0.3).trajectory
        >>> back = planner.plan(home + 0.3, home).trajectory
        >>> print(there.times[-1].round(2), joined(there, back).times[-1].round(2))  # s
        0.49 0.99
    """
    times = first.times[-1] + second.times[1:]
    return Trajectory(
        np.append(first.times, times),
        np.vstack((first.positions, second.positions[1:])),
        np.vstack((first.velocities, second.velocities[1:])),
        np.vstack((first.accelerations, second.accelerations[1:])),
    )


def distance_between_ends(
    compiled: CompiledTree, body: str, first: Trajectory, second: Trajectory
) -> float:
    """Return the distance, m, of a body's origin between the ends of two motions.

    Example:
        >>> planner = MotionPlanner(load_robot("ur5"))
        >>> home = planner.compiled.home
        >>> first = planner.plan(home, home + 0.3).trajectory
        >>> second = planner.plan(home + 0.3, home).trajectory
        >>> print(round(distance_between_ends(planner.compiled, "tool0", first, second), 3))
        0.334
    """
    ends = np.stack([first.positions[-1], second.positions[-1]])
    corners = body_transform(compiled, ends, body)[:, :3, 3]
    return float(np.linalg.norm(corners[1] - corners[0]))


def blended(
    solver: InverseKinematics,
    checker: CollisionChecker,
    first: Trajectory,
    second: Trajectory,
    radius: float,
    deadline: Deadline,
) -> Trajectory:
    """Return two motions blended within ``radius`` (m) of the corner.

    ``solver`` is the tool's. The result may be too fast in the sphere, see ``eased``. Raises
    PlanningError if a whole motion is in the sphere, or if the blend has no joint positions or is
    in collision; OutOfTimeError at the deadline.

    Example:
        >>> from rigid_tree_kinematics.deadline import Deadline
        >>> planner = MotionPlanner(load_robot("ur5"))
        >>> home = planner.compiled.home
        >>> first = planner.plan(home, home + 0.3).trajectory
        >>> second = planner.plan(home + 0.3, home + [0.8, 0.3, 0.3, 0.3, 0.3, 0.3]).trajectory
        >>> solver = exact_solver(planner.compiled, "tool0")
        >>> motion = blended(solver, planner.checker, first, second, 0.05, Deadline(10.0))
        >>> print((first.times[-1] + second.times[-1]).round(2), motion.times[-1].round(2))  # s
        1.13 0.99
    """
    corner = body_transform(solver.compiled, second.positions[0], solver.body)[:3, 3]
    leave = _crossing(solver, first, corner, radius, backwards=True)
    meet = _crossing(solver, second, corner, radius, backwards=False)
    if leave is None or meet is None:
        which = "before" if leave is None else "after"
        raise PlanningError(
            f"blend_radius {radius:g} m is too large: the whole motion {which} "
            "the corner is within that radius"
        )
    rest = float(first.times[-1]) - leave
    duration = max(rest, meet)
    offset = max(0.0, rest - meet)  # of the second motion, in the blend
    count = max(FEWEST_STEPS, math.ceil(duration / BLEND_STEP))
    shares = np.arange(count + 1) / count
    at_first, at_second = leave + shares * duration, shares * duration - offset
    rows = states_at(first, at_first)[0], states_at(second, at_second)[0]
    blend = _blend(solver, checker, *rows, deadline)
    from scipy.interpolate import CubicSpline

    curve = CubicSpline(leave + shares * duration, blend)
    q, v, a = blend, curve(curve.x, 1), curve(curve.x, 2)
    # The ends are states of the two motions.
    for row, (trajectory, time) in ((0, (first, leave)), (-1, (second, meet))):
        q[[row]], v[[row]], a[[row]] = states_at(trajectory, np.array([time]))
    before = first.times < leave - SHORTEST
    after = second.times > meet + SHORTEST
    late = leave + duration + second.times[after] - meet
    return Trajectory(
        np.concatenate((first.times[before], curve.x, late)),
        np.vstack((first.positions[before], q, second.positions[after])),
        np.vstack((first.velocities[before], v, second.velocities[after])),
        np.vstack((first.accelerations[before], a, second.accelerations[after])),
    )


def _crossing(
    solver: InverseKinematics,
    trajectory: Trajectory,
    corner: Array,
    radius: float,
    *,
    backwards: bool,
) -> float | None:
    """Return when the tool crosses the sphere, nearest to the corner in time, or None."""

    def outside(times: Array) -> Array:
        q = np.ascontiguousarray(states_at(trajectory, times)[0])
        places = body_transform(solver.compiled, q, solver.body)[:, :3, 3]
        beyond: Array = np.linalg.norm(places - corner, axis=1) >= radius
        return beyond

    end = float(trajectory.times[-1])
    times = np.linspace(0.0, end, min(max(2, math.ceil(end / CHECK_STEP)), MOST_CHECKS))
    if backwards:
        times = times[::-1]
    found = np.flatnonzero(outside(times))
    if not len(found):
        return None
    inner, outer = float(times[max(0, found[0] - 1)]), float(times[found[0]])
    for _ in range(BISECTIONS):
        middle = 0.5 * (inner + outer)
        if outside(np.array([middle]))[0]:
            outer = middle
        else:
            inner = middle
    return outer


def _blend(
    solver: InverseKinematics,
    checker: CollisionChecker,
    first: Array,
    second: Array,
    deadline: Deadline,
) -> Array:
    """Return configurations (k, nq) that blend the first motion into the second."""
    poses = [
        body_transform(solver.compiled, np.ascontiguousarray(rows), solver.body)
        for rows in (first, second)
    ]
    path: list[Array] = []
    for k, share in enumerate(np.linspace(0.0, 1.0, len(first))):
        deadline.check(k, len(first), "points of a blend")
        weight = share**3 * (10.0 + share * (6.0 * share - 15.0))
        # Inverse kinematics changes the blended joint positions as little as possible, so that
        # redundant joints are blended, too, and both ends are unchanged.
        seed = first[k] + weight * (second[k] - first[k])
        pose = _between(poses[0][k], poses[1][k], weight)
        found = solver.solve(pose, seed, max_step=LONGEST_JUMP, max_restarts=0)
        q = np.array(found.configuration)
        if not found.success or (path and np.abs(q - path[-1]).max() > LONGEST_JUMP):
            raise PlanningError("the blend has no joint positions: choose a smaller blend_radius")
        contact = checker.motion_contact(path[-1], q) if path else None
        if contact is not None:
            pair = f"'{contact.first}' touches '{contact.second}'"
            raise PlanningError(f"in the blend {pair}: choose a smaller blend_radius")
        path.append(q)
    return np.array(path)


def _between(first: Array, second: Array, weight: float) -> Array:
    """Return the interpolation of two poses at ``weight``."""
    pose = np.array(first)
    pose[:3, 3] += weight * (second[:3, 3] - first[:3, 3])
    rotation = rotation_log(first[:3, :3].T @ second[:3, :3])
    angle = float(np.linalg.norm(rotation))
    if angle > 0.0:
        pose[:3, :3] @= axis_angle_matrix(rotation / angle, weight * angle)
    return pose
