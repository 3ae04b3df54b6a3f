"""Where a simulated robot starts: at a state of its SRDF, without collisions if possible."""

from __future__ import annotations

import numpy as np

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.errors import UnknownNameError
from rigid_tree_kinematics.model import RigidBodyTree


def initial_configuration(tree: RigidBodyTree, srdf: str, name: str) -> tuple[Array, str]:
    """Return a robot's first configuration (nq,), and a sentence about it.

    Args:
        tree: the robot.
        srdf: path or text.
        name: of a state of one group or several. Empty: the first one without collisions; if there
            is none, the configuration without collisions that is nearest to home.

    Raises DescriptionError for an invalid SRDF, UnknownNameError for an unknown state.
    """
    # Imported here: simulators without an SRDF start without collision checking.
    from rigid_tree_kinematics.collision import CollisionChecker, nearest_free
    from rigid_tree_kinematics.description.srdf import read_semantics

    states = read_semantics(srdf, tree).states
    if name and name not in states:
        raise UnknownNameError("state", name, states, "the SRDF")
    home = tree.home_configuration()
    if name:
        return _at(tree, home, states[name]), f"starts at state '{name}'"
    checker = CollisionChecker(tree, srdf=srdf)
    for state, positions in states.items():
        q = _at(tree, home, positions)
        if checker.is_free(q):
            return q, f"starts at state '{state}'"
    found = nearest_free(checker, home)
    if found is None:
        return home, "starts at home, in collision: no configuration without one was found"
    words = "" if found is home else ", the nearest configuration without collisions"
    moved = [
        f"{joint} {value:.3g}"
        for joint, value, before in zip(tree.position_names, found, home, strict=True)
        if value != before
    ]
    return found, f"starts at {', '.join(moved) or 'home'}{words}"


def _at(tree: RigidBodyTree, home: Array, positions: dict[str, float]) -> Array:
    """Return home with the positions of a state, within the joint limits."""
    compiled, q = tree.compiled(), home.copy()
    for joint, value in positions.items():
        if joint in compiled.position_names:
            q[list(compiled.position_names).index(joint)] = value
    clipped: Array = np.clip(q, compiled.lower, compiled.upper)
    return clipped
