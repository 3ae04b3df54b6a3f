"""Reads MJCF, the format of MuJoCo's models, through MuJoCo's own compiler."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from xml.etree import ElementTree

import numpy as np

from rigid_tree_kinematics.description.mjcf.mjcf_joints import read_joints, set_constraints
from rigid_tree_kinematics.description.mjcf.mjcf_model import MjcfModel, pose
from rigid_tree_kinematics.description.mjcf.mjcf_shapes import add_shapes
from rigid_tree_kinematics.description.urdf import root_tag
from rigid_tree_kinematics.files import read_plain_file
from rigid_tree_kinematics.model import Inertia, Joint, RigidBody, RigidBodyTree
from rigid_tree_kinematics.model.transforms import quaternion_matrix

MJCF = "mujoco"  # the root element
# Kinds of objects, by MuJoCo's short names, that have no place in a tree.
IGNORED = {
    "actuator": "actuators are ignored",
    "tendon": "tendons are ignored",
    "flex": "flexible bodies are ignored",
    "skin": "skins are ignored",
}


def is_mjcf(path: str | Path) -> bool:
    """Return whether a file is MJCF: XML whose root is <mujoco>; False if it cannot be read."""
    try:
        return root_tag(read_plain_file(path)) == MJCF
    except (OSError, ValueError):
        return False


def read_mjcf_file(path: str | Path) -> RigidBodyTree:
    """Return the tree of an MJCF file, which the package mujoco compiles.

    The world becomes the base. Every body keeps MuJoCo's name and frame; a body with several
    joints gets massless bodies in between, and named sites become bodies on fixed joints. Parts
    that have no place in a tree, such as tendons, are reported in one DescriptionWarning.

    Raises DescriptionError if MuJoCo rejects the file, MissingPackageError without mujoco.

    Example:
        >>> from pathlib import Path
        >>> arm = '<body name="arm"><joint name="turn"/><geom size="0.1"/></body>'
        >>> text = f"<mujoco><worldbody>{arm}</worldbody></mujoco>"
        >>> _ = Path("arm.xml").write_text(text)
        >>> read_mjcf_file("arm.xml").joint_names
        ('turn',)
    """
    return _tree(MjcfModel(path))


def read_mjcf(text: str, source: str = "<text>") -> RigidBodyTree:
    """Return the tree of an MJCF document whose files are in the current folder.

    See ``read_mjcf_file``.

    Example:
        >>> body = '<body name="arm"><joint name="turn"/><geom size="0.1"/></body>'
        >>> read_mjcf(f"<mujoco><worldbody>{body}</worldbody></mujoco>").joint_names
        ('turn',)
    """
    return _tree(MjcfModel(source, text))


def _tree(mjcf: MjcfModel) -> RigidBodyTree:
    model = mjcf.model
    tree = RigidBodyTree(mjcf.spec.modelname or "robot", mjcf.bodies[0])
    tree.gravity = model.opt.gravity
    add_shapes(mjcf, 0, tree.base)
    for number in range(1, model.nbody):
        *above, last = read_joints(mjcf, number)
        parent = mjcf.bodies[model.body_parentid[number]]
        for joint in above:
            between = RigidBody(mjcf.unique("body", f"{joint.name}_link"), joint)
            parent = tree.add_body(between, parent).name
        body = RigidBody(mjcf.bodies[number], last)
        body.inertia = _inertia(mjcf, number)
        add_shapes(mjcf, number, body)
        tree.add_body(body, parent)
    for signature in model.exclude_signature.tolist():
        first, second = (mjcf.bodies[k] for k in (signature >> 16, signature & 0xFFFF))
        tree.get_body(second).excluded_contacts |= {first}
    _add_sites(mjcf, tree)
    set_constraints(mjcf, tree)
    _remark_on_rest(mjcf)
    mjcf.document.warn(stacklevel=3)
    return tree


def mjcf_srdf(path: str | Path) -> str:
    """Return an SRDF that disables the pairs of bodies between which MuJoCo has no contacts.

    These are excluded pairs, parents with their children, and pairs whose bits of ``contype`` and
    ``conaffinity`` do not match. Raises DescriptionError and MissingPackageError, like
    ``read_mjcf_file``.

    Example:
        >>> from pathlib import Path
        >>> arm = '<body name="arm"><joint name="turn"/><geom size="0.1"/></body>'
        >>> text = f"<mujoco><worldbody>{arm}</worldbody></mujoco>"
        >>> _ = Path("arm.xml").write_text(text)
        >>> mjcf_srdf("arm.xml").startswith("<robot")
        True
    """
    mjcf = MjcfModel(path)
    root = ElementTree.Element("robot", name=mjcf.spec.modelname or "robot")
    for pair in _pairs_without_contacts(mjcf):
        first, second = (mjcf.bodies[number] for number in pair)
        ElementTree.SubElement(root, "disable_collisions", link1=first, link2=second)
    return ElementTree.tostring(root, encoding="unicode")


def _pairs_without_contacts(mjcf: MjcfModel) -> Iterator[tuple[int, int]]:
    model = mjcf.model
    types, affinities = np.zeros((2, model.nbody), dtype=np.int64)
    np.bitwise_or.at(types, model.geom_bodyid, model.geom_contype)
    np.bitwise_or.at(affinities, model.geom_bodyid, model.geom_conaffinity)
    excluded = set(model.exclude_signature.tolist())
    group = model.body_weldid  # the first of the bodies that are fixed to each other; 0: the world
    above = group[model.body_parentid[group]]
    for a, b in combinations(np.flatnonzero(types | affinities).tolist(), 2):
        related = group[a] == above[b] or group[b] == above[a]
        is_filtered = mjcf.filters_parents and related and group[a] and group[b]
        matches = types[a] & affinities[b] or types[b] & affinities[a]
        if a << 16 | b in excluded or b << 16 | a in excluded or is_filtered or not matches:
            yield a, b


def _inertia(mjcf: MjcfModel, number: int) -> Inertia | None:
    model = mjcf.model
    if not model.body_mass[number]:
        return None
    R = quaternion_matrix(np.roll(model.body_iquat[number], -1))
    matrix = R @ np.diag(model.body_inertia[number]) @ R.T
    center = model.body_ipos[number].copy()
    return Inertia(float(model.body_mass[number]), center, 0.5 * (matrix + matrix.T))


def _add_sites(mjcf: MjcfModel, tree: RigidBodyTree) -> None:
    """Add the named sites as bodies without mass."""
    model = mjcf.model
    for k, name in enumerate(mjcf.names("site")):
        if not model.site(k).name:
            continue
        frame = mjcf.unique("body", name)
        joint = Joint(mjcf.unique("joint", f"{frame}_joint"))
        joint.set_fixed_transform(pose(model.site_pos[k], model.site_quat[k]))
        tree.add_body(RigidBody(frame, joint), mjcf.bodies[model.site_bodyid[k]])


def _remark_on_rest(mjcf: MjcfModel) -> None:
    """Remark on all that the tree leaves out, apart from shapes and constraints."""
    model = mjcf.model
    for kind, remark in IGNORED.items():
        for name in mjcf.names(kind):
            mjcf.remark(f"{kind} '{name}'", remark)
    for number in np.flatnonzero(model.jnt_stiffness):
        mjcf.remark(f"joint '{mjcf.joints[number]}'", "springs of joints are ignored")
    for number in np.flatnonzero(model.body_gravcomp):
        mjcf.remark(f"body '{mjcf.bodies[number]}'", "compensation of gravity is ignored")
    for number in np.flatnonzero(model.body_mocapid >= 0):
        mjcf.remark(f"body '{mjcf.bodies[number]}'", "a mocap body is fixed at its initial pose")
