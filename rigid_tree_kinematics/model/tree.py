"""RigidBodyTree: the editable model of a robot."""

from __future__ import annotations

import weakref
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.errors import ModelError, UnknownNameError
from rigid_tree_kinematics.model import configuration as configurations
from rigid_tree_kinematics.model.body import RigidBody, names_of
from rigid_tree_kinematics.model.joints import Joint, check_mimics, resolve_mimic
from rigid_tree_kinematics.model.loops import Loop
from rigid_tree_kinematics.model.table import details_table
from rigid_tree_kinematics.model.transforms import inverse

if TYPE_CHECKING:
    from mpl_toolkits.mplot3d.axes3d import Axes3D

    from rigid_tree_kinematics.model.compiled import CompiledTree

FREE_FALL = 9.81  # m/s^2


class RigidBodyTree:
    """A tree of rigid bodies, like MathWorks' ``rigidBodyTree``.

    The tree has no state: a **configuration** is a float64 vector of the independent joints'
    positions (rad, m) in the order of ``position_names``, or a mapping from joint name to
    position. An edit that would break the tree raises ModelError and changes nothing.

    Args:
        name: the robot's name.
        base_name: name of the root body, the frame in which everything is expressed.

    Example:
        >>> robot = RigidBodyTree("scara")
        >>> for parent, name in [("base", "upper"), ("upper", "fore")]:
        ...     joint = Joint(f"{name}_joint", "revolute", limits=(-2, 2))
        ...     joint.set_fixed_transform((0.5, 0, 0, 0), "dh")  # a, alpha, d, theta
        ...     body = robot.add_body(RigidBody(name, joint), parent)
        >>> T = robot.get_transform({"upper_joint": 0.3, "fore_joint": 0.2}, "fore")
        >>> print(T[:3, 3].round(3))
        [0.916 0.387 0.   ]
    """

    def __init__(self, name: str = "robot", base_name: str = "base") -> None:
        self.name = name
        self._base = RigidBody(base_name)
        self._base._joint = None
        self._base._tree = weakref.ref(self)
        self._bodies: dict[str, RigidBody] = {}  # parents before children, without the base
        self._parents: dict[str, str | None] = {}  # None: the base
        self._loops: tuple[Loop, ...] = ()
        self._compiled: CompiledTree | None = None
        self._gravity: Array = np.array([0.0, 0.0, -FREE_FALL])

    def __repr__(self) -> str:
        return f"RigidBodyTree('{self.name}', {len(self._bodies)} bodies on '{self.base_name}')"

    @property
    def base(self) -> RigidBody:
        """The root body. It has no joint and cannot be removed; it can have shapes and inertia."""
        return self._base

    @property
    def base_name(self) -> str:
        """The name of the root body, which can be changed."""
        return self._base.name

    @base_name.setter
    def base_name(self, name: str) -> None:
        if not isinstance(name, str) or not name:
            raise ModelError(f"a base name must be a non-empty string, not {name!r}")
        if name in self._bodies:
            raise ModelError(f"tree '{self.name}' already has a body '{name}'")
        self._loops = tuple(loop.renamed(self._base.name, name) for loop in self._loops)
        self._base._name = name
        self._clear_compiled()

    @property
    def gravity(self) -> Array:
        """The gravitational acceleration (m/s^2, base frame); default (0, 0, -9.81)."""
        return np.array(self._gravity)

    @gravity.setter
    def gravity(self, gravity: ArrayLike) -> None:
        vector = np.array(gravity, dtype=np.float64)
        if vector.shape != (3,) or not np.isfinite(vector).all():
            raise ModelError(f"gravity must be three finite numbers (m/s^2), not {gravity!r}")
        self._gravity = vector
        self._clear_compiled()

    @property
    def bodies(self) -> tuple[RigidBody, ...]:
        """All bodies except the base, parents before children."""
        return tuple(self._bodies.values())

    @property
    def body_names(self) -> tuple[str, ...]:
        """The names of ``bodies``, in the same order."""
        return tuple(self._bodies)

    @property
    def joints(self) -> tuple[Joint, ...]:
        """The joints of ``bodies``, fixed and mimic ones too, in the same order."""
        return tuple(body.joint for body in self._bodies.values())

    @property
    def loops(self) -> tuple[Loop, ...]:
        """The closed loops, without those of removed bodies.

        Kinematics and dynamics ignore them. ``ik.loop_constraints`` closes them in inverse
        kinematics and planning.
        """
        names = {self.base_name, *self._bodies}
        return tuple(loop for loop in self._loops if {loop.frame, loop.other} <= names)

    @loops.setter
    def loops(self, loops: Iterable[Loop]) -> None:
        given = tuple(loops)
        for loop in given:
            self.get_body(loop.frame), self.get_body(loop.other)
        self._loops = given

    @property
    def joint_names(self) -> tuple[str, ...]:
        """The independent joints: those that move and do not mimic another."""
        return self.compiled().joint_names

    @property
    def position_names(self) -> tuple[str, ...]:
        """A name for every entry of a configuration: the joint's, or ``joint/x`` and so on."""
        return self.compiled().position_names

    def get_body(self, name: str) -> RigidBody:
        """Return the body (or the base) by name; raises UnknownNameError."""
        if name == self._base.name:
            return self._base
        if name not in self._bodies:
            known = (self.base_name, *self._bodies)
            raise UnknownNameError("body", name, known, f"robot '{self.name}'")
        return self._bodies[name]

    def get_joint(self, name: str) -> Joint:
        """Return the joint by name; raises UnknownNameError."""
        for body in self._bodies.values():
            if body.joint.name == name:
                return body.joint
        names = [joint.name for joint in self.joints]
        raise UnknownNameError("joint", name, names, f"robot '{self.name}'")

    def joint_limits(self, name: str) -> tuple[Any, Any]:
        """Return a joint's ``soft_limits``, rad or m: floats, or arrays for several positions."""
        return self.get_joint(name).soft_limits

    def show_details(self) -> None:
        """Print a table of all bodies with their joints, parents and children."""
        print(self)

    def show(
        self, configuration: ArrayLike | Mapping[str, Any] | None = None, **options: Any
    ) -> Axes3D:
        """Draw the robot with Matplotlib; see ``figures.show_robot``."""
        from rigid_tree_kinematics.figures import show_robot

        return show_robot(self, configuration, **options)

    def __str__(self) -> str:
        return details_table(self.name, self.base_name, self.bodies)

    def add_body(self, body: RigidBody, parent_name: str) -> RigidBody:
        """Attach a copy of ``body`` to the body ``parent_name``; return the copy.

        Raises ModelError if a name is taken, the parent is unknown, or the joint mimics a joint
        that is not in the tree.
        """
        added = body.copy()
        self._insert([(added, self.get_body(parent_name).name)])
        return added

    def add_subtree(self, subtree: RigidBodyTree, parent_name: str) -> None:
        """Attach copies of all bodies of another tree, whose base becomes ``parent_name``.

        Raises ModelError, and adds nothing, if a name of the subtree is taken here.
        """
        parent = self.get_body(parent_name).name
        grafts = [(b.copy(), subtree._parents[b.name] or parent) for b in subtree.bodies]
        self._insert(grafts)

    def remove_body(self, name: str) -> RigidBodyTree:
        """Remove a body and its descendants, and return them as a tree.

        Raises ModelError for the base, and if a joint mimics one of the other part.
        """
        if self.get_body(name) is self._base:
            raise ModelError(f"the base '{name}' of tree '{self.name}' cannot be removed")
        removed_names = self._descendants(name)
        for names in (removed_names, self._bodies.keys() - removed_names):
            check_mimics([self._bodies[key].joint for key in names], self.name)
        removed = self._extract(removed_names, self._parents[name])
        for key in removed_names:
            self._bodies.pop(key)._tree = None
            del self._parents[key]
        self._adopt(self._bodies.values())
        return removed

    def replace_body(self, name: str, body: RigidBody) -> RigidBody:
        """Replace a body by a copy of ``body``; its children stay attached."""
        old = self.get_body(name)
        if old is self._base:
            raise ModelError(f"the base '{name}' of tree '{self.name}' cannot be replaced")
        new = body.copy()
        self._check_names([b for b in self._bodies.values() if b is not old], [new])
        bodies = [new if b is old else b for b in self._bodies.values()]
        check_mimics([b.joint for b in bodies], self.name)
        new_names = {name: new.name}
        self._parents = {
            new_names.get(key, key): up and new_names.get(up, up)
            for key, up in self._parents.items()
        }
        self._bodies = {b.name: b for b in bodies}
        self._loops = tuple(loop.renamed(name, new.name) for loop in self._loops)
        old._tree = None
        old.joint._on_change = None
        self._adopt([new])
        return new

    def replace_joint(self, body_name: str, joint: Joint) -> Joint:
        """Replace the joint of a body by a copy of ``joint``; return the copy."""
        body = self.get_body(body_name).copy(joint=joint)
        return self.replace_body(body_name, body).joint

    def subtree(self, body_name: str) -> RigidBodyTree:
        """Return a copy of a body and its descendants; the base has the name of its parent.

        Raises ModelError if a joint in it mimics one outside.
        """
        body = self.get_body(body_name)
        if body is self._base:
            return self.copy()
        wanted = self._descendants(body_name)
        check_mimics([self._bodies[name].joint for name in wanted], f"{self.name}/{body_name}")
        return self._extract(wanted, self._parents[body_name])

    def copy(self) -> RigidBodyTree:
        """Return an independent copy."""
        twin = self._extract(list(self._bodies), None)
        twin._base._inertia = self._base._inertia
        twin._base.visuals = list(self._base.visuals)
        twin._base.collisions = list(self._base.collisions)
        twin._base.excluded_contacts = self._base.excluded_contacts
        return twin

    def __getstate__(self) -> dict[str, Any]:
        return vars(self.copy())  # so that the module copy, too, returns independent trees

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._base._joint = None
        self._base._tree = weakref.ref(self)
        self._adopt(self._bodies.values())

    def compiled(self) -> CompiledTree:
        """Return the tree as immutable flat arrays, cached until the next edit."""
        if self._compiled is None:
            from rigid_tree_kinematics.model.compiled import compile_tree

            self._compiled = compile_tree(self.name, self._base, self.bodies, self._gravity)
        return self._compiled

    def home_configuration(self) -> Array:
        """Return the configuration in which every joint is at its home position."""
        return np.array(self.compiled().home)

    def random_configuration(self, rng: np.random.Generator | int | None = None) -> Array:
        """Return a random configuration within all limits, including mimic joints'.

        Args:
            rng: a NumPy generator, or a seed for one; None draws a fresh seed.
        """
        return configurations.random_configuration(self.compiled(), np.random.default_rng(rng))

    def configuration(self, positions: ArrayLike | Mapping[str, Any]) -> Array:
        """Return positions, a vector or a mapping by joint name, as a checked float64 vector.

        Raises ConfigurationError naming missing, unknown or non-finite entries.
        """
        return configurations.configuration_vector(self.compiled(), positions)

    def configuration_by_name(self, positions: ArrayLike) -> dict[str, Any]:
        """Return {independent joint name: position}; arrays for joints with several numbers."""
        return configurations.configuration_mapping(self.compiled(), self.configuration(positions))

    def get_transform(
        self, positions: ArrayLike | Mapping[str, Any], body: str, other: str | None = None
    ) -> Array:
        """Return T_other_body: the frame of ``body`` in the frame of ``other`` (4x4).

        Args:
            positions: a configuration, as a vector or by joint name.
            body: name of a body, or the base.
            other: name of the body to express it in; None is the base.

        Raises UnknownNameError and ConfigurationError. ``kinematics.body_transform`` is faster
        and takes batches.
        """
        from rigid_tree_kinematics.kinematics.kernels import chain_transform

        table, q = self.compiled().table, self.configuration(positions)
        T_base_body = np.empty((4, 4))
        chain_transform(table, q, self.compiled().index_of(body), T_base_body)
        if other is None:
            return T_base_body
        T_base_other = np.empty((4, 4))
        chain_transform(table, q, self.compiled().index_of(other), T_base_other)
        return inverse(T_base_other) @ T_base_body

    def _parent_of(self, body: RigidBody) -> RigidBody | None:
        if body is self._base:
            return None
        parent = self._parents[body.name]
        return self._base if parent is None else self._bodies[parent]

    def _children_of(self, body: RigidBody) -> tuple[RigidBody, ...]:
        key = None if body is self._base else body.name
        return tuple(self._bodies[name] for name, up in self._parents.items() if up == key)

    def _descendants(self, name: str) -> list[str]:
        """Return ``name`` and the names of its descendants, parents first."""
        found = [name]
        inside = {name}
        for key, parent in self._parents.items():
            if parent in inside:
                found.append(key)
                inside.add(key)
        return found

    def _insert(self, grafts: list[tuple[RigidBody, str]]) -> None:
        """Add all or none of these bodies, each with its parent's name."""
        new = [body for body, _ in grafts]
        self._check_names(list(self._bodies.values()), new)
        if any(body.joint.mimic is not None for body in new):  # existing ones are valid
            check_mimics([*self.joints, *(body.joint for body in new)], self.name)
        for body, parent in grafts:
            self._bodies[body.name] = body
            self._parents[body.name] = None if parent == self.base_name else parent
        self._adopt(new)

    def _check_names(self, present: list[RigidBody], new: list[RigidBody]) -> None:
        taken = {("body", self.base_name)}
        taken.update(pair for body in present for pair in names_of(body))
        for body in new:
            for kind, name in names_of(body):
                if (kind, name) in taken:
                    raise ModelError(f"tree '{self.name}' already has a {kind} '{name}'")
                taken.add((kind, name))

    def _extract(self, names: list[str], base: str | None) -> RigidBodyTree:
        """Return a tree of copies of these bodies (parents first) on a base ``base_name``."""
        twin = RigidBodyTree(self.name, self.base_name if base is None else base)
        twin._gravity = self._gravity.copy()
        twin._loops = self._loops
        for name in names:
            body = self._bodies[name].copy()
            twin._bodies[name] = body
            above = self._parents[name]
            twin._parents[name] = None if above == base else above
        twin._adopt(twin._bodies.values())
        return twin

    def _adopt(self, bodies: Iterable[RigidBody]) -> None:
        for body in bodies:
            body._tree = weakref.ref(self)
            body.joint._on_change = self._joint_changes
        self._clear_compiled()

    def _joint_changes(self, joint: Joint, values: dict[str, Any]) -> None:
        """Raise ModelError if this joint cannot mimic its source; drop the compiled arrays."""
        if values.get("_mimic") is not None:
            trial = joint.copy()
            trial._mimic = values["_mimic"]
            resolve_mimic(trial, {own.name: own for own in self.joints}, self.name)
        self._clear_compiled()

    def _clear_compiled(self) -> None:
        self._compiled = None
