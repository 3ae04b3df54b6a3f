"""A rigid body: a name, one joint to its parent, inertia and shapes."""

from __future__ import annotations

import weakref
from typing import Any, Protocol

import numpy as np

from rigid_tree_kinematics.errors import ModelError
from rigid_tree_kinematics.model.geometry import Collision, Inertia, Visual
from rigid_tree_kinematics.model.joints import Joint


class _Tree(Protocol):
    """The interface of RigidBodyTree that bodies use."""

    def _parent_of(self, body: RigidBody) -> RigidBody | None: ...

    def _children_of(self, body: RigidBody) -> tuple[RigidBody, ...]: ...

    def _clear_compiled(self) -> None: ...


class RigidBody:
    """A body, connected to its parent by exactly one joint.

    ``RigidBodyTree.add_body`` adds a copy to the tree; ``tree.get_body(name)`` returns the body in
    the tree, whose joint and inertia can be changed in place. Collisions with the bodies named in
    ``excluded_contacts`` are not checked; names that the tree does not have are ignored.

    Args:
        name: unique in the tree.
        joint: copied; None: a fixed joint with the name ``<name>_joint``.

    Example:
        >>> body = RigidBody("forearm", Joint("elbow", "revolute"))
        >>> body.inertia = Inertia(mass=1.2, center_of_mass=(0.1, 0, 0))
        >>> body.collisions.append(Collision(Cylinder(radius=0.05, length=0.3)))
        >>> added = RigidBodyTree("arm").add_body(body, "base")  # a copy
        >>> added.joint.type, added.inertia.mass
        ('revolute', 1.2)
    """

    def __init__(self, name: str, joint: Joint | None = None) -> None:
        if not isinstance(name, str) or not name:
            raise ModelError(f"a body's name must be a non-empty string, not {name!r}")
        self._name = name
        self._joint: Joint | None = joint.copy() if joint is not None else Joint(f"{name}_joint")
        self._inertia: Inertia | None = None
        self._tree: weakref.ref[_Tree] | None = None
        self.visuals: list[Visual] = []
        self.collisions: list[Collision] = []
        self.excluded_contacts: frozenset[str] = frozenset()

    def __repr__(self) -> str:
        return f"RigidBody('{self._name}')"

    @property
    def name(self) -> str:
        """The body's name; the base is renamed through ``tree.base_name``."""
        return self._name

    @property
    def joint(self) -> Joint:
        """The joint to the parent; raises ModelError for the base."""
        if self._joint is None:
            raise ModelError(f"'{self._name}' is the base of its tree: it has no joint")
        return self._joint

    @property
    def inertia(self) -> Inertia | None:
        """Mass, center of mass and inertia matrix, or None if not specified."""
        return self._inertia

    @inertia.setter
    def inertia(self, inertia: Inertia | None) -> None:
        if inertia is not None:
            inertia = _checked_inertia(inertia, self._name)
        self._inertia = inertia
        tree = self._tree() if self._tree is not None else None
        if tree is not None:
            tree._clear_compiled()

    @property
    def parent(self) -> RigidBody | None:
        """The parent body; None for the base, or outside a tree."""
        tree = self._tree() if self._tree is not None else None
        return tree._parent_of(self) if tree is not None else None

    @property
    def children(self) -> tuple[RigidBody, ...]:
        """The child bodies, in the order in which they were added."""
        tree = self._tree() if self._tree is not None else None
        return tree._children_of(self) if tree is not None else ()

    def __getstate__(self) -> dict[str, Any]:
        return vars(self.copy())  # outside any tree, also by the module copy

    def copy(self, name: str | None = None, joint: Joint | None = None) -> RigidBody:
        """Return an independent copy outside any tree, optionally with a new name or joint."""
        twin = RigidBody(name or self._name, joint or self._joint)
        twin._inertia = self._inertia
        twin.visuals = list(self.visuals)
        twin.collisions = list(self.collisions)
        twin.excluded_contacts = self.excluded_contacts
        return twin


def _checked_inertia(inertia: Inertia, body: str) -> Inertia:
    """Return the inertia as finite float64 arrays; physical plausibility is not checked."""
    center = np.array(inertia.center_of_mass, dtype=np.float64)
    matrix = np.array(inertia.matrix, dtype=np.float64)
    if center.shape != (3,) or matrix.shape != (3, 3):
        raise ModelError(f"body '{body}': an inertia takes 3 center numbers and a 3x3 matrix")
    if not (np.isfinite(inertia.mass) and np.isfinite(center).all() and np.isfinite(matrix).all()):
        raise ModelError(f"body '{body}': mass, center of mass and inertia must be finite")
    center.flags.writeable = matrix.flags.writeable = False
    return Inertia(float(inertia.mass), center, matrix)


def names_of(body: RigidBody) -> list[tuple[str, str]]:
    """Return the kinds and names that no other body of a tree has.

    'base/x' is a position of a planar joint 'base', and of a prismatic joint 'base/x'.
    """
    positions = [("joint or position", name) for name in body.joint.position_names]
    return [("body", body.name), ("joint", body.joint.name), *positions]
