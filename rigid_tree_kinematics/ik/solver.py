"""InverseKinematics: inverse kinematics of one body."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike

from rigid_tree_kinematics.deadline import Deadline
from rigid_tree_kinematics.errors import ModelError
from rigid_tree_kinematics.ik.batch import IKBatch, solve_batch
from rigid_tree_kinematics.ik.branches import SEPARATION, all_solutions
from rigid_tree_kinematics.ik.chain import IKResult
from rigid_tree_kinematics.ik.single import Seed, SingleTargetIK
from rigid_tree_kinematics.model import CompiledTree, RigidBodyTree
from rigid_tree_kinematics.model.transforms import Pose

if TYPE_CHECKING:
    from rigid_tree_kinematics.description.srdf import Group


class InverseKinematics(SingleTargetIK):
    """Finds the joint positions that bring a body to a pose.

    An object is immutable and may be used by many threads at once. It belongs to the tree as it
    was when the object was made; make a new one after an edit.

    Args:
        tree: the robot, or its ``compiled()`` arrays.
        body: name of the body to place.
        base: name of the body in whose frame targets are given; None is the tree's base. All
            joints between the two bodies take part, no others.
        tool: the frame to bring to the target, in the body (4x4); None is the body's own frame.
        weights: of the errors, 3 orientation and 3 position, about and along the axes of the
            *target's* frame. Zero means that the component does not count, neither for the
            search nor for the tolerances: (0, 0, 0, 1, 1, 1) is position only, (1, 1, 0, 1, 1, 1)
            leaves the turn about the target's z axis free. Where a target cannot be met the
            weights decide the compromise; a weight of 1 on a radian counts as much as 1 on half
            of the chain's length.
        locked: names of joints to keep where the seed has them.
        solver: "lm" (Levenberg-Marquardt) or "bfgs" (BFGS gradient projection).
        position_tolerance: m, of the norm of the position error.
        orientation_tolerance: rad, of the norm of the rotation vector.
        timeout: s, on a steady clock; kept to about a millisecond. With ``math.inf``, only
            ``max_restarts`` bounds a search, and results do not depend on the machine's load.
        max_restarts: random starts after the first descent, before the target is called
            unreachable.
        random_seed: of the restarts; equal seeds give equal answers.

    Raises UnknownNameError and ModelError for arguments that make no sense.

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

        ``group`` is one of ``description.read_semantics``; ``arguments`` are others of the class.
        Targets are given in the tree's base, and all other joints stay where the seed has them.
        Raises ModelError for a group without a tip, and what the class raises.

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
            threads: how many to use; None: one a core.

        Raises ConfigurationError for arrays of another shape. The result of a single invalid
        target or seed has the status INVALID_INPUT.

        Example:
            >>> robot = load_robot("ur5")
            >>> q = np.array([robot.random_configuration(seed) for seed in range(100)])
            >>> targets = robot.get_transform(q, "tool0")  # (100, 4, 4)
            >>> batch = InverseKinematics(robot, "tool0").solve_batch(targets, q + 0.01)
            >>> print(batch.success.sum(), batch.configurations.shape)
            100 (100, 6)
        """
        return solve_batch(self, targets, seeds, threads)

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

        Invalid arguments raise like those of ``solve``.

        Arms with a closed form (6R with a spherical wrist, or with three parallel axes and two
        that meet; planar 2R and 3R) give all branches that exist inside the limits; others are
        sampled, which finds all branches of most arms without redundant joints, and for those
        with redundant joints some of the infinitely many. Every solution is polished and checked
        like one of ``solve``, and of those that are whole turns apart only the one nearest to
        the seed is returned.

        Args:
            target: T_base_tool (4x4).
            seed: a configuration, by order or by joint name; None is the home configuration.
            most: how many to return at most.
            separation: rad or m; solutions of which no joint differs by more are the same.
            timeout: s, or a Deadline, for all of it.

        Example:
            >>> robot = load_robot("ur5")
            >>> ik = InverseKinematics(robot, "tool0")
            >>> target = robot.get_transform([0.3, -1.2, 1.5, -0.8, 0.9, 0.2], "tool0")
            >>> elbows = [result.configuration[2] for result in ik.solve_all(target)]
            >>> print(len(elbows), np.round(elbows, 2))
            8 [ 1.5   1.47 -1.47  1.38 -1.38 -1.5   1.41 -1.41]
        """
        return all_solutions(self, target, seed, most, separation, timeout)
