"""Compares robots in MJCF, and their URDFs, with MuJoCo: poses, mass matrices and bias forces.

python scripts/check_mjcf.py mujoco_menagerie     every .xml file below the folders or files named

Prints a line for each model, and ends with code 1 if a difference is above 1e-9 (relative to the
largest number of the model, for matrices and forces). Needs the package mujoco.
"""

import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import mujoco
import numpy as np

from rigid_tree_kinematics import RigidBodyTree
from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.description import read_mjcf_file, read_urdf, write_urdf
from rigid_tree_kinematics.dynamics import inverse_dynamics, mass_matrix
from rigid_tree_kinematics.errors import DescriptionError, DescriptionWarning
from rigid_tree_kinematics.model.transforms import matrix_quaternion, rpy_matrix

CONFIGURATIONS = 100
TOLERANCE = 1e-9
FREE, BALL = 0, 1  # mjtJoint


class Differences(NamedTuple):
    """The largest differences of a model; those of dynamics are None if it has ball joints."""

    pose: float
    mass_matrix: float | None
    bias: float | None


def differences(path: Path, count: int = CONFIGURATIONS) -> Differences:
    """Return the differences over random configurations and velocities.

    Raises DescriptionError if MuJoCo rejects the file.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DescriptionWarning)
        own = read_mjcf_file(path)
        again = read_urdf(write_urdf(own))
    again.gravity = own.gravity
    model = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(model)
    rng = np.random.default_rng(0)
    found = np.zeros(3)
    for tree in [own, again] * count:
        q, v = tree.random_configuration(rng), rng.normal(size=tree.compiled().velocity_count)
        data.qpos[:] = _qpos(model, tree, q)
        mujoco.mj_kinematics(model, data)
        here = [_pose_difference(model, data, tree, q)]
        if not (model.jnt_type == BALL).any():
            here += _dynamics_differences(model, data, tree, q, v)
        found[: len(here)] = np.maximum(found[: len(here)], here)
    if (model.jnt_type == BALL).any():
        return Differences(found[0], None, None)
    return Differences(*found.tolist())


def _name(model: Any, joint: int) -> str:
    return model.joint(joint).name or f"joint_{joint}"


def _qpos(model: Any, tree: RigidBodyTree, q: Array) -> Array:
    """Return MuJoCo's positions of a configuration; those without a joint keep their reference."""
    given, qpos = tree.configuration_by_name(q), model.qpos0.copy()

    def position(name: str) -> Any:
        mimic = tree.get_joint(name).mimic
        if mimic is None:
            return given[name]
        return mimic.multiplier * position(mimic.joint) + mimic.offset

    for joint in range(model.njnt):
        name, start = _name(model, joint), model.jnt_qposadr[joint]
        if model.jnt_type[joint] == FREE:
            qpos[start : start + 7] = position(name)[[0, 1, 2, 6, 3, 4, 5]]
        elif model.jnt_type[joint] == BALL:
            R = np.eye(3)
            for letter, unit in zip("xyz", np.eye(3), strict=True):
                R = R @ rpy_matrix(*(unit * position(f"{name}_{letter}")))
            qpos[start : start + 4] = np.roll(matrix_quaternion(R), 1)
        else:
            qpos[start] = position(name)
    return qpos


def _pose_difference(model: Any, data: Any, tree: RigidBodyTree, q: Array) -> float:
    worst = 0.0
    for body in range(model.nbody):
        T = tree.get_transform(q, model.body(body).name or f"body_{body}")
        worst = max(worst, np.abs(T[:3, 3] - data.xpos[body]).max())
        worst = max(worst, np.abs(T[:3, :3] - data.xmat[body].reshape(3, 3)).max())
    return worst


def _dynamics_differences(
    model: Any, data: Any, tree: RigidBodyTree, q: Array, v: Array
) -> list[float]:
    """Return the relative differences of the mass matrix and the bias force."""
    W, a = _velocity_map(model, data, tree), np.zeros_like(v)
    for joint in np.flatnonzero(model.jnt_type == FREE):
        # MuJoCo's linear velocity is along the world's axes, ours along the body's: a constant
        # one of MuJoCo turns in the body.
        at = tree.compiled().windows(_name(model, joint))[1].start
        a[at : at + 3] = -np.cross(v[at + 3 : at + 6], v[at : at + 3])
    data.qvel[:] = W @ v
    mujoco.mj_forward(model, data)
    M = np.zeros((model.nv, model.nv))
    for row, unit in zip(M, np.eye(model.nv), strict=True):
        mujoco.mj_mulM(model, data, row, unit)
    # The armature of a free joint acts along the axes of its velocities.
    ours = mass_matrix(tree, q), inverse_dynamics(tree, q, v, a) - tree.compiled().armature * a
    truth = W.T @ M @ W, W.T @ data.qfrc_bias
    pairs = zip(ours, truth, strict=True)
    return [np.abs(our - true).max(initial=0) / np.abs(true).max(initial=1) for our, true in pairs]


def _velocity_map(model: Any, data: Any, tree: RigidBodyTree) -> Array:
    """Return the matrix from our velocities to MuJoCo's."""
    W = np.zeros((model.nv, tree.compiled().velocity_count))
    for joint in range(model.njnt):
        name, row = _name(model, joint), model.jnt_dofadr[joint]
        slope, mimic = 1.0, tree.get_joint(name).mimic
        while mimic is not None:
            name, slope = mimic.joint, slope * mimic.multiplier
            mimic = tree.get_joint(name).mimic
        at = tree.compiled().windows(name)[1].start
        W[row, at] = slope
        if model.jnt_type[joint] == FREE:
            R = data.xmat[model.jnt_bodyid[joint]].reshape(3, 3)
            W[row : row + 3, at : at + 3] = R
            W[row + 3 : row + 6, at + 3 : at + 6] = np.eye(3)
    return W


def files(names: list[str]) -> Iterator[Path]:
    """Yield the .xml files that are named, or below a folder that is named."""
    for name in names:
        path = Path(name)
        yield from sorted(path.rglob("*.xml")) if path.is_dir() else [path]


def main(names: list[str]) -> int:
    """Print the differences of all models; return 1 if one is above the tolerance."""
    good = bad = 0
    for path in files(names):
        try:
            found = differences(path)
        except DescriptionError as error:
            print(f"{path}: not compiled: {str(error).splitlines()[0]}")
            continue
        numbers = [number for number in found if number is not None]
        is_equal = max(numbers) <= TOLERANCE
        good, bad = good + is_equal, bad + (not is_equal)
        texts = ["-" if number is None else f"{number:.1e}" for number in found]
        print(f"{path}: {'equal' if is_equal else 'DIFFERENT'}: {' '.join(texts)}", flush=True)
    print(f"{good} models equal, {bad} different")
    return int(bad > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
