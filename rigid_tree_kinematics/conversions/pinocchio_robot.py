"""Pinocchio's model of a tree, with conversions of configurations and velocities."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.description import write_urdf
from rigid_tree_kinematics.errors import ConfigurationError
from rigid_tree_kinematics.model import CompiledTree, RigidBodyTree
from rigid_tree_kinematics.model.joints import resolve_mimic
from rigid_tree_kinematics.model.transforms import inverse, rotation_taking_z_to, transform
from rigid_tree_kinematics.needed_packages import needs

if TYPE_CHECKING:
    import pinocchio

PLAIN, CIRCLE, PLANAR = range(3)  # Pinocchio's representation of a joint's positions


@dataclass(frozen=True)
class _Part:
    """A joint of Pinocchio's model and the independent joint of the tree that moves it."""

    kind: int
    ours: slice  # in the tree's configuration
    theirs: slice
    our_rates: slice
    their_rates: slice
    multiplier: float
    offset: float
    follows: bool  # a mimic joint


@dataclass(frozen=True, eq=False)
class PinocchioRobot:
    """Pinocchio's model of a tree, with conversions of configurations and velocities.

    Pinocchio's joints have another order; angles of continuous and planar joints are (cos, sin),
    planar velocities are in the moving frame, and mimic joints have positions and velocities.

    Example:
        >>> tree = load_robot("double_pendulum")
        >>> robot = to_pinocchio(tree)
        >>> q = robot.configuration([0.5, 0.0])  # cosine and sine for each continuous joint
        >>> print(q.round(3), robot.tree_configuration(q))
        [0.878 0.479 1.    0.   ] [0.5 0. ]
    """

    model: pinocchio.Model
    _compiled: CompiledTree
    _parts: tuple[_Part, ...]

    def configuration(self, q: ArrayLike) -> Array:
        """Return Pinocchio's configuration (..., model.nq) from the tree's (..., nq)."""
        ours = self._checked(q, self._compiled.position_count, "configuration")
        theirs = np.zeros((*ours.shape[:-1], self.model.nq))
        for part in self._parts:
            values = part.multiplier * ours[..., part.ours] + part.offset
            theirs[..., part.theirs] = values if part.kind == PLAIN else _split(values)
        return theirs

    def tree_configuration(self, theirs: ArrayLike) -> Array:
        """Return the tree's configuration (..., nq) from Pinocchio's (..., model.nq).

        Angles of (cos, sin) are in [-pi, pi); positions of mimic joints are ignored.
        """
        values = self._checked(theirs, self.model.nq, "configuration of Pinocchio")
        ours = np.zeros((*values.shape[:-1], self._compiled.position_count))
        for part in self._parts:
            if not part.follows:
                found = values[..., part.theirs]
                ours[..., part.ours] = found if part.kind == PLAIN else _joined(found)
        return ours

    def velocity_matrix(self, q: ArrayLike) -> Array:
        """Return M (..., model.nv, nv), with Pinocchio's velocities = M @ the tree's.

        Jacobians J and mass matrices H of Pinocchio become the tree's: ``J @ M``, ``M.T @ H @ M``.
        """
        ours = self._checked(q, self._compiled.position_count, "configuration")
        shape = (*ours.shape[:-1], self.model.nv, self._compiled.velocity_count)
        matrix = np.zeros(shape)
        for part in self._parts:
            block = matrix[..., part.their_rates, part.our_rates]
            for k in range(block.shape[-1]):
                block[..., k, k] = part.multiplier
            if part.kind == PLANAR:
                angle = ours[..., part.ours.stop - 1]
                cosine, sine = np.cos(angle), np.sin(angle)
                block[..., 0, 0], block[..., 0, 1] = cosine, sine
                block[..., 1, 0], block[..., 1, 1] = -sine, cosine
        return matrix

    def _checked(self, values: ArrayLike, count: int, what: str) -> Array:
        array = np.asarray(values, dtype=np.float64)
        if array.ndim == 0 or array.shape[-1] != count:
            raise ConfigurationError(f"a {what} has {count} numbers, not shape {array.shape}")
        return array


def to_pinocchio(tree: RigidBodyTree) -> PinocchioRobot:
    """Return Pinocchio's model of a tree, from its URDF, with its gravity and armatures.

    Frames have the names of bodies and joints. Mimic joints are free joints that ``configuration``
    sets. The home positions are the reference configuration "home". Raises MissingPackageError
    without Pinocchio.

    Example:
        >>> import pinocchio
        >>> robot = load_robot("ur5")
        >>> theirs = to_pinocchio(robot)
        >>> q = robot.home_configuration()
        >>> M = pinocchio.crba(theirs.model, theirs.model.createData(), theirs.configuration(q))
        >>> M.shape
        (6, 6)
    """
    with needs("pinocchio", "Pinocchio's model", "pip install pin"):
        import pinocchio

    model = pinocchio.buildModelFromXML(write_urdf(_for_urdf(tree)))
    model.gravity.linear = tree.gravity
    compiled = tree.compiled()
    joints = {joint.name: joint for joint in tree.joints}
    parts = []
    for joint in joints.values():
        if count := joint.position_count:
            source, multiplier, offset = resolve_mimic(joint, joints, tree.name)
            at = model.joints[model.getJointId(joint.name)]
            ours, our_rates = compiled.windows(source.name)
            model.armature[at.idx_v : at.idx_v + at.nv] = joint.armature
            parts.append(
                _Part(
                    PLAIN if at.nq == count else CIRCLE if count == 1 else PLANAR,
                    ours,
                    slice(at.idx_q, at.idx_q + at.nq),
                    our_rates,
                    slice(at.idx_v, at.idx_v + at.nv),
                    multiplier,
                    offset,
                    joint.mimic is not None,
                )
            )
    robot = PinocchioRobot(model, compiled, tuple(parts))
    model.referenceConfigurations["home"] = robot.configuration(compiled.home)
    return robot


def _for_urdf(tree: RigidBodyTree) -> RigidBodyTree:
    """Return a copy with the default gravity, whose planar joints have axis z.

    URDF has no gravity, and Pinocchio requires that axis.
    """
    turned = tree.copy()
    turned.gravity = RigidBodyTree().gravity
    for joint in turned.joints:
        if joint.type != "planar" or joint.axis[2] == 1.0:
            continue
        turn = transform(rotation=rotation_taking_z_to(joint.axis))
        joint.set_transforms(joint.joint_to_parent @ turn, inverse(turn) @ joint.child_to_joint)
        joint.axis = (0.0, 0.0, 1.0)
    return turned


def _split(values: Array) -> Array:
    """Return positions with the last one, an angle, replaced by (cos, sin)."""
    angle = values[..., -1:]
    return np.concatenate([values[..., :-1], np.cos(angle), np.sin(angle)], axis=-1)


def _joined(values: Array) -> Array:
    """Undo ``_split``."""
    angle = np.arctan2(values[..., -1:], values[..., -2:-1])
    # -pi instead of pi, the same angle.
    return np.concatenate([values[..., :-2], np.where(angle == math.pi, -angle, angle)], axis=-1)
