"""nao_bridge's services and actions, over real ROS and the real protocol."""

import math
import signal

import numpy as np
import pytest
from action_msgs.srv import CancelGoal
from nao_harness.bridge import slow_turn
from nao_harness.requests import GOAL, HEAD, REQUESTS, WHOLE_BODY, lists
from nao_motion_interfaces.action import AngleInterpolation
from naoqi_bridge_msgs.action import JointTrajectory
from naoqi_bridge_msgs.msg import JointAnglesWithSpeed
from rclpy.action import ActionClient

from harness.arm.trajectories import trajectory
from rigid_tree_nao.nodes.methods import METHODS

# -- services ------------------------------------------------------------------------------------


def test_every_method_is_answered(shared_nao):
    nao = shared_nao
    for method in METHODS.values():
        if not method.name.startswith(("get_", "is_", "robot_is_", "move_is_")):
            nao.wake_up()
        if method.name in WHOLE_BODY:
            nao.value("wb_enable", enable=True)
            nao.value("wb_enable_effector_control", name="LArm", enable=True)
        reply = nao.call(method.name, **REQUESTS.get(method.name, {}))
        assert reply.success, f"{method.name}: {reply.message}"
        if method.name == "rest":
            assert nao.value("get_posture").text == "Crouch"


def test_limits_are_respected_and_reported(nao):
    reply = nao.value(
        "set_angles", names=["HeadYaw", "LElbowRoll"], angles=[3.0, 1.0], fraction_max_speed=1.0
    )
    assert "HeadYaw 3 clamped to 2.0857" in reply.message
    assert "LElbowRoll 1 clamped to -0.0349" in reply.message
    nao.until(lambda: nao.angle("HeadYaw") == pytest.approx(2.0857), "the limit")
    reply = nao.value(
        "angle_interpolation",
        names=["HeadYaw", "HeadPitch"],
        angle_lists=lists([0.0, 1.5], [0.1, 0.5]),
        time_lists=lists([0.3, 0.8], [0.3, 0.8]),
        is_absolute=True,
    )
    assert "HeadPitch 0.5 clamped to 0.2" in reply.message
    assert nao.angle("HeadPitch") < 0.21


def test_invalid_input_is_answered(nao):
    before = nao.value("get_angles", names=["Body"]).angles
    one = {"names": ["LArm"], "axis_masks": [7]}
    for name, fields, words in (
        (
            "get_angles",
            {"names": ["Tail"]},
            "ALMotion::getAngles unknown joint or chain name 'Tail'",
        ),
        ("go_to_posture", {"posture_name": "Fly", "speed": 0.5}, "ALRobotPosture::goToPosture"),
        ("set_angles", {**HEAD, "angles": [math.nan, 0.0]}, "rejected: angles"),
        ("move", {"x": math.inf}, "rejected: x is not finite"),
        ("set_position", {**GOAL, "position": [math.nan] * 6}, "rejected: position"),
        ("set_transform", {**GOAL, "transform": [1.0] * 5}, "12 or 16"),
        ("set_angles", {**HEAD, "angles": [0.1, 0.2, 0.3]}, "3 angles for 2 joints"),
        (
            "angle_interpolation",
            {**HEAD, "angle_lists": lists([math.inf]), "time_lists": lists([1.0])},
            "rejected: angle_lists[0].values",
        ),
        (
            "position_interpolations",
            {**one, "paths": lists([1.0] * 7), "time_lists": lists([1.0])},
            "6 numbers",
        ),
        ("position_interpolations", {**one, "paths": lists([1.0] * 6)}, "0 lists of times"),
    ):
        reply = nao.call(name, **fields)
        assert not reply.success, (name, words)
        assert words in reply.message, (name, words)
        assert "\n" not in reply.message, (name, words)
    nao.read(5)
    np.testing.assert_array_equal(nao.value("get_angles", names=["Body"]).angles, before)


def test_a_long_service_call_does_not_delay_others(nao):
    # More of them than libqi has threads.
    lasting = [nao.start("angle_interpolation", **slow_turn(4.0)) for _ in range(20)]
    nao.until(lambda: len(nao.value("get_task_list").tasks) == 20, "all of them")
    assert not any(future.done() for future in lasting)
    nao.value("kill_tasks_using_resources", names=["Head"])
    nao.until(lambda: all(future.done() for future in lasting), "their ends")


# -- actions -------------------------------------------------------------------------------------


def test_action_feedback_has_the_joint_positions(nao):
    received = []
    handle = nao.send_goal("angle_interpolation", received.append, **slow_turn(3.0))
    assert handle.accepted
    answer = nao.result_of(handle)
    assert answer.result.success
    angles = [message.feedback.angles[0] for message in received]
    assert len(angles) > 3
    assert angles == sorted(angles)
    assert received[-1].feedback.names == ["HeadYaw"]
    assert nao.sensed("HeadYaw") == pytest.approx(1.0, abs=1e-3)


def test_a_cancelled_action_stops_the_robot(nao):
    for name, fields in (
        ("angle_interpolation", slow_turn(10.0)),
        ("move_to", {"x": 1.0}),
        ("go_to_posture", {"posture_name": "Crouch", "speed": 0.03}),
    ):
        handle = nao.send_goal(name, **fields)
        nao.read(25)
        nao.network.result(handle.cancel_goal_async(), "cancel")
        answer = nao.result_of(handle)
        assert (answer.status, answer.result.message) == (5, "canceled"), name  # CANCELED
        nao.until(lambda: not nao.walks(), "a stop")
        nao.rest()
        before = nao.value("get_angles", names=["Body"]).angles
        nao.read(15)
        np.testing.assert_array_equal(nao.value("get_angles", names=["Body"]).angles, before)


def test_goals_cancelled_before_they_start_do_nothing(nao):
    joints = trajectory(["HeadYaw"], (4.0, [1.0]))
    # Several times: a goal may start before the bridge reads its cancellation.
    for kind, name, goal in 3 * (
        (AngleInterpolation, "angle_interpolation", slow_turn(4.0)),
        (JointTrajectory, "joint_trajectory", {"trajectory": joints}),
    ):
        topic = f"/{nao.namespace}/{name}"
        client = ActionClient(nao.network.node, kind, topic)
        cancel = nao.network.client(CancelGoal, f"{topic}/_action/cancel_goal")
        nao.until(client.server_is_ready, name)
        nao.network.wait_for_discovery(f"/{nao.namespace}/nao_bridge")
        nao.process.send_signal(signal.SIGSTOP)
        sent = client.send_goal_async(kind.Goal(**goal))
        canceled = cancel.call_async(CancelGoal.Request())
        nao.network.spin_for(0.2)  # both arrive
        nao.process.send_signal(signal.SIGCONT)
        handle = nao.network.result(sent)
        assert nao.network.result(canceled).goals_canceling, name
        assert nao.result_of(handle).status == 5, name  # CANCELED
        assert nao.angle("HeadYaw") < 0.5, name
        client.destroy()


def test_an_action_with_a_bad_goal_is_aborted(nao):
    answer = nao.result_of(nao.send_goal("angle_interpolation", names=["Tail"]))
    assert answer.status == 6  # ABORTED
    assert "Tail" in answer.result.message
    answer = nao.result_of(nao.send_goal("move_to", x=math.nan))
    assert "not finite" in answer.result.message


def test_parameters_are_changed_or_rejected(shared_nao):
    node = "/nao/nao_bridge"
    assert shared_nao.network.set_parameter(node, "cmd_vel_timeout", 0.4).successful
    assert not shared_nao.network.set_parameter(node, "cmd_vel_timeout", -1.0).successful
    refused = shared_nao.network.set_parameter(node, "rate", 10.0)
    assert "read-only" in refused.reason


# -- success means that the motion has happened --------------------------------------------------


HEAD_YAW = {"names": ["HeadYaw"], "angles": [0.8], "fraction_max_speed": 0.1}
ARM = {
    "name": "LArm",
    "path": lists([0.1, 0.2, 0.1, 0.0, 0.0, 0.0]),
    "axis_mask": 7,
    "times": [4.0],
    "is_absolute": True,
}
# Motions that last, and what ends them.
INTERRUPTED = {
    "move_to": ({"x": 1.0}, "stop_move", "did not arrive"),
    "walk_to": ({"x": 1.0}, "kill_all", "did not arrive"),
    "go_to_posture": ({"posture_name": "Sit", "speed": 0.2}, "stop_posture", "was not reached"),
    "angle_interpolation": (slow_turn(4.0), "kill_all", "it was killed"),
    "angle_interpolation_with_speed": (
        HEAD_YAW | {"fraction_max_speed": 0.02},
        "kill_all",
        "HeadYaw is at",
    ),
    "position_interpolation": (ARM, "kill_all", "LArm is"),
    "stiffness_interpolation": (
        {"names": ["Head"], "stiffness_lists": lists([0.5]), "time_lists": lists([4.0])},
        "kill_all",
        "it was killed",
    ),
}
LOOSE = {
    "move_to": ({"x": 0.1}, "did not arrive"),
    "go_to_posture": ({"posture_name": "Sit", "speed": 0.5}, "was not reached"),
    "angle_interpolation": (slow_turn(0.3), "HeadYaw is at"),
    "angle_interpolation_with_speed": (HEAD_YAW, "HeadYaw is at"),
    "open_hand": ({"name": "LHand"}, "stiffness 0"),
}


def test_a_motion_that_was_interrupted_is_no_success(nao):
    for name, (fields, end, words) in INTERRUPTED.items():
        nao.wake_up()
        answer = nao.start(name, **fields)
        nao.until(lambda: nao.value("get_task_list").tasks, f"the motion of {name}")
        nao.read(20)
        nao.value(end)
        nao.until(answer.done, f"a reply of {name}")
        assert not answer.result().success, name
        message = answer.result().message
        assert words in message or "it was killed" in message, (name, message)


def test_a_motion_of_joints_without_stiffness_is_no_success(nao):
    nao.value("set_stiffnesses", names=["Body"], stiffnesses=[0.0])
    for name, (fields, words) in LOOSE.items():
        reply = nao.call(name, **fields)
        assert not reply.success, name
        assert words in reply.message, name


def test_speed_zero_has_one_answer_on_service_and_topic(nao):
    reply = nao.value("set_angles", **{**HEAD_YAW, "fraction_max_speed": 0.0})
    assert "fraction_max_speed is 0" in reply.message
    message = JointAnglesWithSpeed(joint_names=["HeadYaw"], joint_angles=[0.8], speed=0.0)
    nao.publisher(JointAnglesWithSpeed, "joint_angles").publish(message)
    nao.until(lambda: "joint_angles: fraction_max_speed is 0" in nao.process.output, "a word")
    assert abs(nao.angle("HeadYaw")) < 1e-6
