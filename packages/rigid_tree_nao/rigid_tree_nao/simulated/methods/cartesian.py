"""Cartesian motion of effectors: inverse kinematics of NAO's chains, and paths of poses."""

from collections.abc import Sequence

import numpy as np
from scipy.spatial.transform import Rotation, Slerp

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.ik import InverseKinematics
from rigid_tree_kinematics.model.transforms import inverse
from rigid_tree_nao import model as nao
from rigid_tree_nao.errors import NaoError, unknown_name

TOLERANCE = 1e-5  # m and rad
# Axis masks.
POSITION, ROTATIONS, WHOLE_POSE = 7, 56, 63
WHOLE_MASKS = (POSITION, ROTATIONS, WHOLE_POSE)  # these do not depend on the axes' directions


class CartesianSolver:
    """Finds joint angles for poses of effectors, nearest to given angles.

    Unreachable poses, which are common for arms with five joints, are approximated. Both legs
    move the torso while the feet are fixed.
    """

    def __init__(self, model: nao.NaoMotionModel) -> None:
        self._model = model
        self._compiled = model.body.free_tree.compiled()
        self._solvers: dict[tuple[str, int, bool], InverseKinematics] = {}

    def angles(
        self, effector: str, space: int, target: Array, mask: int, start: Array
    ) -> dict[str, float]:
        """Return joint -> angle (rad) for an effector's pose (4x4) in ALMotion's ``space``.

        ``mask`` is ALMotion's axis mask, along and about the axes of the space; the search starts
        at the angles ``start`` (order of "Body"). Raises NaoError for an unknown effector, space
        or mask, and for the torso in its own space.
        """
        if effector == "Torso":
            if space == nao.SPACE_TORSO:
                raise NaoError("the torso cannot move in its own space")
            return self._move_torso(space, target, mask, start)
        if effector not in nao.CHAINS:
            raise unknown_name("effector", effector, (*nao.CHAINS, "Torso"))
        T_space_torso = self._model.pose("Torso", space, False)
        goal = inverse(T_space_torso) @ target
        if mask in WHOLE_MASKS:
            return self._solved(effector, goal, mask, start)
        # The solver's weights act along the target's axes, which a tool turns to the space's.
        tool = np.eye(4)
        tool[:3, :3] = target[:3, :3].T
        return self._solved(
            effector, goal @ tool, mask, start, tool=tool if mask & ROTATIONS else None
        )

    def _move_torso(self, space: int, target: Array, mask: int, start: Array) -> dict[str, float]:
        model = self._model
        present = model.pose("Torso", space, False)
        T_world_space = model.pose("Torso", nao.SPACE_WORLD, False) @ inverse(present)
        # axis_weights are orientation first. The feet stay: only the torso has free axes.
        is_wanted = np.roll(nao.axis_weights(mask), 3) > 0.0
        goal6d = np.where(is_wanted, nao.position6d(target), nao.position6d(present))
        T_torso_world = inverse(T_world_space @ nao.pose_of(goal6d.tolist()))
        angles: dict[str, float] = {}
        for foot in nao.FEET:
            goal = T_torso_world @ model.pose(foot, nao.SPACE_WORLD, False)
            angles |= self._solved(foot, goal, WHOLE_POSE, start, leads=foot == nao.FEET[0])
            start = start.copy()
            # One motor moves both hips: the right leg keeps the angle of the left one.
            start[model.body.index[nao.RIGHT_HIP]] = angles[f"{nao.FEET[0][0]}HipYawPitch"]
        return angles

    def _solved(
        self,
        chain: str,
        target: Array,
        mask: int,
        start: Array,
        leads: bool = True,
        tool: Array | None = None,
    ) -> dict[str, float]:
        solver = self._solver(chain, mask, leads, tool)
        body = self._model.body
        q = solver.solve(target, body.configuration(start), max_restarts=0).configuration
        names = self._compiled.joint_names
        solved = dict(zip(names, map(float, q), strict=True))
        return {name: solved[name] for name in body.chains[chain] if name not in body.hands}

    def _solver(self, chain: str, mask: int, leads: bool, tool: Array | None) -> InverseKinematics:
        key = chain, mask, leads
        if tool is not None or key not in self._solvers:
            self._solvers[key] = InverseKinematics(
                self._compiled,
                chain,
                "torso",
                tool=tool,
                weights=nao.axis_weights(mask),
                locked=() if leads else (nao.RIGHT_HIP,),
                position_tolerance=TOLERANCE,
                orientation_tolerance=TOLERANCE,
            )
        return self._solvers[key]


def path_poses(
    poses: Sequence[Array], knots: Sequence[float], times: Sequence[float]
) -> list[Array]:
    """Return the poses (4x4) at ``times`` (s) on the path through ``poses`` at ``knots`` (s).

    Positions are interpolated linearly, rotations spherically; times outside are clamped.
    """
    at, given = np.clip(times, knots[0], knots[-1]), np.array(poses)
    result = np.tile(np.eye(4), (len(at), 1, 1))
    for axis in range(3):
        result[:, axis, 3] = np.interp(at, knots, given[:, axis, 3])
    result[:, :3, :3] = Slerp(knots, Rotation.from_matrix(given[:, :3, :3]))(at).as_matrix()
    return list(result)
