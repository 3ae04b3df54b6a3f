"""Generated shapes of robots: their poses, and one for every moving link."""

import numpy as np

from rigid_tree_kinematics.description.meshes.link_shapes import LINK_MATERIAL, add_link_shapes
from rigid_tree_kinematics.description.table.table_reader import read_table
from rigid_tree_kinematics.model import Box, Cylinder, Joint, Mesh, RigidBody, RigidBodyTree
from rigid_tree_kinematics.model.transforms import transform

TWO_LINKS = """
robot: two
base: base
convention: {convention}
chains:
  arm:
    parent: base
    base_transform: TransZ(0.5)
    joints:
      - {{joint: j1, body: b1, {first}}}
      - {{joint: j2, body: b2, {second}}}
    ends:
      tip: {end}
"""
MDH = TWO_LINKS.format(
    convention="mdh", first="alpha: pi/2", second="a: 0.4", end="TransX(0.3) TransZ(0.1)"
)
DH = TWO_LINKS.format(
    convention="dh", first="a: 0.4, alpha: pi/2", second="a: 0.3, d: 0.1", end="identity"
)


def tube_ends(tree: RigidBodyTree, body: RigidBody) -> list[np.ndarray]:
    """Return the two ends of a body's tubes, in the base frame at zero."""
    T = tree.get_transform(np.zeros(len(tree.joint_names)), body.name)
    ends = []
    for visual in body.visuals:
        if isinstance(visual.geometry, Cylinder) and visual.material == LINK_MATERIAL:
            for side in (-0.5, 0.5):
                end = transform((0, 0, side * visual.geometry.length))
                ends.append((T @ visual.origin @ end)[:3, 3])
    return ends


def test_tubes_lead_from_joint_to_joint() -> None:
    for text in (MDH, DH):
        tree = read_table(text)
        first, second = (np.array(xyz) for xyz in ((0, 0, 0.5), (0.4, 0, 0.5)))
        tip = tree.get_transform(np.zeros(2), "tip")[:3, 3]
        wanted = {"base": [np.zeros(3), first], "b1": [first, second], "b2": [second, tip]}
        for name, ends in wanted.items():
            found = tube_ends(tree, tree.get_body(name))
            np.testing.assert_allclose(found, ends, atol=1e-12, err_msg=name)


def test_drums_lie_along_the_axes_and_collisions_are_the_visuals() -> None:
    tree = read_table(MDH)
    drum = tree.get_body("b1").visuals[-1]
    np.testing.assert_allclose(drum.origin, np.eye(4), atol=1e-15)
    for body in (tree.base, *tree.bodies):
        visuals, collisions = (
            sorted((repr(shape.geometry), shape.origin.tolist()) for shape in shapes)
            for shapes in (body.visuals, body.collisions)
        )
        assert visuals == collisions


def test_every_joint_type_gets_a_shape_of_the_robots_size() -> None:
    for size in (0.01, 1.0, 100.0):
        tree = RigidBodyTree("mixed", "base")
        for number, kind in enumerate(("revolute", "prismatic", "planar", "floating", "fixed")):
            joint = Joint(f"j{number}", kind, axis=(0, 1, 1))
            joint.set_fixed_transform(transform((0, 0, size)))
            tree.add_body(RigidBody(f"b{number}", joint), f"b{number - 1}" if number else "base")
        add_link_shapes(tree)
        for body in tree.bodies[:-1]:
            assert body.visuals, body.name
            for visual in body.visuals:
                shape = visual.geometry
                assert not isinstance(shape, Mesh)
                extents = shape.size if isinstance(shape, Box) else (2 * shape.radius,)
                assert 0.02 * size < min(extents) < 2 * size


def test_a_tree_of_coinciding_frames_still_gets_shapes() -> None:
    tree = RigidBodyTree("wrist", "base")
    tree.add_body(RigidBody("a", Joint("ja", "revolute")), "base")
    tree.add_body(RigidBody("b", Joint("jb", "revolute", axis=(0, 1, 0))), "a")
    add_link_shapes(tree)
    assert tree.base.visuals
    assert tree.get_body("b").visuals
