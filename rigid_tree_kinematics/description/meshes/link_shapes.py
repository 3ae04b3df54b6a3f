"""Plain shapes for a robot that is known only by its frames, so that it can be seen.

Each link is a tube from its own joint to the joints that hang on it; each moving joint is a drum
about its axis, or a block along it. Tubes get thinner towards the tips, and where a short link
would not keep the two that it connects apart.
"""

from __future__ import annotations

import math

import numpy as np

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.model import (
    Box,
    Collision,
    Cylinder,
    Geometry,
    Material,
    RigidBody,
    RigidBodyTree,
    Sphere,
    Visual,
)
from rigid_tree_kinematics.model.transforms import inverse, rotation_taking_z_to, transform

LINK_MATERIAL = Material("link", (0.85, 0.86, 0.88, 1.0))
JOINT_MATERIAL = Material("joint", (0.95, 0.5, 0.1, 1.0))
BASE_MATERIAL = Material("base", (0.25, 0.27, 0.3, 1.0))

# Tube radius at the base by the longest way from the base to a tip, and at the tips by that.
BASE_RADIUS = 0.045
TIP_SHARE = 0.45
# Sizes by the radius of the tube there.
DRUM_RADIUS = 1.25
DRUM_LENGTH = 2.8
DRUM_EXTENT = math.hypot(DRUM_RADIUS, 0.5 * DRUM_LENGTH)  # from its middle to its rims
FOOT_RADIUS = 2.0
# Joints nearer to each other than this, by the longest way, have no tube between them.
NEGLIGIBLE = 0.01
# How far the shapes at either end of a link reach along it at most, by its length.
SHARE_OF_LINK = 0.45
DEFAULT_REACH = 1.0  # m, of a robot whose joints all coincide


def add_link_shapes(tree: RigidBodyTree) -> None:
    """Give every body that moves something, or is moved, plain visuals and equal collisions.

    Shapes that are there already stay. The sizes follow from the robot's own size.
    """
    remaining = _ways_to_the_tips(tree)
    reach = max(remaining.values(), default=0.0) or DEFAULT_REACH
    for body in (tree.base, *tree.bodies):
        share = TIP_SHARE + (1.0 - TIP_SHARE) * remaining[body.name] / reach
        radius = BASE_RADIUS * reach * share
        start = _own_joint(body)
        tubes = [
            end for end in _tube_ends(body) if np.linalg.norm(end - start) > NEGLIGIBLE * reach
        ]
        # Links shorter than this body is thick keep nothing apart.
        above = [way for way in _link_above(body) if way > radius]
        below = [way for way in _links_below(body) if way > radius]
        if body is tree.base:
            foot = Cylinder(FOOT_RADIUS * radius, radius)
            _add(body, foot, transform((0.0, 0.0, 0.5 * radius)), BASE_MATERIAL)
        elif body.joint.type != "fixed" and not _stands_on_foot(tree, body):
            room = SHARE_OF_LINK * min(above if tubes else above + below, default=math.inf)
            _add_joint_shape(body, min(radius, room / DRUM_EXTENT))
        room = SHARE_OF_LINK * min(above + below, default=math.inf)
        for end in tubes:
            _add_tube(body, start, end, min(radius, room))


def _stands_on_foot(tree: RigidBodyTree, body: RigidBody) -> bool:
    """Whether the joint is where the base's foot is, which stands for it then."""
    return body.parent is tree.base and not body.joint.joint_to_parent[:3, 3].any()


def _own_joint(body: RigidBody) -> Array:
    """Return where the body's joint is, in the body's frame (m); the base's frame is its joint."""
    if body.parent is None:
        return np.zeros(3)
    start: Array = inverse(body.joint.child_to_joint)[:3, 3]
    return start


def _tube_ends(body: RigidBody) -> list[Array]:
    """Return where the joints of the body's children are, or where its own frame is (m)."""
    ends = [np.array(child.joint.joint_to_parent[:3, 3]) for child in body.children]
    return ends or [np.zeros(3)]


def _link_above(body: RigidBody) -> list[float]:
    """Return the length (m) of the moving link that a body's joint is on, if there is one."""
    parent = body.parent
    if parent is None or parent.parent is None or "fixed" in (body.joint.type, parent.joint.type):
        return []
    return [float(np.linalg.norm(body.joint.joint_to_parent[:3, 3] - _own_joint(parent)))]


def _links_below(body: RigidBody) -> list[float]:
    """Return the lengths (m) of the moving links that hang on a body."""
    return [
        float(np.linalg.norm(end - _own_joint(child)))
        for child in body.children
        if child.joint.type != "fixed"
        for end in _tube_ends(child)
    ]


def _ways_to_the_tips(tree: RigidBodyTree) -> dict[str, float]:
    """Return the length (m) of the longest way along the tubes from each body outwards."""
    remaining: dict[str, float] = {}
    for body in (*reversed(tree.bodies), tree.base):
        start = _own_joint(body)
        ways = [
            float(np.linalg.norm(end - start)) + remaining.get(child.name, 0.0)
            for end, child in zip(_tube_ends(body), body.children or (body,), strict=True)
        ]
        remaining[body.name] = max(ways)
    return remaining


def _add_joint_shape(body: RigidBody, radius: float) -> None:
    joint = body.joint
    T_body_joint = inverse(joint.child_to_joint)
    origin = T_body_joint @ transform(rotation=rotation_taking_z_to(joint.axis))
    shape: Geometry = Cylinder(DRUM_RADIUS * radius, DRUM_LENGTH * radius)
    if joint.type == "prismatic":
        shape = Box((2.0 * radius, 2.0 * radius, DRUM_LENGTH * radius))
    elif joint.position_count > 1:
        shape = Sphere(DRUM_RADIUS * radius)
    _add(body, shape, origin, JOINT_MATERIAL)


def _add_tube(body: RigidBody, start: Array, end: Array, radius: float) -> None:
    span = end - start
    length = float(np.linalg.norm(span))
    origin = transform(0.5 * (start + end), rotation_taking_z_to(span / length))
    _add(body, Cylinder(radius, length), origin, LINK_MATERIAL)


def _add(body: RigidBody, geometry: Geometry, origin: Array, material: Material) -> None:
    body.visuals.append(Visual(geometry, origin, material=material))
    body.collisions.append(Collision(geometry, origin))
