"""Configurations: checked vectors of joint positions, by order or by name."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.errors import ConfigurationError
from rigid_tree_kinematics.model.joints import FLOATING
from rigid_tree_kinematics.model.transforms import (
    normalize_quaternion,
    random_quaternion,
    rotation_taking_z_to,
)

if TYPE_CHECKING:
    from rigid_tree_kinematics.model.compiled import CompiledTree
    from rigid_tree_kinematics.model.joints import Joint

# rad or m; positions exceed limits by less when they are printed with four decimals.
LIMIT_SLACK = 1e-4
# Without limits there is no uniform distribution. Angles are drawn from a turn, lengths from this
# many meters on both sides of zero, or from twice as many beyond the finite limit.
UNLIMITED_LENGTH = 1.0
HUGEST = 1e300  # rad or m; limits beyond, whose difference could overflow, are like none


def configuration_vector(
    compiled: CompiledTree, positions: ArrayLike | Mapping[str, Any]
) -> Array:
    """Return ``positions`` as a new float64 vector; raises ConfigurationError.

    Quaternions of floating joints are normalized.
    """
    if isinstance(positions, Mapping):
        vector = _vector_from_mapping(compiled, positions)
    else:
        try:
            vector = np.array(positions, dtype=np.float64)
        except (TypeError, ValueError, OverflowError) as error:
            raise ConfigurationError(f"a configuration must contain numbers: {error}") from error
    count = compiled.position_count
    if vector.shape != (count,):
        raise ConfigurationError(
            f"robot '{compiled.name}' takes {count} joint positions "
            f"({', '.join(compiled.position_names)}), not an array of shape {vector.shape}"
        )
    if not np.isfinite(vector).all():
        bad = [compiled.position_names[k] for k in np.flatnonzero(~np.isfinite(vector))]
        raise ConfigurationError(f"positions that are not finite: {', '.join(bad)}")
    normalize(compiled, vector)
    return vector


def normalize(compiled: CompiledTree, vector: Array) -> None:
    """Normalize the quaternions of floating joints in a configuration (nq,), in place.

    Raises ConfigurationError naming the joint whose quaternion is zero or too large.
    """
    for quaternion in compiled.quaternions:
        if not normalize_quaternion(vector[quaternion]):
            name = compiled.joint_of_position[quaternion.start]
            raise ConfigurationError(f"joint '{name}': its quaternion is zero or too large")


def configuration_mapping(compiled: CompiledTree, vector: Array) -> dict[str, Any]:
    """Return {joint name: float, or an array for a joint of several numbers}."""
    return {
        name: float(vector[start]) if count == 1 else vector[start : start + count].copy()
        for name, (start, count) in compiled.joint_slots.items()
    }


def check_independent(compiled: CompiledTree, names: Iterable[str]) -> None:
    """Raise ConfigurationError for names that are not those of independent joints."""
    unknown = [str(name) for name in names if name not in compiled.joint_slots]
    if unknown:
        known = ", ".join(compiled.joint_names)
        names = ", ".join(unknown)
        raise ConfigurationError(
            f"robot '{compiled.name}' has no independent joint {names}; it has {known}"
        )


def _vector_from_mapping(compiled: CompiledTree, positions: Mapping[str, Any]) -> Array:
    check_independent(compiled, positions)
    missing = [name for name in compiled.joint_names if name not in positions]
    if missing:
        raise ConfigurationError(f"the configuration lacks {', '.join(missing)}")
    vector = np.empty(compiled.position_count)
    for name, (start, count) in compiled.joint_slots.items():
        try:
            value = np.atleast_1d(np.asarray(positions[name], dtype=np.float64))
        except (TypeError, ValueError) as error:
            raise ConfigurationError(f"joint '{name}': {positions[name]!r}: {error}") from error
        if value.shape != (count,):
            raise ConfigurationError(
                f"joint '{name}' takes {count} number(s), not {positions[name]!r}"
            )
        vector[start : start + count] = value
    return vector


def random_configuration(compiled: CompiledTree, rng: np.random.Generator) -> Array:
    """Return a uniformly random configuration within the limits, including mimic joints'."""
    low, high = compiled.lower.copy(), compiled.upper.copy()
    reach = np.where(compiled.is_angle, np.pi, UNLIMITED_LENGTH)
    no_low, no_high = low < -HUGEST, high > HUGEST
    low = np.where(no_low, np.where(no_high, -reach, high - 2 * reach), low)
    high = np.where(no_high, np.where(no_low, reach, low + 2 * reach), high)
    vector = rng.uniform(low, high)
    # Rounding in low + (high - low) * u can exceed a limit.
    vector = np.clip(vector, low, high)
    for quaternion in compiled.quaternions:
        vector[quaternion] = random_quaternion(rng)
    return vector


def position_of_pose(joint: Joint, translation: ArrayLike, quaternion: ArrayLike) -> Array:
    """Return the position of a planar or floating joint for a pose.

    A planar joint takes the nearest pose in its plane. The ``quaternion`` is not normalized here.
    """
    shift, turn = np.asarray(translation, dtype=float), np.asarray(quaternion, dtype=float)
    if joint.layout.motion == FLOATING:
        return np.concatenate((shift, turn))
    in_plane = rotation_taking_z_to(joint.axis).T @ shift
    angle = 2.0 * math.atan2(float(joint.axis @ turn[:3]), turn[3])
    return np.array([in_plane[0], in_plane[1], angle])
