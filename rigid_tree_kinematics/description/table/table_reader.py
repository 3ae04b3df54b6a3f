"""Robots from Denavit-Hartenberg tables in YAML; the format is in docs/robot_tables.md."""

import math
from pathlib import Path

import numpy as np

from rigid_tree_kinematics.description.meshes import add_link_shapes
from rigid_tree_kinematics.description.table.table_bodies import (
    FramedBody,
    add_inertias_and_shapes,
    in_tree_order,
    place,
)
from rigid_tree_kinematics.description.table.yaml_section import Constants, Section, read_entries
from rigid_tree_kinematics.errors import DescriptionError, ModelError, UnknownNameError
from rigid_tree_kinematics.files import read_plain_file
from rigid_tree_kinematics.model import Joint, JointDynamics, Mimic, RigidBody, RigidBodyTree
from rigid_tree_kinematics.model.transforms import dh_transform, mdh_transform

VARIANT_KEYS = ("like", "constants", "fixed", "chains", "frames", "bodies")
CHAIN_KEYS = ("parent", "base_transform", "convention", "joints", "ends")
FRAME_KEYS = ("parent", "transform", "joint")
MIMIC_KEYS = ("joint", "multiplier", "offset")
CONVENTIONS = ("dh", "mdh")
JOINT_TYPES = ("revolute", "prismatic", "continuous", "fixed")
MOTION_KEYS = (
    *("axis", "limits", "velocity", "effort", "home", "mimic", "damping", "friction"),
    *("motor_inertia", "gear_ratio"),
)
FILE_KEYS = (
    *("robot", "base", "convention", "body_axes", "constants", "variants"),
    *("chains", "frames", "materials", "bodies"),
)
ROW_KEYS = ("joint", "body", "type", "alpha", "a", "theta", "d", *MOTION_KEYS)


def read_table_file(path: str | Path, variant: str | None = None) -> RigidBodyTree:
    """Return the robot of a YAML file with DH or mDH tables.

    Args:
        path: the file.
        variant: one of its ``variants``; None is the robot without variants.

    Raises:
        DescriptionError: the table is invalid; names file, line, chain, joint and key.
        UnknownNameError: the variant does not exist.

    Example:
        >>> text = '''{robot: slide, base: rail, chains: {arm: {parent: rail, joints: [
        ... {joint: lift, body: fork, type: prismatic, limits: [0, 0.5]}]}}}'''
        >>> with open("slide.yaml", "w") as file:
        ...     length = file.write(text)
        >>> read_table_file("slide.yaml")
        RigidBodyTree('slide', 1 bodies on 'rail')
    """
    text = table_text(path)
    return read_table(text, str(path), variant, directory=str(Path(path).resolve().parent))


def table_text(path: str | Path) -> str:
    """Return the text of a UTF-8 file; raises DescriptionError."""
    try:
        return read_plain_file(path).decode()
    except (OSError, ValueError) as error:  # ValueError: not UTF-8, or not a valid path
        raise DescriptionError(f"cannot be read as text: {error}", str(path)) from error


def read_table(
    text: str, source: str = "<text>", variant: str | None = None, directory: str | None = None
) -> RigidBodyTree:
    """Return the robot of a YAML text with DH or mDH tables; see ``read_table_file``.

    ``source`` names the text in error messages; ``directory`` contains relative mesh files.

    Example:
        >>> text = '''
        ... robot: slide
        ... base: rail
        ... chains:
        ...   arm:
        ...     parent: rail
        ...     joints: [{joint: lift, body: fork, type: prismatic, limits: [0, 0.5]}]
        ... '''
        >>> read_table(text).joint_limits("lift")
        (0.0, 0.5)
    """
    constants = Constants(source)
    file = Section(read_entries(text, source), "", source, constants.value, FILE_KEYS)
    layers = [file, *_variant_layers(file, variant)]
    for layer in layers:
        constants.define(layer.optional("constants").entries)
    constants.check()

    tree = RigidBodyTree(variant or file.text("robot"), file.text("base"))
    fixed = {name: layer for layer in layers[1:] for name in layer.texts("fixed")}
    bodies = in_tree_order(_read_bodies(file, layers, frozenset(fixed)), tree.base_name)
    joints = {body.joint.name for body in bodies}
    for name, layer in fixed.items():
        if name not in joints:
            raise layer.error(f"there is no joint '{name}'", "fixed")
    place(bodies)
    for body in bodies:
        tree.add_body(RigidBody(body.name, body.joint), body.parent)
    for body in bodies:  # the sources of mimic joints can come later in the file
        if body.mimic is not None:
            try:
                tree.get_joint(body.joint.name).mimic = body.mimic
            except ModelError as error:
                raise body.section.error(str(error), "mimic") from error
    add_inertias_and_shapes(tree, file, layers[:1], directory)
    if not any(body.visuals or body.collisions for body in (tree.base, *tree.bodies)):
        add_link_shapes(tree)
    # Shapes of variants also replace generated ones.
    add_inertias_and_shapes(tree, file, layers[1:], directory)
    return tree


def table_variants(text: str, source: str = "<text>") -> list[str]:
    """Return the names of a table's variants."""
    lookup = Constants(source).value  # no formula is read here
    file = Section(read_entries(text, source), "", source, lookup, FILE_KEYS)
    return list(file.optional("variants"))


def _variant_layers(file: Section, variant: str | None) -> list[Section]:
    """Return the variant and its base variants, most general first."""
    variants = file.optional("variants")
    layers: list[Section] = []
    names: list[str] = []
    while variant is not None:
        if variant in names:
            circle = " -> ".join([*names, variant])
            raise layers[0].error(f"the variants form a loop: {circle}", "like")
        if variant not in variants:
            if layers:
                raise layers[0].error(f"there is no variant '{variant}'", "like")
            raise UnknownNameError("variant", variant, variants, file.source)
        names.append(variant)
        layers.insert(0, variants.section(variant, VARIANT_KEYS, "variant"))
        variant = layers[0].text("like") if "like" in layers[0] else None
    return layers


def _read_bodies(file: Section, layers: list[Section], fixed: frozenset[str]) -> list[FramedBody]:
    """Return the bodies of all chains and frames, those of the file before those of variants."""
    turned = file.choice("body_axes", ("table", "base"), default="table") == "base"
    convention = file.choice("convention", CONVENTIONS, default="mdh")
    bodies: list[FramedBody] = []
    for layer in layers:
        chains = file.section("chains") if layer is file else layer.optional("chains")
        for name in chains:
            chain = chains.section(name, CHAIN_KEYS, "chain")
            bodies += _read_chain(chain, convention, turned, fixed)
        frames = layer.optional("frames")
        for name in frames:
            frame = frames.section(name, FRAME_KEYS, "frame")
            joint = Joint(frame.text("joint", f"{name}_joint"))
            bodies.append(
                FramedBody(name, frame.text("parent"), joint, frame.transform("transform"), frame)
            )
    return bodies


def _read_chain(
    chain: Section, convention: str, turned: bool, fixed: frozenset[str]
) -> list[FramedBody]:
    convention = chain.choice("convention", CONVENTIONS, default=convention)
    bodies: list[FramedBody] = []
    parent, before = chain.text("parent"), chain.transform("base_transform", default="identity")
    for row in chain.rows("joints", ROW_KEYS):
        body = _read_row(row, convention, fixed)
        body.parent, body.before = parent, before @ body.before
        body.follows_table, body.turned = bool(bodies), turned
        parent, before = body.name, np.eye(4)
        bodies.append(body)
    if not bodies:
        raise chain.error("a chain has at least one joint", "joints")
    ends = chain.optional("ends")
    for name in ends:
        # body_axes does not change the frame of an end.
        end = FramedBody(name, parent, Joint(f"{name}_joint"), ends.transform(name), ends)
        end.follows_table = True
        bodies.append(end)
    return bodies


def _read_row(row: Section, convention: str, fixed: frozenset[str]) -> FramedBody:
    name = row.text("joint")
    row.where = row.where.rpartition(": joints")[0] + f", joint '{name}'"
    joint_type = row.choice("type", JOINT_TYPES, default="revolute")
    joint = Joint(name, "fixed" if name in fixed else joint_type)
    a, alpha, d, theta = (row.number(key, 0.0) for key in ("a", "alpha", "d", "theta"))
    body = FramedBody(row.text("body"), "", joint, np.eye(4), row)
    if convention == "dh":
        body.after = dh_transform(a, alpha, d, theta)
    else:
        body.before = mdh_transform(a, alpha, d, theta)
    try:
        body.mimic = _read_motion(row, joint, joint_type)
    except ModelError as error:
        raise row.error(str(error)) from error
    return body


def _read_motion(row: Section, joint: Joint, written_type: str) -> Mimic | None:
    """Set the limits, home and dynamics of a moving joint; return its mimic relation."""
    if written_type == "fixed":
        for key in MOTION_KEYS:
            if key in row:
                raise row.error("a fixed joint cannot have this key", key)
    if joint.type == "fixed":
        return None
    if "axis" in row:
        joint.axis = row.numbers("axis", 3)
    if "limits" in row:
        low, high = row.numbers("limits", 2)
        joint.position_limits = (low, high)
    joint.velocity_limit = row.not_negative("velocity", math.inf)
    joint.effort_limit = row.not_negative("effort", math.inf)
    if "home" in row:
        joint.home_position = row.number("home")
    if "damping" in row or "friction" in row:
        damping = row.not_negative("damping", 0.0)
        joint.dynamics = JointDynamics(damping, row.not_negative("friction", 0.0))
    _read_motor(row, joint)
    if "mimic" not in row:
        return None
    mimic = row.section("mimic", MIMIC_KEYS)
    return Mimic(mimic.text("joint"), mimic.number("multiplier", 1.0), mimic.number("offset", 0.0))


def _read_motor(row: Section, joint: Joint) -> None:
    """Set the joint's armature from the inertia of its motor's rotor and the gear ratio."""
    if "gear_ratio" in row and "motor_inertia" not in row:
        raise row.error("a gear ratio is used with the key 'motor_inertia'", "gear_ratio")
    ratio = row.number("gear_ratio", 1.0)  # the sign is the direction: Corke has negative ones
    if ratio == 0.0:
        raise row.error("must not be zero", "gear_ratio")
    joint.armature = ratio**2 * row.not_negative("motor_inertia", 0.0)
