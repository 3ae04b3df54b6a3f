"""InverseKinematics: inverse kinematics of one body, for one target or many."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from rigid_tree_kinematics.arrays import Array, Mask
from rigid_tree_kinematics.deadline import Deadline
from rigid_tree_kinematics.errors import ConfigurationError, ModelError, RigidTreeError
from rigid_tree_kinematics.ik.branches import SEPARATION, all_solutions
from rigid_tree_kinematics.ik.chain import IKResult, IKStatus, layout
from rigid_tree_kinematics.ik.search import search_batch
from rigid_tree_kinematics.ik.single import NO_REPORT, Seed, SingleTargetIK
from rigid_tree_kinematics.kinematics.arguments import in_threads
from rigid_tree_kinematics.model import CompiledTree, RigidBodyTree
from rigid_tree_kinematics.model.transforms import Pose, pose_array

if TYPE_CHECKING:
    from rigid_tree_kinematics.description.srdf import Group

# Solving fewer targets takes less time than starting a thread.
TARGETS_WORTH_A_THREAD = 64


@dataclass(frozen=True, eq=False)
class IKBatch:
    """Results for N targets as arrays; iterating or indexing returns IKResults.

    Results are created on demand.
    """

    success: Mask  # (N,)
    configurations: Array  # (N, nq)
    position_errors: Array  # (N,) m
    orientation_errors: Array  # (N,) rad
    seconds: float
    result_of: Callable[[int], IKResult] = field(repr=False)

    def __len__(self) -> int:
        return len(self.success)

    def __getitem__(self, index: int) -> IKResult:
        return self.result_of(range(len(self))[index])

    def __iter__(self) -> Iterator[IKResult]:
        return map(self.result_of, range(len(self)))


class InverseKinematics(SingleTargetIK):
    """Finds the joint positions that bring a body to a pose.

    A solver is immutable and thread-safe. It uses the tree as it was at construction: create a
    new one after an edit.

    Args:
        tree: the robot, or its ``compiled()`` arrays.
        body: name of the body to place.
        base: name of the body in whose frame targets are given; None is the tree's base. Only
            joints between the two bodies move.
        tool: the frame to bring to the target, in the body (4x4); None is the body's own frame.
        weights: of the errors, 3 orientation and 3 position, about and along the axes of the
            *target's* frame. Components with weight zero are ignored, by the search and by the
            tolerances: (0, 0, 0, 1, 1, 1) is position only, (1, 1, 0, 1, 1, 1) leaves the
            rotation about the target's z axis free. For unreachable targets the weights set the
            compromise; a radian is equivalent to half of the length that joints rotate.
        locked: names of joints that keep the seed's positions.
        solver: "lm" (Levenberg-Marquardt) or "bfgs" (BFGS gradient projection).
        position_tolerance: m, of the norm of the position error.
        orientation_tolerance: rad, of the norm of the rotation vector.
        timeout: s, on a steady clock, accurate to about a millisecond. With ``math.inf``, only
            ``max_restarts`` bounds a search, and results do not depend on the machine's load.
        max_restarts: random starts after the first descent, before the target is reported as
            unreachable.
        random_seed: of the restarts; equal seeds give equal results.

    Raises UnknownNameError and ModelError for invalid arguments.

    Example:
        >>> robot = load_robot("ur5")
        >>> ik = InverseKinematics(robot, "tool0", weights=(0, 0, 0, 1, 1, 1))  # position only
        >>> target = robot.get_transform(robot.home_configuration(), "tool0")
        >>> target[2, 3] -= 0.1  # m, down
        >>> q = ik.solve(target).configuration
        >>> print(robot.get_transform(q, "tool0")[:3, 3].round(3), target[:3, 3].round(3))
        [0.487 0.109 0.332] [0.487 0.109 0.332]
    """

    @classmethod
    def of_group(
        cls, tree: RigidBodyTree | CompiledTree, group: Group, **arguments: Any
    ) -> InverseKinematics:
        """Return a solver for the tip of a planning group, which moves only the group's joints.

        ``group`` is one of ``description.read_semantics``; ``arguments`` are further arguments of
        the class. Targets are in the tree's base frame, and all other joints keep the seed's
        positions. Raises ModelError for a group without a tip, and the class's errors.

        Example:
            >>> from rigid_tree_kinematics.description import read_semantics
            >>> robot = load_robot("panda_hand")
            >>> chain = "<chain base_link='panda_link0' tip_link='panda_link8'/>"
            >>> srdf = f"<robot name='panda_hand'><group name='arm'>{chain}</group></robot>"
            >>> arm = read_semantics(srdf, robot).group("arm")
            >>> print(InverseKinematics.of_group(robot, arm, solver="bfgs").body)
            panda_link8
        """
        if not group.tip:
            raise ModelError(f"group '{group.name}' has no tip, such as the end of a chain")
        compiled = tree if isinstance(tree, CompiledTree) else tree.compiled()
        locked = [name for name in compiled.joint_names if name not in group.joints]
        return cls(compiled, group.tip, locked=locked, **arguments)

    def __repr__(self) -> str:
        return (
            f"InverseKinematics('{self.compiled.name}', body '{self.body}' in '{self.base}', "
            f"joints {', '.join(self.joint_names)}; {self.solver})"
        )

    def solve_batch(
        self, targets: Pose, seeds: ArrayLike | None = None, *, threads: int | None = None
    ) -> IKBatch:
        """Solve for many targets, on all cores.

        Args:
            targets: (N, 4, 4), or N poses.
            seeds: (N, nq), or one (nq,) for all; None is the home configuration.
            threads: number of threads; None: one per core.

        Raises ConfigurationError for arrays of another shape. The result of a single invalid
        target or seed has the status INVALID_INPUT.

        Example:
            >>> from rigid_tree_kinematics.kinematics import body_transform
            >>> robot = load_robot("ur5")
            >>> q = np.array([robot.random_configuration(seed) for seed in range(100)])
            >>> targets = body_transform(robot, q, "tool0")  # (100, 4, 4)
            >>> batch = InverseKinematics(robot, "tool0").solve_batch(targets, q + 0.01)
            >>> print(batch.success.sum(), batch.configurations.shape)
            100 (100, 6)
        """
        return _solve_batch(self, targets, seeds, threads)

    def solve_all(
        self,
        target: Pose,
        seed: Seed = None,
        *,
        most: int = 16,
        separation: float = SEPARATION,
        timeout: float | Deadline = 1.0,
    ) -> list[IKResult]:
        """Return distinct solutions, nearest to the seed first; an empty list if there are none.

        Raises the same errors as ``solve``.

        For arms with a closed form (6R with a spherical wrist, or with three parallel axes and
        two that intersect; planar 2R and 3R) these are all branches within the limits. Other arms
        are sampled: this finds all branches of most arms without redundant joints, and some of
        the infinitely many solutions of arms with redundant joints. Every solution is polished
        and checked like one of ``solve``. Of solutions that differ by whole turns only the one
        nearest to the seed is returned.

        Args:
            target: T_base_tool (4x4).
            seed: a configuration, by order or by joint name; None is the home configuration.
            most: maximum number of solutions.
            separation: rad or m; solutions are equal if no joint differs by more.
            timeout: s, or a Deadline, in total.

        Example:
            >>> robot = load_robot("ur5")
            >>> ik = InverseKinematics(robot, "tool0")
            >>> target = robot.get_transform([0.3, -1.2, 1.5, -0.8, 0.9, 0.2], "tool0")
            >>> elbows = [result.configuration[2] for result in ik.solve_all(target)]
            >>> print(len(elbows), np.round(elbows, 2))
            8 [ 1.5   1.47 -1.47  1.38 -1.38 -1.5   1.41 -1.41]
        """
        return all_solutions(self, target, seed, most, separation, timeout)


def _solve_batch(
    ik: SingleTargetIK, targets: Pose, seeds: ArrayLike | None, threads: int | None
) -> IKBatch:
    started = perf_counter()
    T, q = _checked(ik, targets, seeds)
    count = len(T)
    reports = np.empty((count, layout.REPORT))
    starts = q.copy()

    def work_on(first: int, last: int) -> bool:
        work, part = np.empty(ik.work_size), slice(first, last)
        limits = ik.random_seed, ik.max_restarts, ik.budget
        search_batch(ik.arrays(), T[part], q[part], work, *limits, reports[part])
        return True

    in_threads(work_on, count, TARGETS_WORTH_A_THREAD, threads)
    codes = reports[:, layout.CODE].astype(int)
    # Few need the deadline or a reason; the other results are created on demand.
    special = {}
    for k in np.flatnonzero((codes != layout.CONVERGED) & (codes != layout.UNREACHABLE)):
        try:
            result = ik.solve(T[k], starts[k])
        except RigidTreeError as error:  # the other targets have answers
            invalid = IKStatus.INVALID_INPUT, ik.compiled.home.copy(), NO_REPORT
            result = ik.result(*invalid, 0.0, reason=str(error))
        special[int(k)] = result
        q[k] = result.configuration
        reports[k, layout.POSITION_ERROR] = result.position_error
        reports[k, layout.ORIENTATION_ERROR] = result.orientation_error
        codes[k] = layout.CONVERGED if result.success else layout.UNREACHABLE
    success = codes == layout.CONVERGED
    seconds = perf_counter() - started

    def result_of(k: int) -> IKResult:
        if k in special:
            return special[k]
        status = IKStatus.CONVERGED if success[k] else IKStatus.UNREACHABLE
        return ik.result(status, q[k].copy(), reports[k].tolist(), seconds / count, starts[k])

    errors = reports[:, layout.POSITION_ERROR].copy(), reports[:, layout.ORIENTATION_ERROR].copy()
    return IKBatch(success, q, *errors, seconds, result_of)


def _checked(ik: SingleTargetIK, targets: Pose, seeds: ArrayLike | None) -> tuple[Array, Array]:
    try:
        T = pose_array(targets)
        q = np.array(ik.compiled.home if seeds is None else seeds, dtype=np.float64, order="C")
    except (ModelError, TypeError, ValueError) as error:
        raise ConfigurationError(
            f"targets and seeds must be arrays of numbers: {error}"
        ) from error
    if T.ndim != 3 or T.shape[1:] != (4, 4):
        raise ConfigurationError(f"targets must have shape (N, 4, 4), not {T.shape}")
    positions = ik.compiled.position_count
    if q.shape == (positions,):
        q = np.tile(q, (len(T), 1))
    if q.shape != (len(T), positions):
        raise ConfigurationError(
            f"seeds for {len(T)} targets have the shape ({len(T)}, {positions}) or "
            f"({positions},), not {q.shape}"
        )
    return T, q
