"""move_group answers failing requests with MoveIt's code and a message, and keeps running."""

import math
from typing import Any

import numpy as np
import pytest
from builtin_interfaces.msg import Duration
from geometry_msgs.msg import Pose, PoseStamped, Transform
from moveit_harness.move_group import FINGER, JOINTS, READY, TIP, box
from moveit_msgs.msg import AllowedCollisionEntry, Constraints, OrientationConstraint
from moveit_msgs.srv import GetPlannerParams, QueryPlannerInterfaces, SetPlannerParams
from shape_msgs.msg import SolidPrimitive

from harness.poses import pose_stamped
from move_group.cell import (
    BASE,
    CODE,
    Cell,
    at_pose,
    has_error,
    joints,
    motion,
    of_arm,
    solved,
    state,
    times,
    turned,
)
from move_group.plan.pilz import PILZ
from rigid_tree_kinematics import load_robot
from rigid_tree_kinematics.collision import CollisionChecker, Obstacle, Scene
from rigid_tree_kinematics.description.robots import bundled_folder
from rigid_tree_kinematics.model import Box
from rigid_tree_kinematics.model.transforms import transform

INVALID = CODE.INVALID_GOAL_CONSTRAINTS


def test_plans_have_a_code_and_words(cell):
    lost = OrientationConstraint(link_name=TIP)
    lost.header.frame_id, lost.orientation.w = "nowhere", 1.0
    for fields, code, words in (
        ({}, CODE.SUCCESS, ""),
        ({"group_name": "left_arm"}, CODE.INVALID_GROUP_NAME, "left_arm"),
        ({"goal_constraints": []}, INVALID, "no goal"),
        ({"goal_constraints": [Constraints()]}, INVALID, "without"),
        ({"goal_constraints": [joints({"elbow": 0.3})]}, INVALID, "elbow"),
        ({"goal_constraints": [turned(math.nan)]}, INVALID, "panda_joint1"),
        ({"goal_constraints": [turned(9.0)]}, INVALID, "panda_joint1"),
        (
            {"goal_constraints": [Constraints(orientation_constraints=[lost])]},
            CODE.FRAME_TRANSFORM_FAILURE,
            "nowhere",
        ),
        ({"planner_id": "RRTstarkConfigDefault", "allowed_planning_time": 0.3}, CODE.SUCCESS, ""),
        (
            {"path_constraints": turned()},
            CODE.START_STATE_VIOLATES_PATH_CONSTRAINTS,
            "panda_joint1 violated by 0.299 rad",
        ),
        ({"start_state": state([9.0, *READY[1:]])}, CODE.START_STATE_INVALID, "panda_joint1"),
    ):
        answer = cell.plan(**fields)
        assert has_error(answer.error_code, code, words), fields
        assert bool(answer.trajectory.joint_trajectory.points) == (code == CODE.SUCCESS)


def several(*bounds: tuple[float, float, float]) -> Constraints:
    """Return constraints of joint 1: positions with tolerances below and above."""
    merged = Constraints()
    for position, below, above in bounds:
        (one,) = turned(position).joint_constraints
        one.tolerance_below, one.tolerance_above = below, above
        merged.joint_constraints.append(one)
    return merged


def test_joint_constraints_of_one_joint_are_satisfied_together(cell):
    words = "panda_joint1': its constraints conflict: [0.2, 0.4] and [0.5, 0.7] do not overlap"
    apart = several((0.3, 0.1, 0.1), (0.6, 0.1, 0.1))
    assert has_error(cell.plan(apart).error_code, INVALID, words)
    assert has_error(cell.plan(path_constraints=apart).error_code, CODE.PLANNING_FAILED, words)
    for both, low, high in (
        (several((0.3, 0.1, 0.1), (0.5, 0.15, 0.1)), 0.35, 0.4),
        (several((0.5, 0.15, 0.1), (0.3, 0.1, 0.1)), 0.35, 0.4),
        (several((0.0, 1.0, 1.0), (0.3, 0.0, 0.0)), 0.3, 0.3),
    ):
        last = solved(cell.plan(both)).points[-1].positions[0]
        assert low - 1e-9 <= last <= high + 1e-9


def test_frames_may_have_a_slash_in_front(cell):
    for frame in ("panda_link0", "/panda_link0", "/world", "/panda_link7"):
        reply, plain = (cell.fk(TIP, frame=name) for name in (frame, frame.lstrip("/")))
        assert reply.error_code.val == CODE.SUCCESS
        (target,) = reply.pose_stamped
        assert target.pose == plain.pose_stamped[0].pose
        assert cell.ik(pose_stamped=target, avoid_collisions=False).error_code.val == CODE.SUCCESS
        turn = at_pose(target.pose, frame=frame, tolerance=0.1)
        turn.position_constraints = []
        assert cell.plan(turn).error_code.val == CODE.SUCCESS
        assert cell.apply([box("box", frame, (3.0, 0.0, 0.0), (0.1, 0.1, 0.1))])


def test_scaling_factors_outside_of_0_to_1(cell):
    for name in ("max_velocity_scaling_factor", "max_acceleration_scaling_factor"):
        full, slow, *odd = (
            times(solved(cell.plan(**{name: factor})))[-1]
            for factor in (1.0, 0.2, -0.3, 1.7, math.inf, -math.inf)
        )
        assert slow > 1.5 * full
        assert odd == pytest.approx([full] * 4)
        assert f"{name} -0.3: factors must be in (0, 1]" in cell.network.report()


def test_the_virtual_joint_of_a_start_state_is_ignored(cell):
    # RViz and MoveGroupInterface give it along with the whole state.
    start = state()
    start.multi_dof_joint_state.joint_names = ["virtual_joint"]
    start.multi_dof_joint_state.transforms = [Transform()]
    answer = cell.plan(start_state=start).error_code
    assert (answer.val, answer.message) == (CODE.SUCCESS, "")


def test_unusable_elements_of_a_state_are_left_out_and_named(cell):
    start = state()
    names, values = [*JOINTS, "wheel", FINGER, "caster"], [*READY, 0.7, math.nan]
    start.joint_state.name, start.joint_state.position = names, values
    several = start.multi_dof_joint_state
    several.joint_names = ["virtual_joint", "floor", JOINTS[0], "cloud"]
    several.transforms = [Transform()] * 3
    words = [
        "unknown joints: 'wheel', 'caster'",
        f"joints without a finite position: '{FINGER}'",
        "'floor'",
        f"'{JOINTS[0]}': joint '{JOINTS[0]}' is revolute",
        "'cloud': no transform",
    ]
    answer = cell.plan(start_state=start)
    first = solved(answer).points[0].positions
    assert list(first) == pytest.approx(READY)
    near = cell.fk(TIP).pose_stamped[0]
    for code in (
        answer.error_code,
        cell.fk(TIP, robot_state=start).error_code,
        cell.ik(pose_stamped=near, robot_state=start).error_code,
        cell.line(near.pose, start_state=start).error_code,
    ):
        assert code.val == CODE.SUCCESS
        assert all(word in code.message for word in words), code.message
        assert "virtual_joint" not in code.message
    assert cell.validity(start).valid
    assert not cell.validity(start, group_name="hand").valid  # its finger has no position
    start.joint_state.position.append(0.1)
    start.joint_state.position.append(0.2)
    assert "positions without a name: 0.2" in cell.plan(start_state=start).error_code.message
    start.joint_state.position = []
    answer = cell.plan(start_state=start).error_code
    assert answer.val == CODE.SUCCESS
    assert "joints without a finite position: 'panda_joint1', 'panda_joint2'" in answer.message


PLANAR = """<robot name="cart"><link name="floor"/><link name="cart"/><link name="arm"/>
<joint name="wheels" type="planar"><parent link="floor"/><child link="cart"/>
  <axis xyz="0 0 1"/><limit lower="-5" upper="5" effort="1" velocity="1"/></joint>
<joint name="elbow" type="revolute"><parent link="cart"/><child link="arm"/><axis xyz="0 0 1"/>
  <limit lower="-1" upper="1" effort="1" velocity="1"/></joint></robot>"""


def test_a_planar_joint_of_a_start_state(network, tmp_path):
    (tmp_path / "cart.urdf").write_text(PLANAR)
    network.start("move_group", {"robot": str(tmp_path / "cart.urdf")})
    at = Transform()
    at.translation.x, at.translation.y = 1.5, -0.5
    at.rotation.z, at.rotation.w = math.sin(0.4), math.cos(0.4)
    request = motion(joints({"elbow": 0.5}), group_name="whole_body")
    request.start_state.joint_state.name, request.start_state.joint_state.position = [], []
    request.start_state.multi_dof_joint_state.joint_names = ["wheels"]
    request.start_state.multi_dof_joint_state.transforms = [at]
    planned_motion = solved(Cell(network).planned(request))
    first, last = (
        dict(zip(planned_motion.joint_names, point.positions, strict=True))
        for point in (planned_motion.points[0], planned_motion.points[-1])
    )
    cart = {name: value for name, value in first.items() if name != "elbow"}
    assert sorted(cart.values()) == pytest.approx([-0.5, 0.8, 1.5])
    # It stays there: the goal does not speak of it.
    assert last == pytest.approx({**first, "elbow": 0.5})


def test_kinematics(cell):
    far = PoseStamped()
    far.pose.orientation.w = 1.0
    answer = cell.ik(ik_link_name="nose", pose_stamped=far).error_code
    assert has_error(answer, CODE.INVALID_LINK_NAME, "nose")
    far.pose.position.x = 5.0
    answer = cell.ik(pose_stamped=far, avoid_collisions=False, timeout=Duration()).error_code
    assert answer.val in (CODE.NO_IK_SOLUTION, CODE.TIMED_OUT)
    assert "misses" in answer.message
    assert cell.fk().error_code.val == CODE.INVALID_LINK_NAME


def test_solve_ik_starts_at_the_seed_and_avoids_collisions(cell):
    """As MoveIt's srv_kinematics_plugin asks."""
    robot, rng = load_robot("panda_hand"), np.random.default_rng(4)
    size, middle = (0.02, 1.0, 1.0), (-0.35, 0.0, 0.5)
    assert cell.apply([box("wall", BASE, middle, size)])
    scene = Scene([Obstacle.of("wall", Box(size), transform(middle))])
    checker = CollisionChecker(robot, scene, srdf=bundled_folder("robots") / "panda_hand.srdf")
    for _ in range(10):
        seed = np.array(READY) + rng.uniform(-0.2, 0.2, 7)
        wanted = seed + rng.uniform(-0.05, 0.05, 7)
        T = robot.get_transform([*wanted, 0.035], TIP)
        start = state(seed.tolist(), **{FINGER: 0.035})
        fields = {"ik_link_name": TIP, "robot_state": start}
        reply = cell.ik("solve_ik", pose_stamped=pose_stamped(T, BASE), **fields)
        assert reply.error_code.val == CODE.SUCCESS, reply.error_code
        found = np.array(of_arm(reply.solution.joint_state))
        at = robot.get_transform([*found, 0.035], TIP)
        np.testing.assert_allclose(at, T, rtol=0.0, atol=1e-5)
        assert np.abs(found - seed).max() < 0.5
        assert checker.is_free([*found, 0.035])
    far = pose_stamped(transform((3.0, 0.0, 0.0)), BASE)
    fields = {"ik_link_name": TIP, "timeout": Duration(nanosec=50_000_000)}
    reply = cell.ik("solve_ik", pose_stamped=far, **fields)
    assert reply.error_code.val == CODE.NO_IK_SOLUTION
    assert not reply.solution.joint_state.name


def test_invalid_lines_and_matrices_are_rejected(cell):
    assert has_error(cell.line().error_code, CODE.FAILURE, "waypoints")
    assert has_error(
        cell.line(PoseStamped().pose, max_step=0.0).error_code, CODE.FAILURE, "max_step"
    )
    matrix = cell.scene().allowed_collision_matrix
    matrix.entry_values[3] = AllowedCollisionEntry(enabled=[True] * 3)
    assert not cell.apply(allowed_collision_matrix=matrix)


def test_names_of_planners_and_pipelines(cell):
    """An unknown planner is a warning, an unknown pipeline a failure.

    planning_context_manager.cpp:508 and plan_service_capability.cpp:82.
    """
    first, second, *others = cell.network.call(
        QueryPlannerInterfaces, "query_planner_interface"
    ).planner_interfaces
    assert (first.pipeline_id, second.pipeline_id) == ("ompl", PILZ)
    assert "RRTConnectkConfigDefault" in first.planner_ids
    assert list(second.planner_ids) == ["PTP", "LIN", "CIRC"]
    assert [other.pipeline_id for other in others] == ["chomp", "stomp"]
    for name in ("PRMk", "PRMkConfigDefault", "PRMstarkConfigDefault", "BiTRRTkConfigDefault"):
        assert cell.plan(planner_id=name).error_code.val == CODE.SUCCESS
    for name in ("geometric::RRTConnect", "panda_arm[SBL]", "Teleport"):
        assert cell.plan(planner_id=name).error_code.val == CODE.SUCCESS
        words = f"planner_id '{name}' is unknown, using the default"
        assert (words in cell.process.output) == (name == "Teleport")
    words = "pipeline 'moon' is not available; known: 'ompl' with"
    assert has_error(cell.plan(pipeline_id="moon").error_code, CODE.FAILURE, words)


def test_an_optimizer_plans_for_chomp_and_stomp(cell):
    for names in ({"pipeline_id": "chomp"}, {"pipeline_id": "stomp"}, {"planner_id": "STOMP"}):
        answer = cell.plan(**names)
        words = f"planner 'optimize' is used in place of {next(iter(names.values())).upper()}"
        assert has_error(answer.error_code, CODE.SUCCESS, words)
        assert len(answer.trajectory.joint_trajectory.points) > 10


def test_planners_parameters_are_the_nodes(cell):
    def values_of(pipeline: str, *names: str) -> Any:
        query = GetPlannerParams.Request(pipeline_id=pipeline)
        params = cell.network.call(GetPlannerParams, "get_planner_params", query).params
        assert len(params.descriptions) == len(params.keys)
        found = dict(zip(params.keys, params.values, strict=True))
        return [found[name] for name in names] or found

    def change(pipeline: str, replace: bool = False, **values: str) -> None:
        query = SetPlannerParams.Request(pipeline_id=pipeline, replace=replace)
        query.params.keys, query.params.values = list(values), list(values.values())
        cell.network.call(SetPlannerParams, "set_planner_params", query)

    assert values_of("ompl", "range") + values_of("", "goal_bias") == ["0.0", "0.05"]
    assert values_of(PILZ, "max_trans_vel") == ["1.0"]
    assert values_of("chomp") == {}
    change("ompl", range="0.5", shorten="false")
    change(PILZ, max_rot_vel="0.3")
    assert values_of("ompl", "range", "shorten") == ["0.5", "false"]
    assert values_of(PILZ, "max_rot_vel") == ["0.3"]
    # One that is wrong, and none is taken.
    for key, value in (("goal_bias", "2.0"), ("goal_bias", "much"), ("reach", "1.0")):
        change("ompl", range="0.7", **{key: value})
        assert values_of("ompl", "range", "goal_bias") == ["0.5", "0.05"]
    change("ompl", replace=True, goal_bias="0.1")
    assert values_of("ompl", "range", "goal_bias") == ["0.0", "0.1"]
    change("ompl", replace=True)
    change(PILZ, replace=True)


def test_kinematic_constraint_line_389(cell):
    """Shapes of a region that cannot be constructed, or have no pose, are left out and named."""
    goal = at_pose(cell.fk(TIP).pose_stamped[0].pose)
    region = goal.position_constraints[0].constraint_region
    bad = SolidPrimitive(type=SolidPrimitive.BOX, dimensions=[0.1])
    region.primitives = [bad, *region.primitives, SolidPrimitive(type=7)]
    region.primitive_poses = [Pose(), *region.primitive_poses]
    answer = cell.plan(goal).error_code
    assert has_error(answer, CODE.SUCCESS, "primitives[0]")
    assert "primitives[2]: it has no pose" in answer.message
    region.primitives = [bad]
    assert has_error(cell.plan(goal).error_code, INVALID, "primitives[0]")
