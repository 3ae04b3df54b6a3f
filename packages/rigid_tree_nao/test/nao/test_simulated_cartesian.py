"""The simulated robot's Cartesian and whole-body control, against ALMotion's documentation."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from rigid_tree_nao.errors import NaoError


@pytest.mark.parametrize("space", [0, 1, 2])
def test_arm_moves_to_a_position(nao, space):
    nao.model.place_robot(0.4, -0.3, 1.0)
    goal = nao.getPosition("LArm", space, False)
    goal[2] += 0.06
    nao.setPosition("LArm", space, goal, 0.5, 7)
    nao.advance(2.0)
    assert nao.getPosition("LArm", space, True)[:3] == pytest.approx(goal[:3], abs=1e-4)


@pytest.mark.parametrize("space", [0, 1, 2])
@pytest.mark.parametrize("mask", [4, 3, 33, 39, 60])
def test_a_mask_selects_axes_of_the_space(nao, space, mask):
    nao.model.place_robot(0.4, -0.3, 1.0)
    goal = np.reshape(nao.getTransform("LArm", space, False), (4, 4))
    goal[:3, 3] += 0.02
    goal[:3, :3] = Rotation.from_euler("xyz", [0.2, 0.1, 0.2]).as_matrix() @ goal[:3, :3]
    nao.setTransform("LArm", space, goal.ravel().tolist(), 1.0, mask)
    nao.advance(2.0)
    now = np.reshape(nao.getTransform("LArm", space, True), (4, 4))
    turn = Rotation.from_matrix(now[:3, :3] @ goal[:3, :3].T).as_rotvec()
    gap = [*(now - goal)[:3, 3], *turn]
    selected = [bool(mask & 1 << axis) for axis in range(6)]
    np.testing.assert_allclose(np.array(gap)[selected], 0.0, atol=1e-4)


def test_an_arm_follows_a_path_in_its_time(nao):
    start = nao.getPosition("RArm", 0, False)
    goals = [[start[0] + 0.02, start[1], start[2] + z, 0.0, 0.0, 0.0] for z in (0.05, 0.1)]
    task = nao.positionInterpolations(["RArm"], 0, [goals], [7], [[0.8, 1.6]])
    nao.advance(0.82)
    assert nao.getPosition("RArm", 0, False)[:3] == pytest.approx(goals[0][:3], abs=2e-4)
    assert nao.finish(task) == pytest.approx(0.8, abs=0.05)
    assert nao.getPosition("RArm", 0, False)[:3] == pytest.approx(goals[1][:3], abs=1e-4)
    # It may take for ever.
    endless = nao.positionInterpolation("RArm", 0, goals[:1], 7, [1e308])
    nao.advance(0.5)
    assert endless.is_running
    nao.killAll()
    assert endless.done()


@pytest.mark.parametrize("mask", [63, 7, 4])
def test_the_torso_is_lowered_over_standing_feet(nao, mask):
    feet = nao.feet()
    goal = nao.getPosition("Torso", 2, False)
    goal[2] -= 0.03
    asked = [value + 0.1 * (not mask & 1 << axis) for axis, value in enumerate(goal)]
    nao.finish(nao.positionInterpolation("Torso", 2, [asked], mask, [1.0], True))
    nao.advance(0.2)
    assert nao.getPosition("Torso", 2, True) == pytest.approx(goal, abs=1e-4)
    np.testing.assert_allclose(nao.feet(), feet, atol=1e-4)


def test_a_transform_does_as_the_position_does(nao):
    goal, T = nao.getPosition("LArm", 0, False), nao.getTransform("LArm", 0, False)
    goal[0] += 0.03
    T[3] += 0.03
    nao.setTransform("LArm", 0, T[:12], 1.0, 7)
    nao.advance(1.0)
    assert nao.getPosition("LArm", 0, True)[:3] == pytest.approx(goal[:3], abs=1e-4)
    nao.changePosition("LArm", 0, [-0.03, 0.0, 0.0, 0.0, 0.0, 0.0], 1.0, 7)
    nao.advance(1.0)
    assert nao.getPosition("LArm", 0, True)[0] == pytest.approx(goal[0] - 0.03, abs=1e-4)


@pytest.mark.parametrize("leg", ["LLeg", "RLeg", "Legs"])
def test_in_balance_the_center_of_mass_is_above_the_support_and_the_feet_stay(nao, leg):
    nao.wbEnable(True)
    feet = nao.feet()
    assert nao.finish(nao.wbGoToBalance(leg, 1.0)) == pytest.approx(1.0, abs=0.03)
    nao.advance(0.2)
    np.testing.assert_allclose(nao.feet(), feet, atol=1e-5)
    above = {"LLeg": feet[0], "RLeg": feet[1], "Legs": feet.mean(axis=0)}[leg]
    np.testing.assert_allclose(nao.getCOM("Body", 1, True)[:2], above[:2], atol=2e-4)


def test_a_hand_under_control_follows_its_target_in_balance(nao):
    nao.wbEnable(True)
    nao.wbEnableBalanceConstraint(True, "Legs")
    with pytest.raises(NaoError, match="wbEnableEffectorControl"):
        nao.wbSetEffectorControl("LArm", [0.1, 0.1, 0.3])
    nao.wbEnableEffectorControl("LArm", True)
    nao.finish(nao.wbGoToBalance("Legs", 1.0))
    feet = nao.feet()
    lift = np.add(nao.getPosition("LArm", 2, False)[:3], [0.05, 0.0, 0.08])
    for _ in range(3):  # the torso moves with the balance, and the target is in the robot's frame
        nao.wbSetEffectorControl("LArm", lift.tolist())
        nao.advance(2.0)
    np.testing.assert_allclose(nao.getPosition("LArm", 2, True)[:3], lift, atol=2e-3)
    np.testing.assert_allclose(nao.getCOM("Body", 1, True)[:2], feet.mean(axis=0)[:2], atol=3e-3)
    np.testing.assert_allclose(nao.feet(), feet, atol=1e-4)
