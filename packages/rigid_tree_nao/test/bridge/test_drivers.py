"""The clients of NAO's older drivers, with their names and types."""

import math

import pytest
from geometry_msgs.msg import Pose2D, Twist
from nao_harness.simulated import naoqi_call
from naoqi_bridge_msgs.action import (
    Blink,
    BodyPose,
    BodyPoseWithSpeed,
    JointAnglesWithSpeed,
    JointTrajectory,
)
from naoqi_bridge_msgs.msg import Bumper, HandTouch, HeadTouch, StringStamped
from naoqi_bridge_msgs.msg import JointAnglesWithSpeed as AnglesMessage
from naoqi_bridge_msgs.srv import (
    CmdPoseService,
    CmdVelService,
    GetRobotInfo,
    GetString,
    SetArmsEnabled,
    SetString,
)
from sensor_msgs.msg import Range
from std_msgs.msg import ColorRGBA, String
from std_srvs.srv import Empty

from harness.arm.trajectories import trajectory as trajectory_of

SUCCEEDED, CANCELED, ABORTED = 4, 5, 6


def call(nao, kind, name, **fields):
    return nao.network.result(
        nao.client(name, kind).call_async(kind.Request(**fields)), f"reply of {name}"
    )


def act(nao, kind, name, **fields):
    goal = nao.network.send_goal(kind, f"/{nao.namespace}/{name}", kind.Goal(**fields))
    return nao.result_of(goal)


def test_robot_language_and_speech(nao):
    info = call(nao, GetRobotInfo, "naoqi_driver/get_robot_config").info
    assert (info.type, info.model, info.body_version) == (info.NAO, "naoH25", "V6")
    assert (info.number_of_legs, info.number_of_arms, info.number_of_hands) == (2, 2, 2)
    assert call(nao, SetString, "naoqi_driver/set_language", data="French").success
    assert call(nao, GetString, "naoqi_driver/get_language").data == "French"
    assert not call(nao, SetString, "naoqi_driver/set_language", data="Klingon").success
    assert call(nao, SetString, "naoqi_driver/set_language", data="English").success
    nao.publisher(String, "speech").publish(String(data="Good morning"))
    nao.until(lambda: "NAO says: Good morning" in nao.robot.output, "the words")


def test_the_walkers_services(nao):
    start = nao.place()
    call(nao, CmdPoseService, "cmd_pose_srv", pose=Pose2D(x=0.05))
    assert math.dist(nao.place()[:2], start[:2]) == pytest.approx(0.05, abs=1e-3)
    twist = Twist()
    twist.linear.x = 0.05
    call(nao, CmdVelService, "cmd_vel_srv", twist=twist)
    nao.until(nao.walks, "the walk")
    nao.read(50)  # no watchdog waits for the next velocity
    assert nao.walks()
    call(nao, CmdVelService, "cmd_vel_srv", twist=Twist())
    nao.until(lambda: not nao.walks(), "a stop")
    call(nao, SetArmsEnabled, "enable_arms_walking_srv", left_arm=True, right_arm=False)
    assert nao.value("get_move_arms_enabled", name="LArm").value
    assert not nao.value("get_move_arms_enabled", name="RArm").value


def test_walk_that_does_not_arrive_is_logged(nao):
    nao.value("set_stiffnesses", names=["Legs"], stiffnesses=[0.0])
    call(nao, CmdPoseService, "cmd_pose_srv", pose=Pose2D(x=0.2))
    nao.until(lambda: "cmd_pose_srv: the robot did not arrive" in nao.process.output, "a word")


def test_rest_stiffness_and_life(nao):
    for name, stiff in (
        ("pose_controller/rest", False),
        ("wakeup", True),
        ("body_stiffness/disable", False),
        ("body_stiffness/enable", True),
    ):
        call(nao, Empty, name)
        nao.until(lambda stiff=stiff: nao.value("robot_is_wake_up").value is stiff, name)
    call(nao, Empty, "life/enable")
    call(nao, Empty, "life/disable")
    assert "life" not in nao.process.output


def trajectory(seconds, angle):
    return trajectory_of(["HeadYaw"], (seconds, [angle]))


def test_the_pose_controllers_actions(nao):
    outcome = act(nao, JointTrajectory, "joint_trajectory", trajectory=trajectory(0.5, 0.4))
    assert outcome.status == SUCCEEDED
    assert outcome.result.goal_position.name == ["HeadYaw"]
    assert outcome.result.goal_position.position[0] == pytest.approx(0.4, abs=1e-3)
    more = trajectory(0.5, -0.1)
    outcome = act(nao, JointTrajectory, "joint_trajectory", trajectory=more, relative=1)
    assert outcome.result.goal_position.position[0] == pytest.approx(0.3, abs=1e-3)
    for relative, wanted in ((0, 0.5), (1, 1.0)):
        message = AnglesMessage(
            joint_names=["HeadYaw"], joint_angles=[0.5], speed=0.5, relative=relative
        )
        outcome = act(nao, JointAnglesWithSpeed, "joint_angles_action", joint_angles=message)
        assert outcome.status == SUCCEEDED
        assert outcome.result.goal_position.position[0] == pytest.approx(wanted, abs=1e-3)
    outcome = act(nao, BodyPoseWithSpeed, "body_pose_with_speed", posture_name="Stand", speed=0.8)
    assert outcome.status == SUCCEEDED
    assert nao.value("get_posture").text == "Stand"
    assert act(nao, BodyPose, "body_pose", pose_name="Salto").status == ABORTED
    assert "body_pose: " in nao.process.output


def test_a_trajectory_that_is_cancelled_stops(nao):
    name = f"/{nao.namespace}/joint_trajectory"
    goal = JointTrajectory.Goal(trajectory=trajectory(5.0, 1.0))
    handle = nao.network.send_goal(JointTrajectory, name, goal)
    nao.until(lambda: nao.angle("HeadYaw") > 0.02, "the motion")
    nao.network.result(handle.cancel_goal_async(), "cancel")
    assert nao.result_of(handle).status == CANCELED
    nao.rest()
    assert nao.angle("HeadYaw") < 0.9


def test_eyes_blink_until_canceled(nao):
    received = []
    red = ColorRGBA(r=1.0)
    goal = Blink.Goal(colors=[red], blink_rate_mean=0.1)
    handle = nao.network.send_goal(Blink, f"/{nao.namespace}/blink", goal, received.append)
    nao.until(lambda: len(received) > 2, "blinks")
    nao.network.result(handle.cancel_goal_async(), "cancel")
    assert nao.result_of(handle).status == CANCELED


def test_touch_and_sonar_are_published(nao):
    def naoqi(*call):
        naoqi_call(nao.port, *call)

    kinds = {"bumper": Bumper, "hand_touch": HandTouch, "head_touch": HeadTouch}
    kinds["info"] = StringStamped
    received = {
        topic: nao.network.record(kind, f"/{nao.namespace}/{topic}")
        for topic, kind in kinds.items()
    }
    left = nao.network.record(Range, f"/{nao.namespace}/sonar/left")
    naoqi("ALMemory", "insertData", "Device/SubDeviceList/US/Left/Sensor/Value", 0.6)
    nao.until(lambda: left and left[-1].range == pytest.approx(0.6), "the distance")
    assert left[-1].header.frame_id == "LSonar_frame"
    assert (left[-1].min_range, left[-1].max_range) == pytest.approx((0.25, 2.55))
    nao.network.wait_for_discovery(f"/{nao.namespace}/nao_bridge")
    for event, value, topic, count in (
        ("RightBumperPressed", 1.0, "bumper", 1),
        ("HandLeftBackTouched", 1.0, "hand_touch", 1),
        ("MiddleTactilTouched", 1.0, "head_touch", 1),
        ("RightBumperPressed", 0.0, "bumper", 2),
    ):
        naoqi("ALMemory", "raiseEvent", event, value)
        nao.until(lambda topic=topic, count=count: len(received[topic]) == count, event)
    assert [(m.bumper, m.state) for m in received["bumper"]] == [(0, 1), (0, 0)]
    assert [(m.hand, m.state) for m in received["hand_touch"]] == [(HandTouch.LEFT_BACK, 1)]
    assert [(m.button, m.state) for m in received["head_touch"]] == [(HeadTouch.BUTTON_MIDDLE, 1)]
    nao.until(lambda: received["info"], "the robot's versions")
    assert "RobotConfig/Body/BaseVersion: V6" in received["info"][-1].data
