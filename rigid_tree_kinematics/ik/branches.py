"""All distinct solutions, by closed form or by sampling, and those without collisions."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.deadline import Deadline
from rigid_tree_kinematics.ik.chain import Chain, IKResult, layout
from rigid_tree_kinematics.ik.closed_forms import Screws, closed_form_angles, planar_2r
from rigid_tree_kinematics.ik.single import Seed, SingleTargetIK
from rigid_tree_kinematics.kinematics.topology import difference
from rigid_tree_kinematics.model.compiled import row_transform
from rigid_tree_kinematics.model.configuration import random_configuration
from rigid_tree_kinematics.model.transforms import (
    Pose,
    axis_angle_matrix,
    checked_pose,
    inverse,
    transform,
)

if TYPE_CHECKING:
    from rigid_tree_kinematics.collision import CollisionChecker

# Rounding of a closed form may exceed a limit slightly; the polish decides.
LIMIT_SLACK = 1e-6
# Sampling ends after this many known solutions in a row: a further branch as easy to find as the
# rarest known one would have been found by then.
FRUITLESS = 60
SEPARATION = 1e-3  # rad or m between distinct solutions
TRIED = 64  # solutions checked, at most, for a collision-free one
FOR_CHECKS = 0.5  # of the time that is left after the first solution


def all_solutions(
    ik: SingleTargetIK,
    target: Pose,
    seed: Seed,
    most: int,
    separation: float,
    timeout: float | Deadline,
    first: IKResult | None = None,
) -> list[IKResult]:
    """Return distinct solutions, nearest to the seed first; ``first`` is ``ik.solve``'s."""
    deadline = Deadline.of(timeout)
    first = first or ik.solve(target, seed, timeout=deadline)
    if not first.success:
        return []
    T = checked_pose(target, "target").copy()
    q_seed = np.clip(ik.start(seed), ik.compiled.lower, ik.compiled.upper)
    candidates = _closed_form(ik, T, q_seed)
    found = [first]
    fruitless = 0
    for q in _samples(ik, q_seed) if candidates is None else candidates:
        result = ik.solve(T, q, max_restarts=0)
        if result.success:
            q = result.configuration
            new = all(_distance(ik, q, known.configuration) > separation for known in found)
            fruitless = 0 if new else fruitless + 1
            if new:
                _bring_near(ik, q, q_seed)
                found.append(result)
        enough = len(found) >= most or fruitless >= FRUITLESS
        if (enough and candidates is None) or deadline.over:
            break
    involved = list(ik.involved)
    found.sort(key=lambda one: float(np.linalg.norm((one.configuration - q_seed)[involved])))
    return found[:most]


def free_solutions(
    solver: SingleTargetIK,
    checker: CollisionChecker,
    target: Pose,
    seed: Seed = None,
    *,
    most: int = 1,
    timeout: float | Deadline = 1.0,
) -> tuple[list[IKResult], str]:
    """Return up to ``most`` free solutions, nearest to the seed first, and a message.

    If ``most`` is 1 and ``solver.solve`` finds a free solution, that one is returned; otherwise
    the solutions of ``solve_all`` are checked. Without any solution the list contains the failed
    result of ``solve``. If all solutions are in collision, the list is empty, and the message
    describes the collision of the first one.

    Args:
        solver: for the checker's robot.
        checker: for the robot in its scene.
        target: T_base_tool (4x4).
        seed: a configuration, by order or by joint name; None is the home configuration.
        most: maximum number of solutions.
        timeout: s, or a Deadline, for searches and checks.

    Raises OutOfTimeError if no solution checked by then is free.

    Example:
        >>> from rigid_tree_kinematics.collision import CollisionChecker, load_scene
        >>> robot = load_robot("panda")
        >>> checker = CollisionChecker(robot, load_scene("panda_pillars"))
        >>> target = robot.get_transform([1.0, 0.3, 0.0, -1.8, 0.0, 2.1, 0.785], "panda_link8")
        >>> solver = InverseKinematics(robot, "panda_link8")
        >>> results, message = free_solutions(solver, checker, target, timeout=10.0)
        >>> [checker.is_free(result.configuration) for result in results]
        [True]
    """
    deadline = Deadline.of(timeout)
    first = solver.solve(target, seed, timeout=deadline)
    if not first.success:
        return [first], ""
    first_free = checker.is_free(first.configuration)
    if first_free and most == 1:
        return [first], ""
    # Checking the solutions takes about as long as finding them.
    searching = deadline.earlier(FOR_CHECKS)
    found = all_solutions(solver, target, seed, max(TRIED, most), SEPARATION, searching, first)
    free: list[IKResult] = []
    for number, result in enumerate(found):
        if len(free) >= most or (deadline.over and (free or first_free)):
            break
        deadline.check(number, len(found), "solutions of inverse kinematics")
        if checker.is_free(result.configuration):
            free.append(result)
    if free or first_free:
        return free or [first], ""
    return [], checker.check(first.configuration).message


def _closed_form(ik: SingleTargetIK, T: Array, q_seed: Array) -> list[Array] | None:
    """Return the closed-form configurations within limits, or None without a closed form."""
    chain = ik.chain
    if not _plain_turns(chain):
        return None
    x = q_seed[chain.entries]
    screws, T_zero = screws_at_zero(chain, x)
    # The closed forms have tolerances in m, for a chain of about 1 m.
    screws = Screws(screws.axes, screws.points / chain.length)
    T_zero, T = _resized(T_zero, chain.length), _resized(T, chain.length)
    near = x[: chain.free_count]
    if chain.free_count == 2 and not ik.weights[:3].any() and screws.parallel(0, 1):
        normal, (o1, o2) = screws.axes[0], screws.points
        sign = 1.0 if normal @ screws.axes[1] > 0.0 else -1.0
        pairs = planar_2r(normal, o1, o2, T_zero[:3, 3], T[:3, 3], near)
        angles = [np.array([a, sign * b]) for a, b in pairs]
    elif ik.weights.all():
        solved = closed_form_angles(screws, T @ inverse(T_zero), near)
        if solved is None:
            return None
        angles = solved
    else:
        return None
    low, high = chain.variables[: chain.free_count, [layout.LOWER, layout.UPPER]].T
    bounds = list(zip(near, low - LIMIT_SLACK, high + LIMIT_SLACK, strict=True))
    inside = []
    for angle in angles:
        wrapped = [_equivalent(value, *at) for value, at in zip(angle, bounds, strict=True)]
        if None not in wrapped:
            q = q_seed.copy()
            q[chain.free_entries] = wrapped
            inside.append(q)
    return inside


def _resized(T: Array, length: float) -> Array:
    """Return a pose with ``length`` (m) as the unit of its position."""
    return transform(T[:3, 3] / length, T[:3, :3])


def _plain_turns(chain: Chain) -> bool:
    """Return whether every free variable rotates exactly one axis by its own value."""
    steps = chain.steps[:-1]
    free = steps[steps[:, layout.VARIABLE] < chain.free_count]
    return (
        len(free) == chain.free_count
        and len(set(free[:, layout.VARIABLE])) == chain.free_count
        and not free[:, layout.SLIDES].any()
        and not chain.variables[:, layout.BALL].any()
        and bool((np.abs(free[:, layout.STEP_MULTIPLIER]) == 1.0).all())
    )


def screws_at_zero(chain: Chain, x: Array) -> tuple[Screws, Array]:
    """Return the axes of the free variables (rotations) and the tip's pose at zero."""
    axes = np.zeros((chain.free_count, 3))
    points = np.zeros((chain.free_count, 3))
    order = []
    T = np.eye(4)
    for row in chain.steps[:-1]:
        T = T @ row_transform(row, layout.BEFORE)
        variable = int(row[layout.VARIABLE])
        locked = variable >= chain.free_count
        value = row[layout.STEP_OFFSET]
        if locked:
            value += row[layout.STEP_MULTIPLIER] * x[variable]
        else:
            order.append(variable)
            axes[len(order) - 1] = row[layout.STEP_MULTIPLIER] * T[:3, 2]
            points[len(order) - 1] = T[:3, 3]
        if row[layout.SLIDES]:
            T = T @ transform((0.0, 0.0, value))
        else:
            T = T @ transform(rotation=axis_angle_matrix((0.0, 0.0, 1.0), value))
    # Free variables are numbered in the order of the chain.
    assert order == sorted(order)
    return Screws(axes, points), T @ row_transform(chain.steps[-1], layout.BEFORE)


def _equivalent(angle: float, near: float, low: float, high: float) -> float | None:
    """Return the equivalent angle within the limits that is nearest to ``near``."""
    turn = 2.0 * math.pi
    value = angle + turn * round((near - angle) / turn)
    # Inside the limits, the nearest is this value or the first one back past the exceeded limit.
    if value < low:
        value += turn * math.ceil((low - value) / turn)
    elif value > high:
        value -= turn * math.ceil((value - high) / turn)
    return value if low <= value <= high else None


def _samples(ik: SingleTargetIK, q_seed: Array) -> Iterator[Array]:
    """Yield random starts within the limits, indefinitely."""
    rng = np.random.default_rng(ik.random_seed)
    rows = ik.chain.variables[: ik.chain.free_count]
    # The three rotations of a ball joint refer to the start of its quaternion.
    free = {
        int(row[layout.ENTRY]) + k for row in rows for k in range(4 if row[layout.BALL] else 1)
    }
    while True:
        q = q_seed.copy()
        q[list(free)] = random_configuration(ik.compiled, rng)[list(free)]
        yield q


def _bring_near(ik: SingleTargetIK, q: Array, q_seed: Array) -> None:
    """Replace angles by the equivalents nearest to the seed's within the limits, in place."""
    for variable in ik.chain.variables[: ik.chain.free_count]:
        entry, (low, high) = int(variable[layout.ENTRY]), variable[:2]
        if variable[layout.TURN]:
            value = _equivalent(q[entry], q_seed[entry], low, high)
            q[entry] = q[entry] if value is None else value


def _distance(ik: SingleTargetIK, one: Array, other: Array) -> float:
    """Return the largest difference (rad, m) of two solutions, ignoring whole turns."""
    rows = ik.chain.variables[: ik.chain.free_count]
    plain = rows[:, layout.BALL] == 0
    entries = ik.chain.free_entries
    apart = (one - other)[entries[plain]]
    wrapped = np.mod(apart + math.pi, 2.0 * math.pi) - math.pi
    differences = np.abs(np.where(rows[plain, layout.TURN] != 0.0, wrapped, apart))
    largest = float(differences.max(initial=0.0))
    change = difference(ik.compiled.position_kinds, one, other)
    for start in entries[np.abs(rows[:, layout.BALL]) == 1]:
        largest = max(largest, float(np.linalg.norm(change[start : start + 3])))
    return largest
