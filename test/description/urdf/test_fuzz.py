"""A mutated file gives a tree or one of the package's errors, in bounded time."""

import contextlib
import random
import warnings

from harness.cases import case
from rigid_tree_kinematics.description import read_urdf, read_urdf_file
from rigid_tree_kinematics.errors import RigidTreeError

VALID = b"""<?xml version="1.0"?>
<robot name="r" version="1.0">
  <material name="red"><color rgba="1 0 0 1"/><texture filename="t.png"/></material>
  <link name="a"><inertial><origin xyz="0 1 0" rpy="1 0 0"/><mass value="2"/>
    <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
    <visual><origin quat_xyzw="0 0 0 1"/><geometry><box size="1 2 3"/></geometry>
      <material name="red"/></visual>
    <collision><geometry><mesh filename="m.stl" scale="1 1 -1"/></geometry></collision></link>
  <link name="b"/><link name="c"/><link name="d"/>
  <joint name="ab" type="revolute"><parent link="a"/><child link="b"/><origin xyz="1e-3 0 .5"/>
    <axis xyz="0 0 1"/><limit lower="-1" upper="1" effort="10" velocity="2"/>
    <dynamics damping="1" friction="2"/><calibration rising="0.1"/>
    <safety_controller k_velocity="1" k_position="2"/></joint>
  <joint name="bc" type="continuous"><parent link="b"/><child link="c"/>
    <mimic joint="ab" multiplier="-2" offset="0.5"/></joint>
  <joint name="bd" type="planar"><parent link="b"/><child link="d"/></joint>
</robot>
"""
SPLINTERS = [b"nan", b"-", b"1e400", b"0", b"<", b"/>", b'"', b"&lt;", b"\xff\xfe", b"\x00", b"$("]
NUMBERS = [b"0", b"-1", b"1e308", b"-1e308", b"1e-320", b"inf", b"", b"1 1"]
WORDS = [b'"a"', b'"b"', b'"c"', b'"ab"', b'"bc"', b'"fixed"', b'"floating"', b'"prismatic"']


def mutated(rng, data):
    for _ in range(rng.randint(1, 4)):
        start = rng.randrange(len(data))
        stop = start + rng.choice((1, 3, 10, 60))
        kind = rng.randrange(6)
        if kind == 0:
            data = data[:start] + data[stop:]
        elif kind == 1:
            data = data[:stop] + data[start:stop] + data[stop:]
        elif kind == 2:
            data = data[:start] + rng.choice(SPLINTERS) + data[start + 1 :]
        elif kind == 3:
            lines = data.split(b"\n")
            lines[rng.randrange(len(lines))] = rng.choice(lines)
            data = b"\n".join(lines)
        else:  # another value in the place of one: stays well-formed, and reaches deeper
            quotes = [i for i, byte in enumerate(data) if byte == ord('"')]
            if len(quotes) < 2:
                return data
            i = rng.randrange(len(quotes) - 1)
            value = b'"' + rng.choice(NUMBERS) + b'"' if kind == 4 else rng.choice(WORDS)
            data = data[: quotes[i]] + value + data[quotes[i + 1] + 1 :]
        data = data or b"<"
    return data


def test_mutated_files_give_a_tree_or_an_error_of_ours(tmp_path):
    rng = random.Random(0)
    path = tmp_path / "robot.urdf"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for _ in range(4000):
            data = mutated(rng, VALID)
            path.write_bytes(data)
            for read, argument in ((read_urdf_file, path), (read_urdf, data.decode("latin-1"))):
                with case(data), contextlib.suppress(RigidTreeError):
                    read(argument).compiled()
