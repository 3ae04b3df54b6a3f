"""The joints between two bodies as one flat table for inverse kinematics.

Every motion between the base body and the tip becomes a **step**: a constant transform, then a
rotation about z or a translation along z. Fixed joints are merged into the constant transforms.
Planar joints become two translations and a rotation, floating joints three translations and a
**ball** of three rotations about the axes of a reference rotation. On the way up to a common
ancestor, steps are inverted and have a negative multiplier.
"""

import math
from collections.abc import Collection
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

import rigid_tree_kinematics.ik.chain.layout as layout
import rigid_tree_kinematics.model.columns as columns
from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.errors import ModelError
from rigid_tree_kinematics.model import CompiledTree
from rigid_tree_kinematics.model.compiled import row_transform
from rigid_tree_kinematics.model.joints import FIXED, FLOATING, PLANAR, PRISMATIC
from rigid_tree_kinematics.model.transforms import inverse, rotation_taking_z_to, transform

# An iteration rotates a joint at most this far (rad), so that a descent stays on its branch;
# prismatic joints have no branches and no such limit.
LONGEST_TURN = 1.0
# A prismatic joint without limits is sampled this many units around its home.
UNLIMITED_UNITS = 2.0
RADIANS = 0.5  # of the chain's length (m) is equivalent to a radian
NO_LENGTH = 1e-9  # m; shorter lengths are rounding errors

TURNS_IN_BALL = 3
UNIT_AXES = np.eye(3)


@dataclass(frozen=True, eq=False)
class Chain:
    """The table of a chain; see layout.py."""

    steps: Array  # (k + 1, STEP_COLUMNS)
    variables: Array  # (n, VARIABLE_COLUMNS)
    free_count: int
    ball_count: int
    entries: NDArray[np.int64]  # (n,) configuration index of each variable
    base_row: int
    tip_row: int
    tool: Array  # (4, 4) in the tip body
    reach: float  # m; maximum distance of the tip from ``center``; inf with unlimited translations
    center: Array  # (3,) m, base body's frame: a point before the first motion
    length: float  # m, that joints rotate when the chain is stretched; 1 if there is none

    @property
    def free_entries(self) -> NDArray[np.int64]:
        """The configuration index of each free variable."""
        return self.entries[: self.free_count]

    def variables_near(self, q: Array, step: Array) -> Array:
        """Return the table of variables with limits at most ``step`` (nq,) from q.

        Ball joints are not limited; equivalents by whole turns are excluded.
        """
        variables: Array = self.variables.copy()
        plain = variables[:, layout.BALL] == 0.0
        low = np.maximum(variables[:, layout.LOWER], (q - step)[self.entries])
        high = np.minimum(variables[:, layout.UPPER], (q + step)[self.entries])
        variables[plain, layout.LOWER] = variables[plain, layout.SAMPLE_LOWER] = low[plain]
        variables[plain, layout.UPPER] = variables[plain, layout.SAMPLE_UPPER] = high[plain]
        variables[:, layout.TURN] = 0.0
        variables.flags.writeable = False  # Numba's form of the search takes only such tables
        return variables


@dataclass(frozen=True)
class _Motion:
    """One rotation or translation between two bodies, not yet aligned with z."""

    axis: Array
    slides: bool
    entry: int
    multiplier: float = 1.0
    offset: float = 0.0
    ball: int = 0  # 1, or -1 if it is passed from child to parent


def compile_chain(
    compiled: CompiledTree, body: str, base: str | None, tool: Array, locked: Collection[str]
) -> Chain:
    """Return the chain from ``base`` (None: the root) to ``body`` with ``tool`` at its end.

    Raises UnknownNameError for an unknown body or locked joint, ModelError if nothing between
    the two bodies can move.
    """
    tip_row = compiled.index_of(body)
    base_row = 0 if base is None else compiled.index_of(base)
    locked_entries: set[int] = set()
    for name in locked:
        start, count = compiled.slot_of(name)
        locked_entries.update(range(start, start + count))
    parts = _path(compiled.table, base_row, tip_row)

    entries = list(dict.fromkeys(part.entry for part in parts if isinstance(part, _Motion)))
    fixed = compiled.lower >= compiled.upper
    free = [e for e in entries if e not in locked_entries and not fixed[e]]
    if not free:
        raise ModelError(
            f"robot '{compiled.name}': no joint between '{compiled.body_names[base_row]}' and "
            f"'{body}' can move, so there is nothing to solve for"
        )
    ordered = free + [e for e in entries if e not in free]
    length = _length(parts, tool, free)
    variables, first_variable = _variables(compiled, parts, ordered, RADIANS * length)
    balls = {part.entry for part in parts if isinstance(part, _Motion) and part.ball}
    free_count = sum(TURNS_IN_BALL if e in balls else 1 for e in free)
    steps = _steps(parts, tool, first_variable)
    variables.flags.writeable = False  # steps stay writable: a search through a ball copies them
    reach, center = _reach(steps, variables)
    return Chain(
        steps=steps,
        variables=variables,
        free_count=free_count,
        ball_count=int((np.abs(variables[:, layout.BALL]) == 1).sum()),
        entries=variables[:, layout.ENTRY].astype(np.int64),
        base_row=base_row,
        tip_row=tip_row,
        tool=tool,
        reach=reach,
        center=center,
        length=length,
    )


def _path(table: Array, base_row: int, tip_row: int) -> list[Array | _Motion]:
    """Return the constant transforms and motions from the base to the tip body, in order."""
    above_base = [base_row]
    while above_base[-1] > 0:
        above_base.append(int(table[above_base[-1], columns.PARENT]))
    down = [tip_row]
    while down[-1] not in above_base:
        down.append(int(table[down[-1], columns.PARENT]))
    ancestor = down.pop()
    parts: list[Array | _Motion] = []
    for row in above_base[: above_base.index(ancestor)]:
        parts += [_inverted(part) for part in reversed(_body_parts(table[row]))]
    for row in reversed(down):
        parts += _body_parts(table[row])
    return parts


def _body_parts(row: Array) -> list[Array | _Motion]:
    """Return the transforms and motions between a body's parent and the body."""
    kind, entry = int(row[columns.KIND]), int(row[columns.POSITION])
    before = row_transform(row, columns.FIXED_TRANSFORM)
    after = row_transform(row, columns.CHILD_TRANSFORM)
    if kind == FIXED:
        return [before]
    slides = [_Motion(axis, True, entry + k) for k, axis in enumerate(UNIT_AXES)]
    if kind == PLANAR:
        return [before, *slides[:2], _Motion(UNIT_AXES[2], False, entry + 2), after]
    if kind == FLOATING:
        return [before, *slides, _Motion(UNIT_AXES[2], False, entry + 3, ball=1), after]
    axis = row[columns.AXIS : columns.AXIS + 3]
    scale, offset = row[columns.MULTIPLIER], row[columns.OFFSET]
    return [before, _Motion(axis, kind == PRISMATIC, entry, scale, offset), after]


def _inverted(part: Array | _Motion) -> Array | _Motion:
    if not isinstance(part, _Motion):
        return inverse(part)
    return replace(part, multiplier=-part.multiplier, offset=-part.offset, ball=-part.ball)


def _length(parts: list[Array | _Motion], tool: Array, free: list[int]) -> float:
    """Return the length (m) that free joints rotate when the chain is stretched; 1 for none.

    Neither the travel of prismatic joints nor what is before the first rotation is part of it.
    """
    length, rotates, T = 0.0, False, np.eye(4)
    for part in [*parts, tool, _Motion(UNIT_AXES[0], True, -1)]:
        if not isinstance(part, _Motion):
            T = T @ part
            continue
        length += float(np.linalg.norm(T[:3, 3])) if rotates else 0.0
        rotates = rotates or (not part.slides and part.entry in free)
        T = np.eye(4)
    return length if length > NO_LENGTH else 1.0


def _unit(motions: list[_Motion], radian: float) -> float:
    """Return the change (rad or m) of a variable that is like a radian of an ordinary joint."""
    turns = max((abs(m.multiplier) for m in motions if not m.slides), default=0.0)
    slides = max((abs(m.multiplier) for m in motions if m.slides), default=0.0)
    rate = turns or slides / radian
    return 1.0 / rate if rate else 1.0


def _variables(
    compiled: CompiledTree, parts: list[Array | _Motion], ordered: list[int], radian: float
) -> tuple[Array, dict[int, int]]:
    """Return the table of variables and the first row of each entry.

    ``radian`` (m) is the length equivalent to a radian.
    """
    rows: list[list[float]] = []
    first: dict[int, int] = {}
    for entry in ordered:
        first[entry] = len(rows)
        motions = [p for p in parts if isinstance(p, _Motion) and p.entry == entry]
        if motions[0].ball:
            start = [-np.inf, np.inf, -np.pi, np.pi, entry, 0]
            for number in range(1, TURNS_IN_BALL + 1):
                rows.append([*start, motions[0].ball * number, 0, LONGEST_TURN, 1])
            continue
        low, high = compiled.lower[entry], compiled.upper[entry]
        unit = _unit(motions, radian)
        half = unit * (math.pi if compiled.is_angle[entry] else UNLIMITED_UNITS)
        home = compiled.home[entry]
        sample_low = low if np.isfinite(low) else min(home, high) - half
        sample_high = high if np.isfinite(high) else max(home, low) + half
        longest = np.inf if all(m.slides for m in motions) else LONGEST_TURN
        turns = all(not m.slides and float(m.multiplier).is_integer() for m in motions)
        turn = 2.0 * math.pi if turns else 0.0
        rows.append([low, high, sample_low, sample_high, entry, turn, 0, 0, longest, unit])
    table = np.array(rows, dtype=np.float64)
    balls = np.flatnonzero(np.abs(table[:, layout.BALL]) == 1)
    for number, row in enumerate(balls):
        table[row : row + TURNS_IN_BALL, layout.REFERENCE] = len(table) + 4 * number
    return table, first


def _steps(parts: list[Array | _Motion], tool: Array, first_variable: dict[int, int]) -> Array:
    """Merge the constant transforms and the alignment with z into one row for each motion."""
    rows: list[Array] = []
    before = np.eye(4)

    def add(slides: bool, variable: int, multiplier: float, offset: float) -> None:
        row = np.zeros(layout.STEP_COLUMNS)
        row[layout.BEFORE : layout.BEFORE + 12] = before[:3].ravel()
        row[layout.SLIDES : layout.STEP_OFFSET + 1] = slides, variable, multiplier, offset
        rows.append(row)

    for part in parts:
        if not isinstance(part, _Motion):
            before = before @ part
            continue
        variable, start, reference = first_variable[part.entry], len(rows), before
        for k, axis in enumerate(UNIT_AXES if part.ball else [part.axis]):
            turn = transform(rotation=rotation_taking_z_to(axis))
            before = before @ turn
            scale = 1.0 if part.ball else part.multiplier
            add(part.slides, variable + k, scale, part.offset)
            before = inverse(turn)
        if part.ball:
            rows[start][layout.BALL_BEFORE : layout.BALL_BEFORE + 12] = reference[:3].ravel()
    last = np.zeros(layout.STEP_COLUMNS)
    last[layout.BEFORE : layout.BEFORE + 12] = (before @ tool)[:3].ravel()
    last[layout.VARIABLE] = -1
    return np.array([*rows, last])


def _reach(steps: Array, variables: Array) -> tuple[float, Array]:
    """Return a bound (m) on the tip's distance from the first step's origin, and that origin."""
    center = row_transform(steps[0], layout.BEFORE)[:3, 3]
    reach: float = math.fsum(
        float(np.linalg.norm(row_transform(row, layout.BEFORE)[:3, 3])) for row in steps[1:]
    )
    for row in steps[:-1]:
        if row[layout.SLIDES]:
            limits = np.abs(variables[int(row[layout.VARIABLE]), [layout.LOWER, layout.UPPER]])
            farthest = limits.max() if row[layout.STEP_MULTIPLIER] else 0.0
            reach += abs(row[layout.STEP_MULTIPLIER]) * farthest + abs(row[layout.STEP_OFFSET])
    return reach, center
