"""The commander with move_group, in the steps of MoveIt's tutorials.

moveit_commander's: joint goal, pose goal, Cartesian path, attached box. moveit_py's: named,
random, pose and constrained goals, several pipelines, collision checks.
"""

import copy
import math
import threading
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
import trimesh
from geometry_msgs.msg import PoseStamped
from moveit_harness.move_group import JOINTS, PATIENCE, READY, MoveGroup, box
from sensor_msgs.msg import JointState

from harness.poses import pose_stamped
from harness.start.domains import Domain
from move_group.cell import BASE, CODE, FINGERS
from move_group.plan.pilz import PILZ
from rigid_tree_kinematics.model.transforms import transform
from rigid_tree_kinematics.nodes.tf import pose_matrix
from rigid_tree_moveit import commander

EXAMPLE = Path(__file__).parents[3] / "examples" / "move_panda.py"
FAR = [1.5, *READY[1:]]


def link_at(moveit: MoveGroup, link: str) -> np.ndarray:
    """Return a link's pose by the joint states and the library."""
    return np.asarray(moveit.robot.get_transform([*moveit.positions(), 0.035], link))


def assert_at(moveit: MoveGroup, positions: Sequence[float], tolerance: float = 1e-3) -> None:
    np.testing.assert_allclose(moveit.positions(), positions, atol=tolerance)


def at(frame: str, x: float, y: float, z: float) -> PoseStamped:
    return pose_stamped(transform((x, y, z)), frame)


def test_joint_and_pose_goals_are_reached(ros, arm):
    goal = arm.get_current_joint_values()
    goal[:] = [0.0, -math.tau / 8, 0.0, -math.tau / 4, 0.0, math.tau / 6, 0.0]
    assert arm.go(goal, wait=True)
    arm.stop()
    assert_at(ros, goal)
    assert arm.get_current_joint_values() == pytest.approx(goal, abs=1e-3)
    target = at("", 0.4, 0.1, 0.4).pose
    arm.set_pose_target(target)
    assert arm.go(wait=True)
    arm.stop()
    arm.clear_pose_targets()
    tip = link_at(ros, arm.get_end_effector_link())
    np.testing.assert_allclose(tip, pose_matrix(target), atol=2e-3)
    np.testing.assert_allclose(pose_matrix(arm.get_current_pose().pose), tip, atol=1e-3)
    with pytest.raises(commander.CommanderError, match="no target"):
        arm.go()


def test_named_and_changed_targets(ros, arm):
    assert {"ready", "extended"} <= set(arm.get_named_targets())
    arm.set_named_target("extended")
    success, trajectory, seconds, code = arm.plan()
    assert success
    assert code.val == CODE.SUCCESS
    assert seconds > 0.0
    assert arm.execute(trajectory)
    wanted = arm.get_named_target_values("extended")
    assert_at(ros, list(wanted.values()))
    arm.set_joint_value_target("panda_joint1", 0.5)  # the others stay
    assert arm.go()
    assert_at(ros, [0.5, *list(wanted.values())[1:]])
    assert arm.go(JointState(name=JOINTS, position=READY))
    before = link_at(ros, arm.get_end_effector_link())
    arm.shift_pose_target(1, 0.1)
    arm.shift_pose_target(2, -0.1)  # from the current pose again
    assert arm.go()
    moved = link_at(ros, arm.get_end_effector_link())
    np.testing.assert_allclose(moved[:3, 3] - before[:3, 3], [0.0, 0.0, -0.1], atol=1e-3)
    arm.set_joint_value_target(arm.get_current_pose())
    assert arm.go("ready")
    assert_at(ros, READY)


def test_a_position_or_an_orientation_is_enough(ros, arm):
    arm.set_position_target([0.4, 0.2, 0.5])
    assert arm.go()
    link = arm.get_end_effector_link()
    np.testing.assert_allclose(link_at(ros, link)[:3, 3], [0.4, 0.2, 0.5], atol=1e-3)
    arm.set_rpy_target([math.pi, 0.0, 0.3])
    assert arm.go()
    wanted = pose_matrix(commander.list_to_pose([0, 0, 0, math.pi, 0, 0.3]))[:3, :3]
    np.testing.assert_allclose(link_at(ros, link)[:3, :3], wanted, atol=3e-3)
    rpy = pose_matrix(commander.list_to_pose([0, 0, 0, *arm.get_current_rpy()]))[:3, :3]
    np.testing.assert_allclose(rpy, wanted, atol=3e-3)


def test_a_cartesian_path_is_followed(ros, arm):
    start = arm.get_current_pose().pose
    pose, waypoints = copy.deepcopy(start), []
    for axis, shift in (("z", -0.1), ("y", 0.15), ("x", 0.1)):
        setattr(pose.position, axis, getattr(pose.position, axis) + shift)
        waypoints.append(copy.deepcopy(pose))
    for options in ((), (0.0,), (True,), (0.0, True), (0, 1)):  # old and new order
        path, fraction = arm.compute_cartesian_path(waypoints, 0.01, *options)
        assert fraction == 1.0
    assert arm.execute(path, wait=True)
    shift = link_at(ros, arm.get_end_effector_link())[:3, 3] - pose_matrix(start)[:3, 3]
    np.testing.assert_allclose(shift, [0.1, 0.15, -0.1], atol=1e-3)
    before, ahead = (link_at(ros, "panda_link8") for _ in range(2))
    ahead[:3, 3] += 0.03 * before[:3, 2]
    path, fraction = arm.compute_cartesian_path([at("panda_link8", 0.0, 0.0, 0.03)], 0.01)
    assert fraction == 1.0
    assert arm.execute(path)
    np.testing.assert_allclose(link_at(ros, "panda_link8"), ahead, atol=1e-3)
    pose.position.x += 2.0  # out of reach
    assert arm.compute_cartesian_path([pose], 0.01)[1] < 1.0


def test_objects_are_added_attached_and_removed(ros, arm, tmp_path):
    robot, scene = commander.RobotCommander(), commander.PlanningSceneInterface()
    link = arm.get_end_effector_link()
    assert scene.add_box("box", at("panda_hand", 0.0, 0.0, 0.11), size=(0.05, 0.05, 0.05))
    grasp = link_at(ros, "panda_hand")[:3, 3] + 0.11 * link_at(ros, "panda_hand")[:3, 2]
    found = scene.get_object_poses(["box"])["box"].position
    np.testing.assert_allclose([found.x, found.y, found.z], grasp, atol=1e-3)
    touch = robot.get_link_names(group="panda_hand")
    assert touch == FINGERS
    assert scene.attach_box(link, "box", touch_links=touch)
    assert scene.get_known_object_names() == []
    assert scene.get_attached_objects(["box"])["box"].link_name == link
    assert robot.get_current_state().attached_collision_objects[0].object.id == "box"
    assert scene.remove_attached_object(link, name="box")
    assert arm.attach_object("box", touch_links=touch)
    assert arm.detach_object()
    assert scene.get_known_object_names() == ["box"]
    assert scene.add_sphere("ball", at("world", 0.6, 0.0, 0.1), 0.05)
    assert scene.add_cylinder("rod", at("world", 0.6, 0.3, 0.1), 0.1, 0.02)
    assert scene.add_plane("floor", at("world", 0.0, 0.0, 0.0), offset=0.5)
    trimesh.creation.box((0.1, 0.2, 0.3)).export(tmp_path / "brick.stl")
    assert scene.add_mesh("brick", at("world", 0.7, 0.0, 0.3), str(tmp_path / "brick.stl"))
    assert len(scene.get_objects(["brick"])["brick"].meshes[0].triangles) == 12
    file = str(tmp_path / "brick.stl")
    assert scene.attach_mesh(link, "tool", at(link, 0.0, 0.0, 0.3), file, touch_links=touch)
    assert len(scene.get_attached_objects(["tool"])["tool"].object.meshes[0].triangles) == 12
    assert scene.remove_attached_object(link, "tool")
    assert scene.remove_world_object("tool")
    assert scene.remove_world_object("ball")
    assert sorted(scene.get_known_object_names()) == ["box", "brick", "floor", "rod"]
    assert not arm.attach_object("ball")
    assert scene.clear()
    assert scene.get_known_object_names() == []


def test_planning_components_reach_their_goals(ros):
    parameters = {
        "rrt": {"planning_pipeline": "ompl", "planner_id": "RRTConnectkConfigDefault"},
        "ptp": {
            "planning_pipeline": PILZ,
            "planner_id": "PTP",
            "max_velocity_scaling_factor": 0.1,
        },
        "chomp": {"planning_pipeline": "chomp"},
        "moon": {"planning_pipeline": "moon"},
    }
    config = {name: {"plan_request_params": given} for name, given in parameters.items()}
    robot = commander.MoveItPy("tutorial", config_dict=config)
    arm = robot.get_planning_component("panda_arm")

    def move(**plan) -> None:
        planned = arm.plan(**plan)
        assert planned
        assert robot.execute(planned.trajectory, controllers=[])

    arm.set_start_state(configuration_name="ready")
    arm.set_goal_state(configuration_name="extended")
    move()
    extended = list(arm.get_named_target_state_values("extended").values())
    assert_at(ros, extended)

    state = commander.RobotState(robot.get_robot_model())
    state.set_to_random_positions()
    state.set_joint_group_positions("panda_arm", FAR)
    arm.set_start_state_to_current_state()
    arm.set_goal_state(robot_state=state)
    move()
    assert_at(ros, FAR)

    pose = at(BASE, 0.28, -0.2, 0.5)
    arm.set_goal_state(pose_stamped_msg=pose, pose_link="panda_link8")
    move()
    np.testing.assert_allclose(link_at(ros, "panda_link8"), pose_matrix(pose.pose), atol=2e-3)

    wanted = dict(zip(JOINTS, [-1.0, 0.7, 0.7, -1.5, -0.7, 2.0, 0.0], strict=True))
    state.joint_positions = wanted
    group = robot.get_robot_model().get_joint_model_group("panda_arm")
    constraint = commander.construct_joint_constraint(state, group)
    arm.set_goal_state(motion_plan_constraints=[constraint])
    move()
    assert_at(ros, list(wanted.values()), 0.011)

    arm.set_goal_state(configuration_name="ready")
    several = commander.MultiPipelinePlanRequestParameters(robot, ["ptp", "rrt", "chomp", "moon"])
    slow = arm.plan(commander.PlanRequestParameters(robot, "ptp")).trajectory.duration
    assert arm.plan(multi_plan_parameters=several).trajectory.duration < slow
    assert not arm.plan(commander.PlanRequestParameters(robot, "moon"))
    nothing = commander.MultiPipelinePlanRequestParameters(robot, [])
    with pytest.raises(commander.CommanderError, match="no pipelines"):
        arm.plan(multi_plan_parameters=nothing)
    whole = commander.PlanRequestParameters(robot, "rrt")
    whole.planning_time, whole.planning_attempts = 2, 1.0
    assert arm.plan(whole)
    move(multi_plan_parameters=several)
    assert_at(ros, READY)
    robot.shutdown()


def test_a_scene_is_checked_and_changed(ros):
    robot = commander.MoveItPy("scene")
    monitor = robot.get_planning_scene_monitor()
    with monitor.read_write() as scene:
        item = box("boxes", BASE, (0.15, 0.1, 0.5), (0.1, 0.4, 0.1))
        scene.apply_collision_object(item)
        scene.current_state.update()
    with monitor.read_only() as scene:
        state = scene.current_state
        before = state.get_joint_group_positions("panda_arm")
        np.testing.assert_allclose(before, READY, atol=1e-3)
        assert not scene.is_state_colliding(state, "panda_arm")
        inside = at("", 0.25, 0.25, 0.5).pose
        assert state.set_from_ik("panda_arm", inside, "panda_hand")
        hand = state.get_frame_transform("panda_hand")
        found = ros.robot.get_transform(state.joint_positions, "panda_hand")
        np.testing.assert_allclose([hand, found], [pose_matrix(inside)] * 2, atol=1e-3)
        fields = {"robot_state": state, "joint_model_group_name": "panda_arm"}
        touching = scene.is_state_colliding(**fields, verbose=True)
        assert touching != scene.is_state_valid(state, "panda_arm")
        scene.remove_all_collision_objects()
        assert not scene.is_state_colliding(state, "panda_arm")
        inside.position.x = 3.0  # m; out of reach
        found = state.joint_positions
        assert not state.set_from_ik("panda_arm", inside, "panda_hand")
        assert state.joint_positions == found
        for given in ((inside, "panda_hand", math.nan), (inside, None), (None, "panda_hand")):
            with pytest.raises(commander.CommanderError):
                state.set_from_ik("panda_arm", *given)
        with pytest.raises(commander.CommanderError, match="finite"):
            state.set_joint_group_positions("panda_arm", [math.nan, *READY[1:]])
    robot.shutdown()


def test_without_move_group_the_launch_file_is_named(monkeypatch):
    domain = Domain()
    for name, value in domain.environment.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(commander.CommanderError, match=r"moveit\.launch\.py") as raised:
        commander.MoveGroupCommander("panda_arm", ns="nowhere", wait_for_servers=0.5)
    assert "/nowhere/move_group/get_parameters" in str(raised.value)
    assert f"ROS_DOMAIN_ID ({domain.number})" in str(raised.value)
    domain.close()


def test_another_thread_stops_a_motion(ros, arm):
    arm.set_max_velocity_scaling_factor(0.05)
    ended = []
    thread = threading.Thread(target=lambda: ended.append(arm.go(FAR)))
    thread.start()
    ros.network.until(lambda: ros.positions()[0] > 0.02, "the arm on its way")
    commander.MoveGroupCommander("hand").stop()
    thread.join(PATIENCE)
    assert ended == [False]
    assert ros.positions()[0] < 1.4
    arm.set_max_velocity_scaling_factor(1.0)
    assert arm.go("ready")  # at once after a stop


def test_two_groups_move_at_once(ros, arm):
    hand = commander.MoveGroupCommander("hand")
    ended = {}
    threads = [
        threading.Thread(target=lambda: ended.update(arm=arm.go([0.3, *READY[1:]]))),
        threading.Thread(target=lambda: ended.update(hand=hand.go("close"))),
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE)
    assert ended == {"arm": True, "hand": True}
    assert ros.positions()[0] == pytest.approx(0.3, abs=1e-3)
    assert hand.get_current_joint_values() == pytest.approx([0.0], abs=1e-3)
    assert hand.go("open")


INTERRUPTED = """
import threading, rclpy, sys
from rigid_tree_moveit.commander import MoveGroupCommander
{before}
arm = MoveGroupCommander("panda_arm", wait_for_servers=60.0)
arm.set_max_velocity_scaling_factor(0.05)
try:
    {during}
except KeyboardInterrupt:
    print("interrupted")
"""
CALLS = {  # beside rclpy: see test_the_callers_rclpy_is_left_alone
    "alone": ("", "arm.go({far})"),
    "in a thread": (
        "rclpy.init(); node = rclpy.create_node('user')",
        "threading.Thread(target=lambda: arm.go({far})).start(); rclpy.spin(node)",
    ),
}


@pytest.mark.parametrize("where", CALLS)
def test_ctrl_c_stops_the_robot(ros, where):
    before, during = CALLS[where]
    program = INTERRUPTED.format(before=before, during=during.format(far=FAR))
    process = ros.network.start_program(["-c", program])
    ros.network.until(lambda: ros.positions()[0] > 0.05, "the arm on its way")
    assert process.end() == 0, process.output
    assert "interrupted" in process.output
    places = [ros.positions()[0] for _ in range(3)]
    assert len(set(places)) == 1
    assert places[0] < 1.3  # the motion takes about 15 s


def test_the_example_moves_the_robot(ros):
    process = ros.network.start_program([str(EXAMPLE)])
    assert process.wait(PATIENCE) == 0, process.output
    assert ros.positions()[0] == pytest.approx(1.2, abs=0.01)


def test_the_callers_rclpy_is_left_alone(ros, arm):
    program = (
        "import rclpy; from rigid_tree_moveit import commander; rclpy.init(); "
        "node = rclpy.create_node('user'); commander.RobotCommander(); "
        "commander.roscpp_shutdown(); assert rclpy.ok(); rclpy.spin_once(node, timeout_sec=0.1); "
        "rclpy.shutdown(); print(commander.RobotCommander().get_root_link())"
    )
    process = ros.network.start_program(["-c", program])
    assert process.wait() == 0, process.output
    assert BASE in process.output
