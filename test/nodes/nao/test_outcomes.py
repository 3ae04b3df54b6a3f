"""A reply reports success only if the motion has happened."""

from naoqi_bridge_msgs.msg import JointAnglesWithSpeed

from harness.nao.bridge import slow_turn
from harness.nao.requests import lists

HEAD = {"names": ["HeadYaw"], "angles": [0.8], "fraction_max_speed": 0.1}
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
    "angle_interpolation_with_speed": (HEAD, "kill_all", "HeadYaw is at"),
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
    "angle_interpolation_with_speed": (HEAD, "HeadYaw is at"),
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
    reply = nao.value("set_angles", **{**HEAD, "fraction_max_speed": 0.0})
    assert "fraction_max_speed is 0" in reply.message
    message = JointAnglesWithSpeed(joint_names=["HeadYaw"], joint_angles=[0.8], speed=0.0)
    nao.publisher(JointAnglesWithSpeed, "joint_angles").publish(message)
    nao.until(lambda: "joint_angles: fraction_max_speed is 0" in nao.process.output, "a word")
    assert abs(nao.angle("HeadYaw")) < 1e-6
