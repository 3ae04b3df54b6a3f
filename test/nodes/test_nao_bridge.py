"""nao_bridge between real ROS and a simulated robot on the real protocol."""

import math
import signal
import sys
import time
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from diagnostic_msgs.msg import DiagnosticStatus
from geometry_msgs.msg import Pose2D, PoseStamped, Twist
from nao_motion_interfaces.msg import (
    BezierCurve,
    BezierPoint,
    FootStep,
    NumberList,
)
from naoqi_bridge_msgs.msg import JointAnglesWithSpeed
from nav_msgs.msg import Odometry
from sensor_msgs.msg import BatteryState, Imu, JointState
from std_msgs.msg import Bool
from std_srvs.srv import Empty
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

sys.path.insert(0, str(Path(__file__).parent))
if find_spec("qi") is None:  # not imported: it crashes beside coal
    pytest.skip("libqi: pip install qi (Python 3.8 to 3.12)", allow_module_level=True)
from conftest import ros  # noqa: F401
from nao_network import Bridge, Robot

from rigid_tree_kinematics.nao import NaoMotionModel
from rigid_tree_kinematics.nodes.nao_methods import MIRRORS, Mirror

WITHIN = 1e-6  # m and rad, of what TF and the robot say of one pose
IDENTITY = [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0]
ARM = [0.15, 0.13, 0.05, 0.0, 0.0, 0.0]
ARM_TRANSFORM = [1.0, 0.0, 0.0, 0.15, 0.0, 1.0, 0.0, 0.13, 0.0, 0.0, 1.0, 0.05]


def lists(*rows):
    return [NumberList(values=row) for row in rows]


HEAD = {"names": ["HeadYaw", "HeadPitch"]}
GOAL = {"name": "LArm", "space": 0, "fraction_max_speed": 0.5, "axis_mask": 7}
STEPS = [
    FootStep(leg_name="LLeg", time=0.3, x=0.02, y=0.1),
    FootStep(leg_name="RLeg", time=0.6, x=0.0, y=-0.1),
]
MOVES = {"x": 0.01, "y": 0.0, "theta": 0.0}
WHOLE_BODY = {
    "wb_enable": {"enable": True},
    "wb_foot_state": {"state_name": "Fixed", "support_leg": "Legs"},
    "wb_enable_balance_constraint": {"enable": True, "name": "Legs"},
    "wb_go_to_balance": {"support_leg": "LLeg", "duration": 1.0},
    "wb_enable_effector_control": {"name": "LArm", "enable": True},
    "wb_set_effector_control": {"effector_name": "LArm", "target": [0.1, 0.1, 0.1]},
    "wb_enable_effector_optimization": {"name": "LArm", "enable": True},
}
# What each method that wants something is called with.
REQUESTS = {
    "set_stiffnesses": {"names": ["Body"], "stiffnesses": [1.0]},
    "get_stiffnesses": {"names": ["Body"]},
    "stiffness_interpolation": {
        **HEAD,
        "stiffness_lists": lists([0.9], [1.0]),
        "time_lists": lists([0.1], [0.1]),
    },
    "get_angles": {"names": ["Body"], "use_sensors": True},
    "set_angles": {**HEAD, "angles": [0.1, 0.1], "fraction_max_speed": 0.3},
    "change_angles": {**HEAD, "angles": [0.1, -0.1], "fraction_max_speed": 0.3},
    "angle_interpolation_with_speed": {**HEAD, "angles": [0.0, 0.0], "fraction_max_speed": 0.5},
    "angle_interpolation": {
        **HEAD,
        "angle_lists": lists([0.1, 0.2], [0.1]),
        "time_lists": lists([0.1, 0.2], [0.2]),
        "is_absolute": True,
    },
    "angle_interpolation_bezier": {
        "names": ["HeadYaw"],
        "time_lists": lists([0.2]),
        "control_points": [BezierCurve(points=[BezierPoint(angle=0.1, before_type=2)])],
    },
    "open_hand": {"name": "LHand"},
    "close_hand": {"name": "LHand"},
    "move": MOVES,
    "move_toward": MOVES,
    "move_to": MOVES,
    "walk_to": MOVES,
    "set_walk_target_velocity": {**MOVES, "frequency": 0.5},
    "set_foot_steps": {"foot_steps": STEPS, "clear_existing": True},
    "set_foot_steps_with_speed": {
        "foot_steps": STEPS,
        "fraction_max_speed": [1.0, 1.0],
        "clear_existing": True,
    },
    "get_move_config": {"config": "Max"},
    "get_robot_position": {"use_sensors": True},
    "get_move_arms_enabled": {"name": "LArm"},
    "set_move_arms_enabled": {"left": True, "right": False},
    "get_position": {"name": "LArm", "space": 1, "use_sensors": True},
    "get_transform": {"name": "CameraTop", "space": 2, "use_sensors": True},
    "set_position": {**GOAL, "position": ARM},
    "change_position": {**GOAL, "position": [0.0, 0.0, 0.01, 0.0, 0.0, 0.0]},
    "set_transform": {**GOAL, "transform": ARM_TRANSFORM},
    "change_transform": {**GOAL, "transform": IDENTITY},
    "set_positions": {
        "names": ["LArm"],
        "positions": lists(ARM),
        "fraction_max_speed": 0.5,
        "axis_mask": 7,
    },
    "set_transforms": {
        "names": ["LArm"],
        "positions": lists(ARM_TRANSFORM),
        "fraction_max_speed": 0.5,
        "axis_mask": 7,
    },
    "position_interpolation": {
        "name": "LArm",
        "path": lists(ARM),
        "axis_mask": 7,
        "times": [0.3],
        "is_absolute": True,
    },
    "transform_interpolation": {
        "name": "LArm",
        "path": lists(ARM_TRANSFORM),
        "axis_mask": 7,
        "times": [0.3],
        "is_absolute": True,
    },
    "position_interpolations": {
        "names": ["LArm"],
        "paths": lists(ARM + ARM),
        "axis_masks": [7],
        "time_lists": lists([0.2, 0.3]),
    },
    "transform_interpolations": {
        "names": ["LArm"],
        "paths": lists(ARM_TRANSFORM),
        "axis_masks": [7],
        "time_lists": lists([0.3]),
    },
    "set_collision_protection_enabled": {"name": "Arms", "enable": True},
    "get_collision_protection_enabled": {"name": "LArm"},
    "set_external_collision_protection_enabled": {"name": "All", "enable": True},
    "get_external_collision_protection_enabled": {"name": "Move"},
    "is_collision": {"name": "LArm"},
    "get_body_names": {"name": "Body"},
    "get_joint_names": {"name": "LLeg"},
    "get_limits": {"name": "Body"},
    "get_mass": {"name": "Body"},
    "get_com": {"name": "Body", "space": 0, "use_sensors": True},
    "get_support_polygon": {"space": 2, "use_sensors": True},
    "are_resources_available": {"names": ["LArm"]},
    "kill_task": {"id": 1},
    "kill_tasks_using_resources": {"names": ["Head"]},
    "go_to_posture": {"posture_name": "StandInit", "speed": 1.0},
    "apply_posture": {"posture_name": "StandInit", "speed": 1.0},
    **WHOLE_BODY,
}


@pytest.fixture(scope="module")
def shared(ros, tmp_path_factory):  # noqa: F811
    made = Bridge(tmp_path_factory.mktemp("bridge"))
    made.network.start("tree_state_publisher", {"robot": "nao_v6"}, "nao")
    yield made
    made.close()


@pytest.fixture
def nao(shared):
    """The robot, awake, standing, doing nothing."""
    shared.standing()
    return shared


@pytest.fixture
def lonely(ros, tmp_path):  # noqa: F811
    """A robot of the test's own, whose process may be harmed."""
    made = Bridge(tmp_path, "lonely")
    yield made
    made.close()


# -- services ------------------------------------------------------------------------------------


@pytest.mark.parametrize("mirror", MIRRORS, ids=lambda mirror: mirror.name)
def test_every_method_is_answered(shared, mirror: Mirror):
    nao = shared
    if not mirror.name.startswith(("get_", "is_", "robot_is_", "move_is_")):
        nao.awake()
    reply = nao.call(mirror.name, **REQUESTS.get(mirror.name, {}))
    if mirror.name in WHOLE_BODY:
        assert not reply.success
        assert (
            reply.message
            == f"{mirror.method.replace('.', '::')} whole body control is not simulated"
        )
        return
    assert reply.success, reply.message
    if mirror.name == "rest":
        assert nao.value("get_posture").text == "Crouch"


def test_answers_are_the_models(nao):
    model = NaoMotionModel("V6")
    model.set_angles("Body", nao.value("get_angles", names=["Body"]).angles)
    for name in ("LArm", "CameraTop", "RLeg", "Gyrometer", "LElbowYaw"):
        for space in (0, 2):
            where = {"name": name, "space": space, "use_sensors": False}
            T = nao.value("get_transform", **where).transform
            np.testing.assert_allclose(T, model.get_transform(name, space, False), atol=1e-9)
            six = nao.value("get_position", **where).position
            np.testing.assert_allclose(six, model.get_position(name, space, False), atol=1e-9)
    assert nao.value("get_mass", name="Body").value == pytest.approx(model.get_mass("Body"))
    center = nao.value("get_com", name="Body", space=0).position
    np.testing.assert_allclose(center, model.get_com("Body", 0, False), atol=1e-9)
    limits = nao.value("get_limits", name="LArm").limits
    assert [row.name for row in limits] == model.get_body_names("LArm")
    rows = [[r.min_angle, r.max_angle, r.max_velocity, r.max_torque] for r in limits]
    np.testing.assert_allclose(rows, model.get_limits("LArm"))
    assert nao.value("get_motion_cycle_time").value == 20.0
    config = nao.value("get_robot_config")
    assert dict(zip(config.names, config.values, strict=True))["Body Version"] == "V6"


def test_poses_agree_with_tf(nao):
    nao.value("set_angles", names=["Body"], angles=[0.1], fraction_max_speed=1.0)
    nao.live(1.0)
    nao.value("move_to", x=0.05, y=0.02, theta=0.4)
    nao.live(0.3)
    for name in ("LArm", "RArm", "Head", "CameraTop", "CameraBottom", "LLeg", "RLeg", "LFsrFL"):
        for space, root in ((0, "torso"), (1, "odom")):
            said = nao.value("get_transform", name=name, space=space, use_sensors=True).transform
            position = nao.value("get_position", name=name, space=space, use_sensors=True).position
            T = nao.pose_in_tf(name, "odom")
            if root == "torso":
                T = np.linalg.inv(nao.pose_in_tf("torso", "odom")) @ T
            assert np.abs(np.reshape(said, (4, 4)) - T).max() < WITHIN, (name, space)
            assert np.abs(np.array(position[:3]) - T[:3, 3]).max() < WITHIN
    # base_footprint is on the ground, midway between the feet.
    foot = nao.pose_in_tf("base_footprint", "odom")
    assert foot[2, 3] == pytest.approx(0.0, abs=WITHIN)
    assert foot[:2, 3] == pytest.approx(nao.place()[:2], abs=WITHIN)


def test_limits_are_kept_and_said(nao):
    reply = nao.value(
        "set_angles", names=["HeadYaw", "LElbowRoll"], angles=[3.0, 1.0], fraction_max_speed=1.0
    )
    assert "HeadYaw 3.0000 cut to 2.0857" in reply.message
    assert "LElbowRoll 1.0000 cut to -0.0349" in reply.message
    nao.live(0.8)
    assert nao.angle("HeadYaw") == pytest.approx(2.0857)
    reply = nao.value(
        "angle_interpolation",
        names=["HeadYaw", "HeadPitch"],
        angle_lists=lists([0.0, 1.5], [0.1, 0.5]),
        time_lists=lists([0.3, 0.8], [0.3, 0.8]),
        is_absolute=True,
    )
    assert "HeadPitch 0.5000 cut to 0.2" in reply.message
    assert nao.angle("HeadPitch") < 0.21


def test_limp_joints_are_named(nao):
    nao.value("set_stiffnesses", names=["HeadYaw"], stiffnesses=[0.0])
    nao.live(0.2)
    reply = nao.value("set_angles", names=["Head"], angles=[0.2, 0.1], fraction_max_speed=0.5)
    assert "stiffness 0, will not move: HeadYaw" in reply.message
    assert "HeadPitch" not in reply.message
    nao.value("set_stiffnesses", names=["Body"], stiffnesses=[0.0])
    nao.live(0.2)
    for name in ("move_to", "go_to_posture", "open_hand"):
        assert "stiffness 0" in nao.call(name, **REQUESTS[name]).message
    assert nao.value("go_to_posture", posture_name="Stand", speed=0.5).value is False


@pytest.mark.parametrize(
    ("name", "fields", "words"),
    [
        (
            "get_angles",
            {"names": ["Tail"]},
            "ALMotion::getAngles unknown joint or chain name 'Tail'",
        ),
        ("set_angles", {"names": ["Tail"], "angles": [1.0]}, "ALMotion::setAngles unknown joint"),
        ("get_position", {"name": "Tail"}, "ALMotion::getPosition unknown effector"),
        ("get_position", {"name": "LArm", "space": 9}, "unknown space 9"),
        ("go_to_posture", {"posture_name": "Fly", "speed": 0.5}, "ALRobotPosture::goToPosture"),
        ("open_hand", {"name": "LFoot"}, "unknown hand"),
        ("get_move_config", {"config": "Fast"}, "unknown move configuration"),
        ("set_angles", {**HEAD, "angles": [math.nan, 0.0]}, "refused: angles"),
        ("move", {"x": math.inf}, "refused: x is not finite"),
        ("set_position", {**GOAL, "position": [math.nan] * 6}, "refused: position"),
        ("set_transform", {**GOAL, "transform": [1.0] * 5}, "12 or 16"),
        ("set_angles", {**HEAD, "angles": [0.1, 0.2, 0.3]}, "3 angles for 2 joints"),
        (
            "angle_interpolation",
            {**HEAD, "angle_lists": lists([math.inf]), "time_lists": lists([1.0])},
            "refused: angle_lists[0].values",
        ),
        ("position_interpolations", {"names": ["LArm"], "paths": lists([1.0] * 7)}, "6 numbers"),
    ],
)
def test_what_makes_no_sense_is_answered(nao, name, fields, words):
    before = nao.value("get_angles", names=["Body"]).angles
    reply = nao.call(name, **fields)
    assert not reply.success
    assert words in reply.message
    assert "\n" not in reply.message
    nao.live(0.1)
    np.testing.assert_array_equal(nao.value("get_angles", names=["Body"]).angles, before)


def test_a_service_that_lasts_keeps_no_other_waiting(nao):
    lasting = [nao.start("angle_interpolation", **slow_turn(4.0)) for _ in range(15)]
    nao.until(lambda: len(nao.value("get_task_list").tasks) == 15, "all of them")
    assert not any(future.done() for future in lasting)
    nao.value("kill_tasks_using_resources", names=["Head"])
    nao.until(lambda: all(future.done() for future in lasting), "their ends")


def slow_turn(seconds):
    return {
        "names": ["HeadYaw"],
        "angle_lists": lists([1.0]),
        "time_lists": lists([seconds]),
        "is_absolute": True,
    }


def test_the_older_drivers_services_answer(nao):
    for name, stiff in (("body_stiffness/disable", False), ("body_stiffness/enable", True)):
        client = nao.client(name, Empty)
        future = client.call_async(Empty.Request())
        nao.until(future.done, name)
        nao.until(lambda stiff=stiff: nao.value("robot_is_wake_up").value is stiff, "stiffness")


# -- actions -------------------------------------------------------------------------------------


def test_an_action_tells_where_the_joints_are(nao):
    heard = []
    handle = nao.send_goal("angle_interpolation", heard.append, **slow_turn(1.0))
    assert handle.accepted
    answer = nao.result_of(handle)
    assert answer.result.success
    angles = [message.feedback.angles[0] for message in heard]
    assert len(angles) > 3
    assert angles == sorted(angles)
    assert heard[-1].feedback.names == ["HeadYaw"]
    assert nao.angle("HeadYaw") == pytest.approx(1.0, abs=1e-3)


@pytest.mark.parametrize(
    ("name", "fields"),
    [
        ("angle_interpolation", slow_turn(10.0)),
        (
            "angle_interpolation_with_speed",
            {"names": ["HeadYaw"], "angles": [2.0], "fraction_max_speed": 0.02},
        ),
        ("move_to", {"x": 1.0}),
        ("go_to_posture", {"posture_name": "Crouch", "speed": 0.03}),
    ],
)
def test_a_cancelled_action_stops_the_robot(nao, name, fields):
    handle = nao.send_goal(name, **fields)
    nao.live(0.5)
    cancel = handle.cancel_goal_async()
    nao.until(cancel.done, "cancel")
    answer = nao.result_of(handle)
    assert answer.status == 5  # CANCELED
    assert answer.result.message == "cancelled"
    nao.live(1.0)
    assert not nao.walks()
    before = nao.value("get_angles", names=["Body"]).angles
    nao.live(0.3)
    np.testing.assert_array_equal(nao.value("get_angles", names=["Body"]).angles, before)


def test_an_action_with_a_bad_goal_is_aborted(nao):
    answer = nao.result_of(nao.send_goal("angle_interpolation", names=["Tail"]))
    assert answer.status == 6  # ABORTED
    assert "Tail" in answer.result.message
    answer = nao.result_of(nao.send_goal("move_to", x=math.nan))
    assert "not finite" in answer.result.message


# -- topics --------------------------------------------------------------------------------------


def angles_message(names, angles, speed=0.5, relative=0):
    return JointAnglesWithSpeed(
        joint_names=names, joint_angles=angles, speed=speed, relative=relative
    )


def test_joint_angles_move_joints_and_frames(nao):
    before = nao.pose_in_tf("LArm", "torso")
    publisher = nao.publisher(JointAnglesWithSpeed, "joint_angles")
    publisher.publish(angles_message(["LShoulderPitch", "LElbowYaw"], [0.5, -0.5]))
    nao.until(lambda: abs(nao.angle("LShoulderPitch") - 0.5) < 1e-6, "the arm's motion")
    publisher.publish(angles_message(["LShoulderPitch"], [0.25], relative=1))
    nao.until(lambda: abs(nao.angle("LShoulderPitch") - 0.75) < 1e-6, "the arm's change")
    nao.live(0.3)
    assert np.abs(nao.pose_in_tf("LArm", "torso") - before).max() > 0.05


def test_a_bad_message_is_dropped_with_a_word(nao):
    before = nao.value("get_angles", names=["Body"]).angles
    publisher = nao.publisher(JointAnglesWithSpeed, "joint_angles")
    for message, words in (
        (angles_message(["Tail"], [0.1]), "Tail"),
        (angles_message(["HeadYaw"], [math.nan]), "joint_angles"),
        (angles_message(["HeadYaw"], [0.1], speed=0.0), "speed"),
    ):
        nao.live(2.1)  # a warning of one kind comes every two seconds
        publisher.publish(message)
        nao.until(lambda words=words: words in nao.process.output.splitlines()[-1], words)
    np.testing.assert_array_equal(nao.value("get_angles", names=["Body"]).angles, before)


def test_a_trajectory_is_followed_and_replaced(nao):
    publisher = nao.publisher(JointTrajectory, "joint_trajectory")

    def trajectory(*points):
        message = JointTrajectory(joint_names=["HeadYaw", "HeadPitch"])
        for seconds, positions in points:
            point = JointTrajectoryPoint(positions=positions)
            point.time_from_start.sec = int(seconds)
            point.time_from_start.nanosec = int(1e9 * (seconds % 1))
            message.points.append(point)
        return message

    publisher.publish(trajectory((0.0, [0.0, 0.0]), (0.5, [0.5, 0.1]), (1.0, [0.2, 0.0])))
    nao.until(lambda: nao.angle("HeadYaw") > 0.45, "the first point")
    nao.until(lambda: abs(nao.angle("HeadYaw") - 0.2) < 1e-3, "the second point")
    publisher.publish(trajectory((8.0, [1.5, 0.0])))
    nao.until(lambda: nao.angle("HeadYaw") > 0.25, "a slow one")
    publisher.publish(trajectory((0.5, [-0.5, 0.0])))
    nao.until(lambda: abs(nao.angle("HeadYaw") + 0.5) < 1e-3, "the one that replaces it")
    publisher.publish(trajectory((8.0, [1.5, 0.0])))
    nao.until(lambda: nao.angle("HeadYaw") > -0.45, "another slow one")
    publisher.publish(JointTrajectory())
    nao.until(lambda: "an empty trajectory: stopped" in nao.process.output, "a word")
    nao.live(0.2)
    there = nao.angle("HeadYaw")
    nao.live(0.3)
    assert nao.angle("HeadYaw") == there


def test_stiffness_by_topic(nao):
    publisher = nao.publisher(JointState, "joint_stiffness")
    publisher.publish(JointState(name=["HeadYaw", "HeadPitch"], effort=[0.3, 0.0]))
    nao.until(
        lambda: nao.value("get_stiffnesses", names=["Head"]).stiffnesses.tolist() == [0.3, 0.0],
        "the stiffness",
    )


def test_a_walk_stops_when_no_velocities_come_any_more(nao):
    publisher = nao.publisher(Twist, "cmd_vel")
    message = Twist()
    message.linear.x = 0.05
    start = nao.place()
    for _ in range(15):
        publisher.publish(message)
        nao.live(0.1)
    assert nao.walks()
    nao.until(lambda: "no cmd_vel for" in nao.process.output, "the watchdog's word")
    nao.until(lambda: not nao.walks(), "a stop")
    there = nao.place()
    assert np.abs(there - start).max() > 0.02
    nao.live(0.5)
    np.testing.assert_allclose(nao.place(), there, atol=1e-12)


def test_a_zero_velocity_stops_at_once(nao):
    publisher = nao.publisher(Twist, "cmd_vel")
    message = Twist()
    message.angular.z = 0.3
    publisher.publish(message)
    nao.until(nao.walks, "the walk")
    publisher.publish(Twist())
    nao.until(lambda: not nao.walks(), "a stop")


def test_places_to_walk_to(nao):
    start = nao.place()
    nao.publisher(Pose2D, "cmd_pose").publish(Pose2D(x=0.05, y=0.0, theta=0.0))
    wanted = start[:2] + 0.05 * np.array([math.cos(start[2]), math.sin(start[2])])
    nao.until(lambda: np.abs(nao.place()[:2] - wanted).max() < 1e-6, "the place")
    goal = PoseStamped()
    goal.header.frame_id = "odom"
    goal.pose.position.x, goal.pose.position.y = 0.1, 0.05
    goal.pose.orientation.w = 1.0
    nao.publisher(PoseStamped, "move_base_simple/goal").publish(goal)
    nao.until(lambda: np.abs(nao.place() - [0.1, 0.05, 0.0]).max() < 1e-5, "the goal")
    goal.header.frame_id = "kitchen"
    nao.publisher(PoseStamped, "move_base_simple/goal").publish(goal)
    nao.until(lambda: "unknown frame 'kitchen'" in nao.process.output, "a word")


def test_sensors_are_published_and_finite(nao):
    heard = {}
    for kind, topic in (
        (Imu, "imu/torso"),
        (Odometry, "odom"),
        (BatteryState, "battery"),
        (Bool, "foot_contact"),
        (JointState, "joint_stiffnesses"),
    ):
        nao.network.node.create_subscription(
            kind, f"/nao/{topic}", lambda m, topic=topic: heard.__setitem__(topic, m), 10
        )
    nao.until(lambda: len(heard) == 5, "all sensors")
    acceleration = heard["imu/torso"].linear_acceleration
    size = math.hypot(acceleration.x, acceleration.y, acceleration.z)
    assert size == pytest.approx(9.81, abs=0.01)
    # StandInit leans forward by 0.1 rad: 1.4 % of gravity is felt along x.
    assert acceleration.x == pytest.approx(-9.81 * math.sin(0.1), abs=1e-3)
    assert heard["foot_contact"].data is True
    assert heard["battery"].percentage == pytest.approx(0.8)
    assert list(heard["joint_stiffnesses"].effort) == [1.0] * 26
    assert heard["odom"].header.frame_id == "odom"
    count = len(nao.states)
    nao.until(lambda: len(nao.states) > count + 20, "joint states")
    for state in nao.states[count:]:
        numbers = [*state.position, *state.velocity, *state.effort]
        assert len(numbers) == 3 * 26
        assert np.isfinite(numbers).all()


def test_velocities_are_the_joints(nao):
    nao.value("set_angles", names=["HeadYaw"], angles=[1.5], fraction_max_speed=0.1)
    nao.live(0.8)
    count = len(nao.states)
    nao.until(lambda: len(nao.states) > count + 20, "joint states")
    speeds = [state.velocity[0] for state in nao.states[count : count + 20]]
    assert np.median(speeds) == pytest.approx(0.826797, rel=0.05)


# -- the connection ------------------------------------------------------------------------------


def test_diagnostics_tell_the_connection(nao):
    assert nao.level("connection") == (DiagnosticStatus.OK, "connected")
    assert nao.level("motors")[0] == DiagnosticStatus.OK


def test_a_robot_that_dies_in_motion_is_found_again(lonely):
    nao = lonely
    nao.awake()
    moving = nao.start("angle_interpolation", **slow_turn(5.0))
    handle = nao.send_goal("move_to", x=1.0)
    nao.live(0.5)
    nao.robot.kill()
    nao.until(moving.done, "a reply")
    assert not moving.result().success
    assert "lost the robot" in moving.result().message
    assert nao.result_of(handle).status == 6  # ABORTED
    reply = nao.call("get_summary")
    assert not reply.success
    assert "no connection" in reply.message
    assert nao.level("connection")[0] == DiagnosticStatus.ERROR
    nao.robot = Robot(nao.port)
    nao.awake()
    assert nao.level("connection") == (DiagnosticStatus.OK, "connected")
    assert nao.angle("HeadYaw") == pytest.approx(0.0, abs=1e-6)
    assert "connected again" in nao.process.output


def test_a_robot_that_is_unplugged_is_given_up_and_found_again(lonely):
    nao = lonely
    nao.awake()
    publisher = nao.publisher(Twist, "cmd_vel")
    message = Twist()
    message.linear.x = 0.05
    publisher.publish(message)
    nao.until(nao.walks, "the walk")
    nao.robot.signal(signal.SIGSTOP)
    waiting = nao.start("get_summary")
    nao.until(waiting.done, "a reply")
    assert not waiting.result().success
    assert nao.level("connection")[0] == DiagnosticStatus.ERROR
    nao.robot.signal(signal.SIGCONT)
    # The walk that nobody asks for any more ends as soon as the robot is back.
    nao.until(lambda: nao.call("get_summary").success, "the robot")
    nao.until(lambda: not nao.walks(), "a stop")


def test_a_bridge_that_is_killed_leaves_no_walking_robot(lonely):
    nao = lonely
    nao.awake()
    nao.value("move", x=0.05)
    nao.live(0.5)
    assert nao.walks()
    nao.process._process.kill()
    nao.process.wait()
    nao.network._processes.remove(nao.process)
    nao.until_stands()


def test_a_bridge_that_ends_stops_the_walk_and_ends_cleanly(lonely):
    nao = lonely
    nao.awake()
    nao.value("move_toward", x=0.5)
    nao.live(0.5)
    assert nao.walks()
    assert nao.process.end() == 0
    assert "Traceback" not in nao.process.output
    nao.until_stands()


def test_without_a_robot_everything_is_answered(ros, tmp_path):  # noqa: F811
    nao = Bridge(tmp_path, "lonely")
    nao.robot.kill()
    try:
        nao.until(lambda: not nao.call("get_summary").success, "no robot")
        reply = nao.call("set_angles", **REQUESTS["set_angles"])
        assert "no connection" in reply.message
        nao.publisher(Twist, "cmd_vel").publish(Twist())
        nao.until(lambda: "cmd_vel: dropped" in nao.process.output, "a word")
    finally:
        nao.close()


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"version": "V9"}, "V6"),
        ({"version": "V6", "body_type": "H21"}, "H25"),
        ({"nao_port": 0}, "nao_port"),
        ({"rate": -1.0}, "rate"),
        ({"cmd_vel_timeout": 0.0}, "cmd_vel_timeout"),
    ],
)
def test_a_bad_parameter_ends_the_start_with_a_word(network, parameters, words):
    process = network.start("nao_bridge", parameters)
    assert process.wait() == 1
    assert "Traceback" not in process.output
    assert words in process.output


def test_another_robot_than_was_said_is_reported(ros, tmp_path):  # noqa: F811
    nao = Bridge(tmp_path, "lonely", version="V5", body_type="H21")
    try:
        nao.until(lambda: "the robot has 26 joints" in nao.process.output, "a word")
        assert nao.level("connection")[0] == DiagnosticStatus.WARN
    finally:
        nao.close()


def test_parameters_are_changed_or_refused(shared):
    node = "/nao/nao_bridge"
    assert shared.network.set_parameter(node, "cmd_vel_timeout", 0.4).successful
    assert not shared.network.set_parameter(node, "cmd_vel_timeout", -1.0).successful
    refused = shared.network.set_parameter(node, "rate", 10.0)
    assert "at start" in refused.reason


def test_fifty_commands_a_second_for_a_minute(nao):
    """A swinging head follows all the way, no state is lost, and the bridge does not grow."""
    publisher = nao.publisher(JointAnglesWithSpeed, "joint_angles")
    status = Path(f"/proc/{nao.process._process.pid}/status")

    def resident():
        return int(status.read_text().partition("VmRSS:")[2].split()[0])

    count, lag, memory = len(nao.states), [], []
    begin = time.monotonic()
    for number in range(3000):
        wanted = 0.8 * math.sin(2.0 * math.pi * 0.2 * number / 50.0)
        publisher.publish(angles_message(["HeadYaw"], [wanted], speed=0.4))
        deadline = begin + (number + 1) / 50.0
        nao.until(lambda deadline=deadline: time.monotonic() >= deadline, "time")
        if nao.states[-1].header.stamp.sec and number > 50:
            lag.append(abs(nao.states[-1].position[0] - wanted))
        if number in (500, 2999):
            memory.append(resident())
    # At 1 rad/s in the middle of the swing, 0.1 rad is a tenth of a second.
    assert np.percentile(lag, 95) < 0.2
    assert len(nao.states) - count > 2800
    assert memory[1] - memory[0] < 20_000  # kB
