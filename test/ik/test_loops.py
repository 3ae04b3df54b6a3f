"""Closed loops of SDF and MJCF stay closed in inverse kinematics and planning."""

import warnings
from pathlib import Path

import numpy as np
import pytest

from rigid_tree_kinematics import RigidBodyTree, load_robot
from rigid_tree_kinematics.description import read_sdf, read_urdf, write_urdf
from rigid_tree_kinematics.errors import DescriptionWarning, ModelError, UnknownNameError
from rigid_tree_kinematics.ik import (
    ConstraintSet,
    GeneralizedInverseKinematics,
    JointBounds,
    loop_constraints,
)
from rigid_tree_kinematics.model import Loop, RigidBody
from rigid_tree_kinematics.model.chains import longest_chain_end
from rigid_tree_kinematics.model.transforms import rotation_log

# A parallelogram in the plane y = 0: crank and rocker of 0.3 m, coupler and ground of 0.5 m.
HINGE = "<axis><xyz>0 1 0</xyz></axis>"
FOUR_BAR = f"""<sdf version="1.9"><model name="four_bar"><link name="ground"/>
  <link name="crank"/><link name="coupler"><pose>0 0 0.3 0 0 0</pose></link>
  <link name="rocker"><pose>0.5 0 0 0 0 0</pose></link>
  <joint name="a" type="revolute"><parent>ground</parent><child>crank</child>{HINGE}</joint>
  <joint name="b" type="revolute"><parent>crank</parent><child>coupler</child>{HINGE}</joint>
  <joint name="d" type="revolute"><parent>ground</parent><child>rocker</child>{HINGE}</joint>
  <joint name="c" type="continuous"><pose relative_to="rocker">0 0 0.3 0 0 0</pose>
    <parent>rocker</parent><child>coupler</child>{HINGE}</joint>
</model></sdf>"""


@pytest.fixture
def four_bar() -> RigidBodyTree:
    with pytest.warns(DescriptionWarning, match="kept as tree.loops; dynamics ignores it"):
        return read_sdf(FOUR_BAR)


def test_a_parallelogram_moves_like_one(four_bar: RigidBodyTree) -> None:
    assert four_bar.loops == (Loop("c", "c_a", "c_b", "revolute"),)
    for angle in (-0.7, 0.2, 0.9):
        bounds = JointBounds({"a": (angle, angle + 1e-9)})
        ik = GeneralizedInverseKinematics(four_bar, [*loop_constraints(four_bar), bounds])
        result = ik.solve(np.array([angle, -angle, angle]) + 0.1)
        assert result.success
        q = four_bar.configuration_by_name(result.configuration)
        assert (q["b"], q["d"]) == pytest.approx((-angle, angle), abs=1e-4)


def test_constraints_of_planning_close_the_loop(four_bar: RigidBodyTree) -> None:
    constraints = ConstraintSet(four_bar.compiled(), loop_constraints(four_bar))
    assert constraints.met(np.array([0.4, -0.4, 0.4]))
    assert not constraints.met(np.array([0.4, -0.4, 0.3]))


def test_loops_follow_edits_of_the_tree(four_bar: RigidBodyTree) -> None:
    assert four_bar.copy().loops == four_bar.loops
    four_bar.replace_body("c_a", RigidBody("end", four_bar.get_body("c_a").joint))
    assert four_bar.loops[0].frame == "end"
    with pytest.raises(UnknownNameError, match="'gone'"):
        four_bar.loops = [Loop("c", "gone", "c_b")]
    four_bar.loops = [Loop("c", "end", "ground")]
    four_bar.base_name = "floor"
    assert four_bar.loops[0].other == "floor"
    four_bar.remove_body("rocker")
    assert not four_bar.loops
    with pytest.raises(ModelError, match="known: fixed, ball, revolute"):
        Loop("c", "c_a", "c_b", "planar")


def test_urdf_has_the_loops(four_bar: RigidBodyTree) -> None:
    assert read_urdf(write_urdf(four_bar)).loops == four_bar.loops


def test_a_loops_frame_is_no_end_of_a_chain(four_bar: RigidBodyTree) -> None:
    assert longest_chain_end(four_bar) == "coupler"  # not c_b, which is fixed to it


MJCF = """<mujoco><compiler angle="radian"/><worldbody><body name="a">
  <joint name="a" axis="0 1 0"/><geom size="0.1" pos="0 0 0.3"/><body name="b" pos="0 0 0.3">
  <joint name="b" axis="0 1 0"/><geom size="0.1"/></body></body>
  <body name="d" pos="0.5 0 0"><joint name="d" axis="0 1 0"/><geom size="0.1"/>
  <site name="s" pos="0 0 0.3" euler="0 0.4 0"/></body></worldbody>
  <equality>{}</equality></mujoco>"""
CONNECTIONS = {
    "connect": ('<connect body1="b" body2="d" anchor="0.5 0 0"/>', "ball"),
    "weld": (
        '<weld body1="b" body2="d" anchor="0.1 0 0.2" relpose="0.5 0 -.3 .9 0 .2 0"/>',
        "fixed",
    ),
}


@pytest.mark.parametrize("kind", CONNECTIONS)
def test_errors_of_mujocos_constraints_are_those_of_the_frames(tmp_path: Path, kind: str) -> None:
    mujoco = pytest.importorskip("mujoco")
    element, loop_type = CONNECTIONS[kind]
    (tmp_path / "bars.xml").write_text(MJCF.format(element))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DescriptionWarning)
        tree = load_robot(tmp_path / "bars.xml")
    assert [loop.type for loop in tree.loops] == [loop_type]
    model = mujoco.MjModel.from_xml_path(str(tmp_path / "bars.xml"))
    data = mujoco.MjData(model)
    for seed in range(10):
        data.qpos[:] = q = np.random.default_rng(seed).uniform(-1, 1, 3)
        mujoco.mj_forward(model, data)
        frame, other = (tree.get_transform(q, name) for name in ("eq_0_a", "eq_0_b"))
        assert data.efc_pos[:3] == pytest.approx(frame[:3, 3] - other[:3, 3], abs=1e-12)
        angle = np.linalg.norm(data.efc_pos[3:])  # of a weld: the sine of half of it
        turn = np.linalg.norm(rotation_log(frame[:3, :3].T @ other[:3, :3]))
        assert angle == pytest.approx(abs(np.sin(0.5 * turn)) if kind == "weld" else 0.0, abs=1e-9)
