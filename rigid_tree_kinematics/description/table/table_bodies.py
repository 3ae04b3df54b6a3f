"""Bodies of a robot table: their order and frames, inertia and shapes."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

import rigid_tree_kinematics.model as model
from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.description.table.expression import unknown_name
from rigid_tree_kinematics.description.table.yaml_section import Section
from rigid_tree_kinematics.model.transforms import inverse, transform

BODY_KEYS = ("inertia", "shapes")
INERTIA_KEYS = ("mass", "center_of_mass", "matrix")
GEOMETRY_KEYS = ("box", "cylinder", "sphere", "mesh")
SHAPE_KEYS = (*GEOMETRY_KEYS, "scale", "at", "material", "use")
# Products of a dozen sines and cosines of right angles differ from 0 and 1 by at most this.
ROUNDING = 1e-14


@dataclass
class FramedBody:
    """A body with its joint and frames at zero joint positions."""

    name: str
    parent: str
    joint: model.Joint  # without its fixed transforms
    before: Array  # 4x4, the joint's frame in the parent's
    section: Section  # its place in the file
    after: Array = field(default_factory=lambda: np.eye(4))  # the table's frame in the joint's
    follows_table: bool = False  # ``before`` is in the parent's frame of the table
    turned: bool = False  # its axes are parallel to the base's
    mimic: model.Mimic | None = None  # set when all joints are in the tree


def in_tree_order(bodies: Sequence[FramedBody], base: str) -> list[FramedBody]:
    """Return the bodies in the order of the file, with parents before children.

    Raises DescriptionError for repeated names, unknown parents and loops.
    """
    by_name = {base: None} | _unique(bodies, base)
    done: dict[str, FramedBody] = {}
    for body in bodies:
        line = [body]
        while line[-1].name not in done:
            above = by_name.get(line[-1].parent, line[-1])
            if above is line[-1]:
                hint = unknown_name(line[-1].parent, by_name).replace("name", "body", 1)
                raise line[-1].section.error(f"the parent is an {hint}")
            if above is None or above.name in done:
                break
            if above in line:
                circle = " -> ".join(item.name for item in [*line, above])
                raise above.section.error(f"the parents form a loop: {circle}")
            line.append(above)
        for item in reversed(line):
            done.setdefault(item.name, item)
    return list(done.values())


def place(bodies: Sequence[FramedBody]) -> None:
    """Set the fixed transforms of all joints; bodies must be in tree order."""
    rows: dict[str, Array] = {}  # each body's frame of the table in the base's frame
    turns: dict[str, Array] = {}  # each body's frame in its frame of the table
    for body in bodies:
        above = rows.get(body.parent, np.eye(4))
        turn_above = turns.get(body.parent, np.eye(4))
        before = body.before
        if body.follows_table:
            before = inverse(turn_above) @ before
        else:
            above = above @ turn_above
        row = above @ body.before @ body.after
        turn = transform(rotation=row[:3, :3].T) if body.turned else np.eye(4)
        rows[body.name], turns[body.name] = row, turn
        if not body.turned:
            body.joint.set_transforms(before, body.after)
        elif np.array_equal(body.after, np.eye(4)):
            # Rotate the joint's frame with the body's, so that they stay equal, as in URDF.
            body.joint.axis = _rounded(turn[:3, :3].T @ body.joint.axis)
            body.joint.set_transforms(_rounded(before @ turn), np.eye(4))
        else:
            body.joint.set_transforms(_rounded(before), _rounded(body.after @ turn))


def _unique(bodies: Sequence[FramedBody], base: str) -> dict[str, FramedBody]:
    by_name: dict[str, FramedBody] = {}
    by_joint: dict[str, FramedBody] = {}
    for body in bodies:
        if body.name == base:
            raise body.section.error(f"the body '{base}' is the base; choose another name")
        for kind, name, seen in (
            ("body", body.name, by_name),
            ("joint", body.joint.name, by_joint),
        ):
            if name in seen:
                raise body.section.error(
                    f"the {kind} '{name}' already exists (line {seen[name].section.line}); "
                    "choose another name"
                )
            seen[name] = body
    return by_name


def _rounded(values: Array) -> Array:
    """Return the values, with those within rounding of 0, 1 and -1 made exact."""
    nearest = np.clip(np.round(values), -1.0, 1.0)
    return np.where(np.abs(values - nearest) < ROUNDING, nearest, values) + 0.0


def add_inertias_and_shapes(
    tree: model.RigidBodyTree, file: Section, layers: Sequence[Section], directory: str | None
) -> None:
    """Set the inertias and shapes of the layers' ``bodies``; later layers take precedence.

    ``layers`` are the ``file`` or its variants; ``directory`` is that of relative mesh files.
    """
    materials = {}
    for name in (colors := file.optional("materials")):
        red, green, blue, alpha = color = colors.numbers(name, 4)
        if min(color) < 0.0 or max(color) > 1.0:
            raise colors.error("the numbers must be from 0 to 1", name)
        materials[name] = model.Material(name, (red, green, blue, alpha))
    for layer in layers:
        bodies = layer.optional("bodies")
        for name in bodies:
            section = bodies.section(name, BODY_KEYS, "body")
            if name != tree.base_name and name not in tree.body_names:
                known = (tree.base_name, *tree.body_names)
                raise section.error(unknown_name(name, known).replace("name", "body", 1))
            body = tree.get_body(name)
            if "inertia" in section:
                given = section.section("inertia", INERTIA_KEYS)
                xx, yy, zz, xy, xz, yz = given.numbers("matrix", 6, default=[0.0] * 6)
                body.inertia = model.Inertia(
                    given.not_negative("mass"),
                    np.array(given.numbers("center_of_mass", 3, default=[0.0] * 3)),
                    np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]),
                )
            if "shapes" in section:
                _set_shapes(body, section.rows("shapes", SHAPE_KEYS), materials, directory)


def _set_shapes(
    body: model.RigidBody,
    shapes: Iterable[Section],
    materials: dict[str, model.Material],
    directory: str | None,
) -> None:
    body.visuals, body.collisions = [], []
    for shape in shapes:
        geometry = read_geometry(shape, directory)
        origin = shape.transform("at", default="identity")
        use = shape.choice("use", ("both", "visual", "collision"), default="both")
        material = None
        if "material" in shape:
            name = shape.text("material")
            if name not in materials:
                hint = unknown_name(name, materials).replace("name", "material", 1)
                raise shape.error(f"{hint} Define it under 'materials'", "material")
            material = materials[name]
        if use != "collision":
            body.visuals.append(model.Visual(geometry, origin, material=material))
        if use != "visual":
            body.collisions.append(model.Collision(geometry, origin))


def read_geometry(
    shape: Section, directory: str | None, known: Sequence[str] = GEOMETRY_KEYS
) -> model.Geometry:
    """Return the geometry of a section with exactly one of the keys ``known``."""
    kinds = [key for key in known if key in shape]
    if len(kinds) != 1:
        found = " and ".join(kinds) or "none"
        raise shape.error(f"must have one of {', '.join(known)}, not {found}")
    kind = kinds[0]
    if "scale" in shape and kind != "mesh":
        raise shape.error("only a mesh has a scale", "scale")
    if kind == "mesh":
        x, y, z = shape.numbers("scale", 3, default=[1.0] * 3)
        if x * y * z == 0.0:
            raise shape.error("the scale contains a zero", "scale")
        return model.Mesh(shape.text("mesh"), (x, y, z), directory)
    if kind == "sphere":
        return model.Sphere(shape.positive("sphere"))
    sizes = shape.numbers(kind, 3 if kind == "box" else 2)
    if min(sizes) <= 0.0:
        raise shape.error("the sizes must be greater than zero", kind)
    return (
        model.Box((sizes[0], sizes[1], sizes[2]))
        if kind == "box"
        else model.Cylinder(sizes[0], sizes[1])
    )
