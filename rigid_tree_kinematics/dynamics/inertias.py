"""Checks and repairs of inertias that no rigid body can have."""

from dataclasses import replace

import numpy as np

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.errors import ModelError
from rigid_tree_kinematics.kinematics.arguments import Tree, compiled_of
from rigid_tree_kinematics.model import CompiledTree, Inertia, RigidBodyTree

TRIANGLE_TOLERANCE = 1e-3  # relative, of published inertias, which are rounded

Repairs = tuple[tuple[str, Array, str], ...]  # of each body: name, inertia (3, 3), sentence


def check_inertias(robot: Tree) -> None:
    """Raise ModelError with the names of bodies whose inertia is physically impossible.

    The mass is not negative, and no principal moment is larger than the other two together.

    Example:
        >>> check_inertias(load_robot("puma560"))
        Traceback (most recent call last):
            ...
        rigid_tree_kinematics.errors.ModelError: robot 'puma560': physically ...
    """
    compiled = compiled_of(robot)
    bad = []
    for row, name in enumerate(compiled.body_names):
        moments = np.linalg.eigvalsh(compiled.inertia[row])
        if compiled.mass[row] < 0.0:
            bad.append(f"{name} (mass {compiled.mass[row]:g} kg)")
        elif _impossible(moments):
            bad.append(f"{name} (principal moments {_listed(moments)} kg m^2)")
    if bad:
        raise ModelError(
            f"robot '{compiled.name}': physically impossible inertia: {', '.join(bad)}; correct "
            "the description, or call dynamics.repair_inertias, which keeps masses"
        )


def repair_inertias(robot: RigidBodyTree) -> tuple[str, ...]:
    """Change impossible inertias of a tree to the nearest possible ones; return the changes.

    The principal axes, the largest moment and the mass are kept. The other two moments are raised
    until their sum is the largest one, which is the least change of the mass distribution's second
    moments; a negative one becomes 0. Valid inertias do not change. There is one sentence for each
    changed body.

    Example:
        >>> robot = load_robot("puma560")
        >>> for sentence in repair_inertias(robot):
        ...     print(sentence)
        link_1: principal moments 0, 0, 0.35 changed to 0.175, 0.175, 0.35 kg m^2
        link_3: principal moments 0.0125, 0.066, 0.086 changed to 0.0162, 0.0697, 0.086 kg m^2
        >>> check_inertias(robot)
    """
    repairs = _repairs(robot.compiled())
    for name, matrix, _ in repairs:
        body = robot.get_body(name)
        assert body.inertia is not None
        body.inertia = Inertia(body.inertia.mass, body.inertia.center_of_mass, matrix)
    return tuple(sentence for _, _, sentence in repairs)


def with_valid_inertias(robot: Tree) -> tuple[CompiledTree, str]:
    """Return compiled arrays with repaired inertias, and a remark on the changes or "".

    See ``repair_inertias``; the ``robot`` does not change.

    Example:
        >>> from rigid_tree_kinematics.dynamics import mass_matrix
        >>> compiled, remark = with_valid_inertias(load_robot("puma560"))
        >>> print(remark.partition(":")[0], mass_matrix(compiled, compiled.home)[0, 0].round(2))
        robot 'puma560' 2.88
    """
    compiled = compiled_of(robot)
    repairs = _repairs(compiled)
    if not repairs:
        return compiled, ""
    inertia = compiled.inertia.copy()
    for name, matrix, _ in repairs:
        inertia[compiled.index_of(name)] = matrix
    inertia.flags.writeable = False
    changes = "; ".join(sentence for _, _, sentence in repairs)
    remark = f"robot '{compiled.name}': impossible inertias are repaired: {changes}"
    return replace(compiled, inertia=inertia), remark


def _repairs(compiled: CompiledTree) -> Repairs:
    repairs = []
    for row, name in enumerate(compiled.body_names):
        moments, axes = np.linalg.eigh(compiled.inertia[row])
        if not _impossible(moments):
            continue
        # Second moments of the mass distribution along the principal axes; none is negative.
        along = np.maximum(0.5 * moments.sum() - moments, 0.0)
        repaired = along.sum() - along
        matrix = (axes * repaired) @ axes.T
        sentence = (
            f"{name}: principal moments {_listed(moments)} changed to {_listed(repaired)} kg m^2"
        )
        repairs.append((name, 0.5 * (matrix + matrix.T), sentence))
    return tuple(repairs)


def _impossible(moments: Array) -> bool:
    """Return whether a moment is negative or larger than the sum of the others; ascending."""
    low, middle, high = moments
    slack = TRIANGLE_TOLERANCE * abs(high)
    return bool(low < -slack or low + middle < high - slack)


def _listed(moments: Array) -> str:
    return ", ".join(f"{moment + 0.0:.3g}" for moment in moments)
