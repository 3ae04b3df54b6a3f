"""Generated shapes for robots without shapes.

A link is a tube from its own joint to its children's joints. A moving joint is a cylinder about
its axis, a box along it, or a sphere. Tubes are thinner towards the tips, and at short links, so
that neighboring shapes do not overlap.
"""

import math

import numpy as np

import rigid_tree_kinematics.model as model
from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.model.transforms import inverse, rotation_taking_z_to, transform

LINK_MATERIAL = model.Material("link", (0.85, 0.86, 0.88, 1.0))
JOINT_MATERIAL = model.Material("joint", (0.95, 0.5, 0.1, 1.0))
BASE_MATERIAL = model.Material("base", (0.25, 0.27, 0.3, 1.0))

# Radius of tubes: at the base relative to the robot's reach, at the tips relative to the base.
BASE_RADIUS = 0.045
TIP_SHARE = 0.45
# Relative to the radius of the tube at the joint.
DRUM_RADIUS = 1.25
DRUM_LENGTH = 2.8
DRUM_EXTENT = math.hypot(DRUM_RADIUS, 0.5 * DRUM_LENGTH)  # from its center to its edges
FOOT_RADIUS = 2.0
# Relative to the reach: joints closer than this have no tube between them.
NEGLIGIBLE = 0.01
# Maximum extent of the shapes at either end of a link along it, relative to its length.
SHARE_OF_LINK = 0.45
DEFAULT_REACH = 1.0  # m, if all joints coincide


def add_link_shapes(tree: model.RigidBodyTree) -> None:
    """Add visuals and equal collision shapes to every body with a link or a moving joint.

    Existing shapes are kept. Sizes are relative to the robot's size.

    Example:
        >>> robot = read_urdf(write_urdf(load_robot("ur5")))
        >>> for body in robot.bodies:
        ...     body.visuals, body.collisions = [], []
        >>> add_link_shapes(robot)
        >>> [body.name for body in robot.bodies if body.collisions][:3]
        ['base_link_inertia', 'shoulder_link', 'upper_arm_link']
    """
    remaining = _distances_to_the_tips(tree)
    reach = max(remaining.values(), default=0.0) or DEFAULT_REACH
    for body in (tree.base, *tree.bodies):
        share = TIP_SHARE + (1.0 - TIP_SHARE) * remaining[body.name] / reach
        radius = BASE_RADIUS * reach * share
        start = _own_joint(body)
        tubes = [
            end for end in _tube_ends(body) if np.linalg.norm(end - start) > NEGLIGIBLE * reach
        ]
        # Links shorter than the tube's radius do not limit the sizes.
        above = [length for length in _link_above(body) if length > radius]
        below = [length for length in _links_below(body) if length > radius]
        if body is tree.base:
            foot = model.Cylinder(FOOT_RADIUS * radius, radius)
            _add(body, foot, transform((0.0, 0.0, 0.5 * radius)), BASE_MATERIAL)
        elif body.joint.type != "fixed" and not (
            # A joint at the base's foot has the foot's shape.
            body.parent is tree.base and not body.joint.joint_to_parent[:3, 3].any()
        ):
            room = SHARE_OF_LINK * min(above if tubes else above + below, default=math.inf)
            _add_joint_shape(body, min(radius, room / DRUM_EXTENT))
        room = SHARE_OF_LINK * min(above + below, default=math.inf)
        for end in tubes:
            length = float(np.linalg.norm(end - start))
            origin = transform(0.5 * (start + end), rotation_taking_z_to((end - start) / length))
            _add(body, model.Cylinder(min(radius, room), length), origin, LINK_MATERIAL)
        # RViz draws all of a link's visuals in the color of the first (ros2/rviz#1293).
        body.visuals.sort(key=lambda visual: visual.material is JOINT_MATERIAL)


def _own_joint(body: model.RigidBody) -> Array:
    """Return the position (m) of the body's joint in the body's frame."""
    if body.parent is None:
        return np.zeros(3)
    start: Array = inverse(body.joint.child_to_joint)[:3, 3]
    return start


def _tube_ends(body: model.RigidBody) -> list[Array]:
    """Return the positions (m) of the children's joints, or of the body's own frame."""
    ends = [np.array(child.joint.joint_to_parent[:3, 3]) for child in body.children]
    return ends or [np.zeros(3)]


def _link_above(body: model.RigidBody) -> list[float]:
    """Return the length (m) of the moving link that carries a body's joint, if any."""
    parent = body.parent
    if parent is None or parent.parent is None or "fixed" in (body.joint.type, parent.joint.type):
        return []
    return [float(np.linalg.norm(body.joint.joint_to_parent[:3, 3] - _own_joint(parent)))]


def _links_below(body: model.RigidBody) -> list[float]:
    """Return the lengths (m) of the moving links below a body."""
    return [
        float(np.linalg.norm(end - _own_joint(child)))
        for child in body.children
        if child.joint.type != "fixed"
        for end in _tube_ends(child)
    ]


def _distances_to_the_tips(tree: model.RigidBodyTree) -> dict[str, float]:
    """Return the length (m) of the longest path of tubes from each body to a tip."""
    remaining: dict[str, float] = {}
    for body in (*reversed(tree.bodies), tree.base):
        start = _own_joint(body)
        remaining[body.name] = max(
            float(np.linalg.norm(end - start)) + remaining.get(child.name, 0.0)
            for end, child in zip(_tube_ends(body), body.children or (body,), strict=True)
        )
    return remaining


def _add_joint_shape(body: model.RigidBody, radius: float) -> None:
    joint = body.joint
    T_body_joint = inverse(joint.child_to_joint)
    origin = T_body_joint @ transform(rotation=rotation_taking_z_to(joint.axis))
    shape: model.Geometry = model.Cylinder(DRUM_RADIUS * radius, DRUM_LENGTH * radius)
    if joint.type == "prismatic":
        shape = model.Box((2.0 * radius, 2.0 * radius, DRUM_LENGTH * radius))
    elif joint.position_count > 1:
        shape = model.Sphere(DRUM_RADIUS * radius)
    _add(body, shape, origin, JOINT_MATERIAL)


def _add(
    body: model.RigidBody, geometry: model.Geometry, origin: Array, material: model.Material
) -> None:
    body.visuals.append(model.Visual(geometry, origin, material=material))
    body.collisions.append(model.Collision(geometry, origin))
