"""Robot tables in YAML: their meaning, and error messages."""

import math
import random
import re
import warnings
from pathlib import Path

import numpy as np
import pytest

from harness.cases import case
from rigid_tree_kinematics.description.robots import bundled_folder
from rigid_tree_kinematics.description.table.table_reader import (
    read_table,
    read_table_file,
    table_variants,
)
from rigid_tree_kinematics.errors import DescriptionError, RigidTreeError, UnknownNameError
from rigid_tree_kinematics.model import Box, Cylinder, Mesh, Mimic, Sphere
from rigid_tree_kinematics.model.transforms import (
    dh_transform,
    mdh_transform,
    rpy_matrix,
    transform,
)

ARM = """
robot: arm
base: world
convention: mdh
constants:
  Reach: 2 * Half
  Half: 0.25 + Tiny/10
  Tiny: 0.5
chains:
  arm:
    parent: world
    base_transform: Translation(0, 0, 1) RotZ(pi/2)
    joints:
      - {joint: j1, body: b1, alpha: 0.1, a: 0.2, theta: 0.3, d: 0.4,
         limits: [-1, deg(90)], velocity: 2, effort: 3, home: 0.5, damping: 0.1, friction: 0.2}
      - {joint: j2, body: b2, type: prismatic, alpha: -pi/2, d: Reach, limits: [0, 0.5]}
      - {joint: j3, body: b3, type: continuous}
      - {joint: j4, body: b4, type: fixed, a: 0.1}
    ends:
      tip: RotX(-pi/2) TransZ(0.1)
      same: identity
  gripper:
    parent: tip
    joints:
      - {joint: finger, body: finger, mimic: {joint: j1, multiplier: -2, offset: 0.1}}
frames:
  camera: {parent: b2, joint: camera_mount, transform: "Translation(0.01, 0, 0)"}
"""


def with_line(old: str, new: str) -> str:
    assert ARM.count(old) >= 1, old
    return ARM.replace(old, new, 1)


def test_mdh_rows_follow_the_convention() -> None:
    tree = read_table(ARM)
    assert tree.name == "arm"
    assert tree.joint_names == ("j1", "j2", "j3")
    q = [0.7, 0.2, -1.3]
    T = transform((0, 0, 1), rpy_matrix(0, 0, math.pi / 2))
    T = T @ mdh_transform(a=0.2, alpha=0.1, d=0.4, theta=0.3 + 0.7)
    np.testing.assert_allclose(tree.get_transform(q, "b1"), T, atol=1e-15)
    T = T @ mdh_transform(a=0, alpha=-math.pi / 2, d=0.6 + 0.2, theta=0)
    np.testing.assert_allclose(tree.get_transform(q, "b2"), T, atol=1e-15)
    camera = T @ transform((0.01, 0, 0))
    np.testing.assert_allclose(tree.get_transform(q, "camera"), camera, atol=1e-15)
    T = T @ mdh_transform(0, 0, 0, -1.3) @ mdh_transform(0.1, 0, 0, 0)
    np.testing.assert_allclose(tree.get_transform(q, "same"), T, atol=1e-15)
    T = T @ transform(rotation=rpy_matrix(-math.pi / 2, 0, 0)) @ transform((0, 0, 0.1))
    np.testing.assert_allclose(tree.get_transform(q, "tip"), T, atol=1e-15)
    T = T @ mdh_transform(0, 0, 0, -2 * 0.7 + 0.1)
    np.testing.assert_allclose(tree.get_transform(q, "finger"), T, atol=1e-15)


def test_dh_rows_follow_the_convention() -> None:
    tree = read_table(with_line("convention: mdh", "convention: dh"))
    q = [0.7, 0.2, -1.3]
    T = transform((0, 0, 1), rpy_matrix(0, 0, math.pi / 2))
    T = T @ dh_transform(a=0.2, alpha=0.1, d=0.4, theta=0.3 + 0.7)
    T = T @ dh_transform(a=0, alpha=-math.pi / 2, d=0.6 + 0.2, theta=0)
    T = T @ dh_transform(0, 0, 0, -1.3) @ dh_transform(0.1, 0, 0, 0)
    np.testing.assert_allclose(tree.get_transform(q, "b4"), T, atol=1e-15)


def test_a_chain_may_have_its_own_convention() -> None:
    text = with_line("    parent: world\n", "    parent: world\n    convention: dh\n")
    mixed, pure = read_table(text), read_table(with_line("convention: mdh", "convention: dh"))
    q = [0.7, 0.2, -1.3]
    np.testing.assert_array_equal(mixed.get_transform(q, "tip"), pure.get_transform(q, "tip"))


def test_joints_have_what_their_rows_give() -> None:
    tree = read_table(ARM)
    j1 = tree.get_joint("j1")
    assert j1.type == "revolute"
    assert j1.position_limits == (-1.0, math.radians(90))
    assert (j1.velocity_limit, j1.effort_limit, j1.home_position) == (2.0, 3.0, 0.5)
    assert j1.dynamics is not None
    assert (j1.dynamics.damping, j1.dynamics.friction) == (0.1, 0.2)
    assert tree.get_joint("j2").position_limits == (0.0, 0.5)
    assert [tree.get_joint(name).type for name in ("j2", "j3", "j4", "tip_joint")] == [
        *("prismatic", "continuous", "fixed", "fixed")
    ]
    assert tree.get_joint("finger").mimic == Mimic("j1", -2.0, 0.1)
    assert tree.get_joint("camera_mount").type == "fixed"


def test_a_motor_gives_its_inertia_through_its_gear() -> None:
    """Corke's Puma 560 has 200e-6 kg m^2 and a ratio of -62.6111 in the first joint."""
    row = "damping: 0.1, friction: 0.2}"
    motor = "damping: 0.1, motor_inertia: 200e-6, gear_ratio: -62.6111}"
    tree = read_table(with_line(row, motor))
    armature = tree.get_joint("j1").armature
    assert armature == pytest.approx(200e-6 * 62.6111**2, rel=1e-12)
    assert tree.copy().get_joint("j1").armature == armature
    compiled = tree.subtree("b1").compiled()
    assert compiled.armature.tolist() == [armature, 0.0, 0.0]
    direct = read_table(with_line(row, "motor_inertia: 0.1}"))
    assert direct.get_joint("j1").armature == 0.1
    for wrong, words in (
        ("gear_ratio: 10}", "gear_ratio: .*'motor_inertia'"),
        ("motor_inertia: 1, gear_ratio: 0}", "gear_ratio: must not be zero"),
        ("motor_inertia: -1}", "motor_inertia: must not be negative"),
    ):
        with pytest.raises(DescriptionError, match=words):
            read_table(with_line(row, wrong))


def test_chains_come_in_any_order_and_mimics_may_point_ahead() -> None:
    head, chains = ARM.split("chains:\n")
    chains, frames = chains.split("frames:\n")
    arm, gripper = chains.split("  gripper:\n")
    turned = f"frames:\n{frames}{head}chains:\n  gripper:\n{gripper}{arm}"
    tree, wanted = read_table(turned), read_table(ARM)
    assert set(tree.body_names) == set(wanted.body_names)
    q = wanted.configuration_by_name(wanted.random_configuration(3))
    for body in wanted.body_names:
        np.testing.assert_array_equal(tree.get_transform(q, body), wanted.get_transform(q, body))


@pytest.mark.parametrize("convention", ["mdh", "dh"])
def test_turned_bodies_keep_their_origins_and_stand_parallel_at_zero(convention: str) -> None:
    text = with_line("convention: mdh", f"convention: {convention}")
    plain, turned = read_table(text), read_table(text + "body_axes: base\n")
    zero = [0.0, 0.0, 0.0]
    rows = ("b1", "b2", "b3", "b4")
    for body in rows:
        T = turned.get_transform(zero, body)
        np.testing.assert_allclose(T[:3, :3], np.eye(3), atol=1e-15)
    rng = np.random.default_rng(8)
    for _ in range(5):
        q = plain.random_configuration(rng)
        for body in rows:
            found, wanted = turned.get_transform(q, body), plain.get_transform(q, body)
            np.testing.assert_allclose(found[:3, 3], wanted[:3, 3], atol=1e-14)
            turn = plain.get_transform(zero, body)[:3, :3].T
            np.testing.assert_allclose(found[:3, :3], wanted[:3, :3] @ turn, atol=1e-14)
        # body_axes does not change ends.
        for body in ("tip", "same"):
            np.testing.assert_allclose(
                turned.get_transform(q, body), plain.get_transform(q, body), atol=1e-14
            )


def test_inertia_and_shapes_are_listed_under_bodies() -> None:
    text = (
        ARM
        + """
materials: {red: [1, 0, 0, 1/2]}
bodies:
  world:
    shapes: [{sphere: 0.1}]
  b1:
    inertia: {mass: 2*Half, center_of_mass: [0, Half, 0], matrix: [1, 2, 3, 0.1, 0.2, 0.3]}
    shapes:
      - {box: [1, 2, 3], at: "Translation(0, 0, 1) RotX(pi/2)", material: red}
      - {cylinder: [0.1, 0.2], use: visual}
      - {mesh: meshes/b1.stl, scale: [2, 2, 2], use: collision}
"""
    )
    tree = read_table(text, directory="/robots")
    body = tree.get_body("b1")
    assert body.inertia is not None
    assert body.inertia.mass == 0.6
    np.testing.assert_array_equal(body.inertia.center_of_mass, [0, 0.3, 0])
    np.testing.assert_array_equal(
        body.inertia.matrix, [[1, 0.1, 0.2], [0.1, 2, 0.3], [0.2, 0.3, 3]]
    )
    assert [shape.geometry for shape in body.visuals] == [Box((1, 2, 3)), Cylinder(0.1, 0.2)]
    mesh = Mesh("meshes/b1.stl", (2.0, 2.0, 2.0), "/robots")
    assert [shape.geometry for shape in body.collisions] == [Box((1, 2, 3)), mesh]
    assert body.visuals[0].material is not None
    assert body.visuals[0].material.color == (1, 0, 0, 0.5)
    turn = transform((0, 0, 1), rpy_matrix(math.pi / 2, 0, 0))
    np.testing.assert_allclose(body.visuals[0].origin, turn, atol=1e-15)
    assert tree.base.visuals[0].geometry == Sphere(0.1)
    # Where the file draws something, nothing is added to it.
    assert not tree.get_body("b2").visuals


VARIANTS = (
    ARM
    + """
bodies:
  b1: {inertia: {mass: 1}, shapes: [{sphere: 0.1}]}
variants:
  long:
    constants: {Half: 1}
    bodies: {b1: {inertia: {mass: 5}}}
  stiff: {like: long, fixed: [j3]}
  plain: {}
"""
)


def test_variants_change_constants_bodies_and_which_joints_move() -> None:
    assert table_variants(VARIANTS) == ["long", "stiff", "plain"]
    assert table_variants(ARM) == []
    long, stiff = read_table(VARIANTS, variant="long"), read_table(VARIANTS, variant="stiff")
    assert (long.name, stiff.name) == ("long", "stiff")
    zero = [0.0, 0.0, 0.0]
    long_b2 = long.get_transform(zero, "b2", "b1")
    np.testing.assert_allclose(np.linalg.norm(long_b2[:3, 3]), 2.0)
    np.testing.assert_allclose(stiff.get_transform([0.0, 0.0], "b2", "b1"), long_b2)
    assert stiff.joint_names == ("j1", "j2")
    b1 = stiff.get_body("b1")
    assert b1.inertia is not None
    assert b1.inertia.mass == 5.0
    assert b1.visuals[0].geometry == Sphere(0.1)
    with pytest.raises(UnknownNameError, match="did you mean 'stiff'"):
        read_table(VARIANTS, variant="stif")


def test_a_file_is_read_with_its_folder_for_meshes(tmp_path: Path) -> None:
    path = tmp_path / "arm.yaml"
    path.write_text(ARM + "bodies: {b1: {shapes: [{mesh: b1.stl}]}}\n", encoding="utf-8")
    mesh = read_table_file(path).get_body("b1").visuals[0].geometry
    assert mesh == Mesh("b1.stl", (1.0, 1.0, 1.0), str(tmp_path.resolve()))
    path.write_bytes(b"\xff\xfe\x00robot")
    with pytest.raises(DescriptionError, match=r"arm\.yaml: cannot be read as text"):
        read_table_file(path)


def test_the_examples_of_the_documentation_are_robots() -> None:
    text = (Path(__file__).parents[3] / "docs/robot_tables.md").read_text(encoding="utf-8")
    scara, bodies, variants = re.findall(r"```yaml\n(.*?)```", text, re.DOTALL)
    tree = read_table(scara)
    assert tree.joint_names == ("shoulder", "elbow", "quill", "roll")
    np.testing.assert_allclose(tree.get_transform([0, 0, 0.1, 0], "tool")[2, 3], 0.4 - 0.1 - 0.03)
    stiff = read_table(scara + variants, variant="scara_long_stiff")
    assert stiff.joint_names == ("shoulder", "elbow", "roll")
    np.testing.assert_allclose(stiff.get_transform(np.zeros(3), "tool")[0, 3], 0.475 + 0.425)
    numbers = bodies.replace("[ixx, iyy, izz, ixy, ixz, iyz]", "[1, 2, 3, 0, 0, 0]")
    forearm = read_table(scara + numbers + "materials: {grey: [0, 0, 0, 1]}\n").get_body("forearm")
    assert (len(forearm.visuals), len(forearm.collisions)) == (4, 3)


# -- what is said about mistakes ------------------------------------------------------------------

J2 = "type: prismatic, alpha: -pi/2, d: Reach, limits: [0, 0.5]"


def test_a_mistake_is_named_with_its_line_and_place() -> None:
    for old, new, message in (
        ("robot: arm\n", "", "the key 'robot' is missing"),
        ("base: world\n", "base:\n", "base: must be a string"),
        ("convention: mdh", "convention: mdx", "convention: 'mdx' is not one of dh, mdh"),
        ("chains:", "chain:", "unknown key 'chain'; did you mean 'chains'"),
        ("    joints:", "    joint:", "chain 'arm': unknown key 'joint'; did you mean 'joints'"),
        ("  Tiny: 0.5", "  Tiny: Reach", "constants: .* form a loop: Reach -> Half -> Tiny -> R"),
        ("  Tiny: 0.5", "  Tiny: 1/0", "constants: Tiny: a division by zero, in '1/0'"),
        ("  Tiny: 0.5", "  Tiny: tinny", "constants: Tiny: unknown name 'tinny'; did you mean 'T"),
        (
            "  Tiny: 0.5",
            "  Tiny: [1]",
            "constants: Tiny: must be a number or a formula, not a list",
        ),
        ("  Tiny: 0.5", "  pi: 3", "constants: 'pi' cannot name a constant"),
        ("  Tiny: 0.5", "  Tiny-2: 3", "constants: 'Tiny-2' cannot name a constant"),
        (J2, "d: Rech", "chain 'arm', joint 'j2': d: unknown name 'Rech'; did you mean 'Reach'"),
        (J2, "d: PI", "joint 'j2': d: unknown name 'PI'; did you mean 'pi'"),
        (J2, "d: 1/(Reach-Reach)", "chain 'arm', joint 'j2': d: a division by zero"),
        (J2, "d: 1e308*10", "joint 'j2': d: the value overflows"),
        (J2, "d: 1e13", "joint 'j2': d: 1e.13 is too large; at most 1e"),
        ("TransZ(0.1)", "TransZ(1e200)", "ends: tip: 1e.200 is too large"),
        (J2, "d: ''", "joint 'j2': d: an empty value"),
        (J2, "alfa: 1", "joints 2: unknown key 'alfa'; did you mean 'alpha'"),
        (J2, "type: hinge", "joint 'j2': type: 'hinge' is not one of revolute, prisma"),
        (J2, "limits: [0]", "joint 'j2': limits: must be a list of 2 numbers, not 1"),
        (J2, "limits: 3", "joint 'j2': limits: must be a list of 2 numbers, not text"),
        (J2, "limits: [1, 0]", "limits must be .low, high. with low <= high"),
        (J2, "home: 9", "joint 'j2': .*home position 9.0 is outside the limits"),
        (J2, "velocity: -1", "joint 'j2': velocity: must not be negative, but is -1"),
        (J2, "type: fixed, limits: [0, 1]", "joint 'j2': limits: a fixed joint cannot have"),
        (J2, "type: continuous, limits: [0, 1]", "a continuous joint has no limits"),
        (J2, "mimic: j1", "joint 'j2': mimic: must be a mapping with the keys joint"),
        (J2, "mimic: {joint: j2}", "joint 'j2' cannot mimic itself"),
        (J2, "mimic: {joint: nobody}", "joint 'j2': mimic: .*'nobody', which is not in the tree"),
        (
            "{joint: j1, multiplier: -2, offset: 0.1}}",
            "{joint: f2}}\n      - {joint: f2, body: f2, mimic: {joint: finger}}",
            "chain 'gripper', joint 'f2': mimic: .*mimic joints .*: f",
        ),
        ("joint: j2, ", "", "chain 'arm': joints 2: the key 'joint' is missing"),
        ("joint: j2", "joint: j1", r"the joint 'j1' already exists \(line 14\)"),
        ("body: b2", "body: b1", r"joint 'j2': the body 'b1' already exists \(line 14\)"),
        ("body: b2", "body: world", "joint 'j2': the body 'world' is the base"),
        ("    parent: world", "    parent: wrld", "the parent is an unknown body 'wrld'; did"),
        ("    parent: world", "    parent: finger", "the parents form a loop"),
        ("Translation(0, 0, 1) RotZ", "Translation(0, 0) RotZ", "chain 'arm': base_transform: Tr"),
        ("RotZ(pi/2)", "RotW(pi/2)", "base_transform: unknown name 'RotW'.*Steps are RotX"),
        ("RotX(-pi/2) TransZ(0.1)", "{}", "chain 'arm': ends: tip: must be steps"),
        ("{parent: b2, ", "{", "frame 'camera': the key 'parent' is missing"),
        ('"Translation(0.01, 0, 0)"', "Translation(1, 0, 0)", "'camera': transform: .*quotes"),
        ("base: world", "base: world\nbase: moon", "the key 'base' is repeated"),
        ("robot: arm", "robot: !!str arm", "the tag .* is not allowed"),
        ("robot: arm", "robot: &name arm\nbase: *name", "the alias '.name' is not allowed"),
        ("robot: arm", "robot: [arm", "not valid YAML"),
        ("robot: arm", "robot: arm\n\tx: 1", "not valid YAML"),
        ("robot: arm", "? [a]\n: arm", "a key must be a name, not a list"),
        ("robot: arm", "---\nrobot: arm\n---\nrobot: arm", "a second YAML document"),
    ):
        with case(new), pytest.raises(DescriptionError, match=message) as caught:
            read_table(with_line(old, new), "arm.yaml")
        assert re.match(r"arm\.yaml:\d+: ", str(caught.value))
        assert caught.value.source == "arm.yaml"


def test_mistakes_in_bodies_and_variants() -> None:
    for more, message in (
        ("bodies: {camra: {}}", "body 'camra': unknown body 'camra'; did you mean 'camera'"),
        ("bodies: {b1: {inertia: {}}}", "body 'b1': inertia: the key 'mass' is missing"),
        ("bodies: {b1: {inertia: {mass: -1}}}", "mass: must not be negative"),
        (
            "bodies: {b1: {shapes: [{}]}}",
            "shapes 1: must have one of box, cylinder, sphere, mesh, not",
        ),
        ("bodies: {b1: {shapes: [{box: [1, 1, 1], sphere: 1}]}}", "not box and sphere"),
        ("bodies: {b1: {shapes: [{box: [1, 1, 0]}]}}", "box: the sizes must be greater than zero"),
        ("bodies: {b1: {shapes: [{sphere: 0}]}}", "sphere: must be greater than zero, but is 0"),
        ("bodies: {b1: {shapes: [{sphere: 1, scale: [1, 1, 1]}]}}", "only a mesh has a scale"),
        ("bodies: {b1: {shapes: [{mesh: a.stl, scale: [1, 0, 1]}]}}", "scale contains a zero"),
        ("materials: {m: [255, 0, 0, 1]}", "from 0 to 1"),
        (
            "bodies: {b1: {shapes: [{sphere: 1, material: red}]}}",
            "material: unknown material 'red'",
        ),
        ("bodies: {b1: {shapes: [{sphere: 1, use: both or not}]}}", "not one of both, visual"),
        (
            "bodies: {b1: {shapes: {sphere: 1}}}",
            "shapes: must be a list of mappings, not a mapping",
        ),
        ("bodies: [b1]", "bodies: must be a mapping from names to values, not a list"),
        ("variants: {v: {like: w}}", "variant 'v': like: there is no variant 'w'"),
        ("variants: {v: {like: v}}", "like: the variants form a loop: v -> v"),
        ("variants: {v: {fixed: [j9]}}", "variant 'v': fixed: there is no joint 'j9'"),
        ("variants: {v: {fixed: j1}}", "variant 'v': fixed: must be a list of names"),
        ("variants: {v: {joints: []}}", "variant 'v': unknown key 'joints'"),
    ):
        variant = "v" if more.startswith("variants") else None
        with case(more), pytest.raises(DescriptionError, match=message):
            read_table(ARM + more + "\n", variant=variant)


def test_texts_that_are_no_tables_are_rejected() -> None:
    for text in ("", "# nothing\n", "just words", "[1, 2]", "\x00", "a: " + "[" * 99, "a: \ud800"):
        with case(text), pytest.raises(DescriptionError, match="junk"):
            read_table(text, "junk")


def test_expansion_and_recursion_are_bounded() -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 12)]
    with pytest.raises(DescriptionError, match="alias"):
        read_table("\n".join(lines))
    lines = [f"  c{n}: ((((c{n + 1}))))" for n in range(2000)]
    text = with_line("  Tiny: 0.5", "\n".join(["  Tiny: 0.5", *lines, "  c2000: 1"]))
    with pytest.raises(DescriptionError, match="too deeply"):
        read_table(text)


def test_mutilated_files_raise_only_our_errors() -> None:
    rng = random.Random(4)
    bundled = sorted(bundled_folder("robots").glob("u*.yaml"))
    sources = [ARM, VARIANTS, *(path.read_text() for path in bundled)]
    pieces = ["{", "}", "[", "]", ":", ",", "-", "*", "&a", "!!x", "\n", "  ", "pi", "1e999", "~"]
    refused = 0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for _ in range(600):
            text = rng.choice(sources)
            for _ in range(rng.randint(1, 3)):
                at = rng.randrange(len(text))
                action = rng.random()
                if action < 0.4:
                    text = text[:at] + rng.choice(pieces) + text[at:]
                elif action < 0.7:
                    text = text[:at] + text[at + rng.randint(1, 12) :]
                else:
                    other = rng.randrange(len(text))
                    text = text[:at] + text[other : other + 15] + text[at:]
            try:
                read_table(text)
            except RigidTreeError:
                refused += 1
    assert refused > 200
