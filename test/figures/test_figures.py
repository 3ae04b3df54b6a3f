"""Figures agree with the kinematics, and need no display."""

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib import pyplot as plt

from rigid_tree_kinematics import load_robot
from rigid_tree_kinematics.errors import ConfigurationError, UnknownNameError
from rigid_tree_kinematics.figures import show_limits, show_workspace
from rigid_tree_kinematics.figures.ranges import NEAR
from rigid_tree_kinematics.kinematics import body_transforms


@pytest.fixture(autouse=True)
def closed():
    mpl.use("Agg")
    yield
    plt.close("all")


def test_links_and_frames_are_drawn_where_the_bodies_are(tmp_path):
    tree = load_robot("panda")
    q = tree.random_configuration(3)
    axes = tree.show(dict(zip(tree.joint_names, q, strict=True)), names=True)
    poses = body_transforms(tree, q)
    lines = [np.array(line.get_data_3d()).T for line in axes.lines]
    links, triads = lines[: len(tree.bodies)], lines[len(tree.bodies) :]
    parents = tree.compiled().parents
    for row, link in enumerate(links, start=1):
        np.testing.assert_allclose(link, poses[[parents[row], row], :3, 3])
    x_axes = triads[: len(poses)]
    for pose, (begin, tip) in zip(poses, x_axes, strict=True):
        np.testing.assert_allclose(begin, pose[:3, 3])
        along = (tip - begin) / np.linalg.norm(tip - begin)
        np.testing.assert_allclose(along, pose[:3, 0], atol=1e-9)
    assert {text.get_text().strip() for text in axes.texts} == {tree.base_name, *tree.body_names}
    path = tmp_path / "panda.png"
    axes.figure.savefig(path)
    assert np.ptp(plt.imread(path)) > 0.5


@pytest.mark.parametrize("name", ["panda", "nao", "double_pendulum"])
def test_meshes_are_drawn_in_their_colours(name):
    tree = load_robot(name)
    plain = tree.show(frames=False)
    axes = tree.show(frames=False, meshes=True)
    assert len(axes.collections) > len(plain.collections)
    colors = np.concatenate([c.get_facecolors() for c in axes.collections])
    assert len(np.unique(colors.round(3), axis=0)) > 3


def test_it_draws_into_given_axes_and_rejects_invalid_input():
    axes = plt.figure().add_subplot(projection="3d")
    tree = load_robot("ur5")
    assert tree.show(axes=axes) is axes
    with pytest.raises(ConfigurationError):
        tree.show([0.0])


def test_limits_are_in_degrees_and_millimeters():
    tree = load_robot("panda")
    q = tree.home_configuration()
    q[3] = tree.compiled().upper[3] - 0.01
    axes = show_limits(tree, q)
    bars = [(bar.get_x(), bar.get_x() + bar.get_width()) for bar in axes.patches]  # type: ignore[attr-defined]
    expected = np.degrees(np.column_stack((tree.compiled().lower, tree.compiled().upper)))
    np.testing.assert_allclose(bars, expected)
    marks = [line for line in axes.lines if line.get_marker() == "o"]
    np.testing.assert_allclose([mark.get_xdata()[0] for mark in marks], np.degrees(q))
    assert [mark.get_color() == NEAR for mark in marks] == [k == 3 for k in range(7)]
    endless = show_limits(load_robot("double_pendulum"))
    assert not endless.patches
    assert len(endless.collections) == 2


def test_the_workspace_of_a_planar_arm_is_its_annulus():
    tree = load_robot("planar_two_link")
    tip = tree.body_names[-1]
    figure = show_workspace(tree, tip, samples=5000)
    assert len(figure.axes) == 3
    mesh = figure.axes[0].collections[0]
    assert mesh.get_array().sum() == 5000
    with pytest.raises(UnknownNameError, match="nose"):
        show_workspace(tree, "nose", samples=10)
