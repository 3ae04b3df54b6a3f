"""Reads SDF 1.4 to 1.12.

No Python package reads it: libsdformat's own bindings are not on PyPI for current Pythons.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.description.meshes import PackagePaths
from rigid_tree_kinematics.description.sdf.sdf_files import SdfFiles, only_model
from rigid_tree_kinematics.description.sdf.sdf_joints import joint_pose, read_series
from rigid_tree_kinematics.description.sdf.sdf_scope import (
    WORLD,
    Frame,
    Scope,
    content,
    is_true,
    pose_of,
)
from rigid_tree_kinematics.description.sdf.sdf_shapes import read_inertia, read_shapes
from rigid_tree_kinematics.description.urdf import (
    MOST_LINKS,
    Element,
    UrdfJoint,
    connected_tree,
    read_description_file,
)
from rigid_tree_kinematics.model import Joint, Loop, RigidBody, RigidBodyTree
from rigid_tree_kinematics.model.transforms import inverse, rotation_taking_z_to, transform

ROUNDING = 1e-12  # rad and m: products of poses that should be the identity
LINK_CHILDREN = ("pose", "inertial", "visual", "collision", "gravity", "self_collide", "kinematic")
LOOP_TYPES = {"fixed": "fixed", "ball": "ball", "revolute": "revolute", "continuous": "revolute"}
SIMULATED = ("velocity_decay", "enable_wind", "must_be_base_link", "velocity")


def read_sdf_file(path: str | Path, package_paths: PackagePaths = ()) -> RigidBodyTree:
    """Return the tree of an .sdf file; see ``read_sdf``.

    Example:
        >>> from pathlib import Path
        >>> text = '<sdf version="1.9"><model name="box"><link name="a"/></model></sdf>'
        >>> _ = Path("box.sdf").write_text(text)
        >>> read_sdf_file("box.sdf")
        RigidBodyTree('box', 0 bodies on 'a')
    """
    data, directory = read_description_file(path)
    return read_sdf(data, str(path), directory, package_paths)


def read_sdf(
    text: str | bytes,
    source: str = "<text>",
    directory: str | None = None,
    package_paths: PackagePaths = (),
) -> RigidBodyTree:
    """Return the tree of an SDF document with one model, also in a world.

    The root link becomes the base. The base is "world" if a joint has this parent, or if the model
    is static. Frames become bodies on fixed joints; links, joints and frames of nested models are
    named ``model::link``. Parts that have no place in a tree are reported in DescriptionWarnings.

    Args:
        text: the document.
        source: its name in errors and warnings.
        directory: folder of relative mesh files and included models.
        package_paths: one or more folders with models, packages or meshes, searched first for the
            files that ``model://``, ``package://`` and relative names refer to.

    Raises DescriptionError, with line and element, for a document that is not a single tree.

    Example:
        >>> read_sdf('<sdf version="1.9"><model name="box"><link name="a"/></model></sdf>')
        RigidBodyTree('box', 0 bodies on 'a')
    """
    files = SdfFiles(package_paths)
    model = only_model(files.root(text, source, directory))
    if model.tag == "include":
        model = files.included(model, 0)
    tree = _Model(Scope(model, files), package_paths).tree()
    for document in files.documents:
        document.warn(stacklevel=2)
    return tree


class _Model:
    """The links and joints of a model and its nested models."""

    def __init__(self, scope: Scope, package_paths: PackagePaths) -> None:
        self.scope, self.package_paths = scope, package_paths
        self.is_static = is_true(scope.model.child("static"))
        self.bodies: dict[str, RigidBody] = {}
        self.links: dict[str, Element] = {}
        self.poses: dict[str, Array] = {}  # of all links in the model's frame
        self.joints: list[UrdfJoint] = []
        self.children: set[str] = set()
        self.loops: list[Loop] = []

    def tree(self) -> RigidBodyTree:
        """Return the tree."""
        scopes = list(self.scope.all())
        for scope, T in scopes:
            for name, frame in scope.frames.items():
                if frame.element.tag == "link":
                    self._add_link(scope, name, T)
        for scope, T in scopes:
            for name, frame in scope.frames.items():
                if frame.element.tag == "joint":
                    self._add_joint(scope, name, T)
        if not self.links:
            raise self.scope.model.error("the model has no link")
        if self.is_static:
            self._fix_to_world()
        for scope, T in scopes:
            for name, frame in scope.frames.items():
                if frame.element.tag == "frame":
                    self._add_frame(scope, name, T)
        name = self.scope.model.text("name")
        tree = connected_tree(name, self.bodies, self.links, self.joints)
        tree.loops = self.loops
        return tree

    def _add_link(self, scope: Scope, name: str, T: Array) -> None:
        link, full = scope.frames[name].element, scope.prefix + name
        link.check_known(("name",), (*LINK_CHILDREN, *SIMULATED, "sensor", "light"))
        if len(self.links) >= MOST_LINKS:
            raise link.error(f"the model has more than {MOST_LINKS} links")
        body = RigidBody(full)
        with link.located():
            body.inertia = read_inertia(link)
        read_shapes(scope, name, body, self.package_paths)
        self.bodies[full], self.links[full] = body, link
        self.poses[full] = T @ scope.pose(name)

    def _add_world(self) -> None:
        """Add the world, in which the model has its pose."""
        if WORLD in self.bodies:
            return
        model = self.scope.model
        pose, relative_to = pose_of(model)
        if relative_to not in ("", WORLD):
            model.remark(f"the pose relative to '{relative_to}' is taken as one in the world")
        self.bodies[WORLD], self.links[WORLD] = RigidBody(WORLD), model
        self.poses[WORLD] = inverse(pose @ self.scope.from_placement())

    def _add_joint(self, scope: Scope, name: str, T: Array) -> None:
        frame = scope.frames[name]
        element = frame.element
        if self.is_static:
            element.remark("joints of a static model are ignored")
            return
        parent, child = (
            scope.link_of(scope.named(frame, content(element, role)), element)
            for role in ("parent", "child")
        )
        if WORLD in (parent, child):
            self._add_world()
        T_model_joint = T @ joint_pose(scope, frame)
        if child in self.children:
            self._close_loop(scope, frame, (parent, child), T_model_joint)
            return
        with element.located():
            series = read_series(scope, frame)
            before = inverse(self.poses[parent]) @ T_model_joint
            last = series[-1][0]
            for joint, mimic in series:
                after = inverse(T_model_joint) @ self.poses[child]
                link = child
                if joint is not last:
                    after, link = np.eye(4), f"{joint.name}_link"
                    self.bodies[link], self.links[link] = RigidBody(link), element
                joint.set_transforms(_rounded(before), _rounded(after))
                self._connect(UrdfJoint(joint, parent, link, mimic, element))
                before, parent = np.eye(4), link

    def _close_loop(
        self, scope: Scope, frame: Frame, ends: tuple[str, str], T_model_joint: Array
    ) -> None:
        """Keep a joint whose child has a parent already as a loop of two frames."""
        (joint, _), *_ = read_series(scope, frame)
        kind, element = frame.element.attributes["type"], frame.element
        if kind not in LOOP_TYPES:
            element.remark(f"a {kind} joint that closes a loop is ignored")
            return
        element.remark("a closed loop is kept as tree.loops; dynamics ignores it")
        T = T_model_joint @ transform(rotation=rotation_taking_z_to(joint.axis))
        name = f"{scope.prefix}{element.text('name')}"
        frames = f"{name}_a", f"{name}_b"
        for loose, link in zip(frames, ends, strict=True):
            self.bodies[loose], self.links[loose] = RigidBody(loose), element
            self._fix(loose, link, inverse(self.poses[link]) @ T)
        self.loops.append(Loop(name, *frames, LOOP_TYPES[kind]))

    def _connect(self, joint: UrdfJoint) -> None:
        self.joints.append(joint)
        self.children.add(joint.child)

    def _fix_to_world(self) -> None:
        links = list(self.bodies)
        self._add_world()
        for link in links:
            self._fix(link, WORLD, inverse(self.poses[WORLD]) @ self.poses[link])

    def _add_frame(self, scope: Scope, name: str, T: Array) -> None:
        """Add a frame as a body without mass."""
        element, full = scope.frames[name].element, scope.prefix + name
        link = scope.link_of(name, element)
        if link == WORLD:
            self._add_world()
        self.bodies[full], self.links[full] = RigidBody(full), element
        self._fix(full, link, inverse(self.poses[link]) @ T @ scope.pose(name))

    def _fix(self, body: str, parent: str, T_parent_body: Array) -> None:
        joint = Joint(f"{body}_joint")
        joint.set_fixed_transform(_rounded(T_parent_body))
        self._connect(UrdfJoint(joint, parent, body, None, self.links[body]))


def _rounded(T: Array) -> Array:
    """Return the identity for a transform that differs from it only by rounding."""
    return np.eye(4) if np.allclose(T, np.eye(4), rtol=0.0, atol=ROUNDING) else T
