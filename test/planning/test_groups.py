"""Planning and inverse kinematics for the groups of an SRDF, without a list of joints."""

import numpy as np
import pytest

from rigid_tree_kinematics import InverseKinematics, load_robot
from rigid_tree_kinematics.collision import CollisionChecker
from rigid_tree_kinematics.description import read_semantics
from rigid_tree_kinematics.description.robots import bundled_folder
from rigid_tree_kinematics.errors import ModelError, UnknownNameError
from rigid_tree_kinematics.planning import MotionPlanner

SRDF = bundled_folder("robots") / "panda_hand.srdf"
ROBOT = load_robot("panda_hand")
SEMANTICS = read_semantics(SRDF, ROBOT)


def test_a_group_moves_to_a_named_state_and_nothing_else_does():
    arm = SEMANTICS.group("panda_arm")
    checker = CollisionChecker(ROBOT, srdf=SRDF)
    planner = MotionPlanner(ROBOT, checker, moving_joints=arm.joints)
    names = checker.compiled.joint_names
    finger = names.index("panda_finger_joint1")
    start = checker.compiled.home.copy()
    start[finger] = 0.012
    result = planner.plan(start, arm.state("ready"))
    assert result.success, result.message
    end = dict(zip(names, result.path[-1], strict=True))
    assert {name: end[name] for name in arm.joints} == pytest.approx(arm.state("ready"))
    assert (result.path[:, finger] == 0.012).all()
    start = result.path[-1]
    # A state of some of the joints: the others stay, or may be elsewhere on the way.
    several = MotionPlanner(ROBOT, checker, moving_joints=SEMANTICS.group("panda_arm_hand").joints)
    result = several.plan(start, SEMANTICS.group("hand").state("open"))
    assert result.success, result.message
    wanted = start.copy()
    wanted[finger] = 0.035
    np.testing.assert_allclose(result.path[-1], wanted, atol=1e-12)


def test_a_name_that_a_goal_should_not_have_is_answered():
    planner = MotionPlanner(ROBOT)
    result = planner.plan(ROBOT.home_configuration(), {"panda_joint9": 0.1})
    assert not result.success
    assert "panda_joint9" in result.message


def test_inverse_kinematics_of_a_group_moves_its_joints_only():
    arm = SEMANTICS.group("arm")
    ik = InverseKinematics.of_group(ROBOT, arm, random_seed=3)
    assert (ik.body, ik.joint_names) == (arm.tip, arm.joints)
    # A group of the wrist alone.
    part = "<group name='wrist'><joint name='panda_joint6'/><joint name='panda_joint7'/></group>"
    wrist = read_semantics(f"<robot name='panda_hand'>{part}</robot>", ROBOT).group("wrist")
    solver = InverseKinematics.of_group(ROBOT, wrist)
    q = ROBOT.home_configuration()
    goal = q + np.isin(ROBOT.joint_names, wrist.joints) * 0.3
    result = solver.solve(ROBOT.get_transform(goal, solver.body), q)
    assert result.success
    np.testing.assert_allclose(result.configuration, goal, atol=1e-5)


def test_what_a_group_lacks_is_named():
    with pytest.raises(UnknownNameError, match=r"'redi'.*ready"):
        SEMANTICS.group("panda_arm").state("redi")
    both = "<group name='a'><joint name='panda_joint1'/></group>"
    both += "<group name='both'><group name='a'/><joint name='panda_joint2'/></group>"
    group = read_semantics(f"<robot name='panda_hand'>{both}</robot>", ROBOT).group("both")
    with pytest.raises(ModelError, match="'both' has no tip"):
        InverseKinematics.of_group(ROBOT, group)
