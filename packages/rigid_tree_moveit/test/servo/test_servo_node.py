"""servo_node with unmodified pymoveit2, messages, and a simulated Panda."""

from collections.abc import Iterator
from unittest.mock import Mock

import numpy as np
import pytest
from control_msgs.msg import JointJog
from geometry_msgs.msg import PoseStamped, TwistStamped
from moveit_harness.move_group import JOINTS, PATIENCE, READY, box, start_move_group
from moveit_harness.servo import Servoing
from moveit_msgs.msg import (
    AttachedCollisionObject,
    CollisionObject,
    PlanningScene,
    ServoStatus,
)
from moveit_msgs.srv import GetPlanningScene, ServoCommandType
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.parameter import Parameter
from rclpy.task import Future
from std_msgs.msg import String
from std_srvs.srv import SetBool

from harness.network import Network
from harness.probe import LATCHED
from rigid_tree_kinematics import load_robot
from rigid_tree_kinematics.description import write_urdf
from rigid_tree_kinematics.description.robots import bundled_folder
from rigid_tree_kinematics.errors import ConfigurationError
from rigid_tree_kinematics.model.transforms import matrix_quaternion
from rigid_tree_kinematics.nodes.common import process
from rigid_tree_moveit.servo.node import ServoNode


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Servoing]:
    made = Servoing(tmp_path_factory.mktemp("servo"))
    yield made
    made.close()


@pytest.fixture
def servo(shared: Servoing) -> Servoing:
    """The same for all tests, at rest."""
    shared.rest()
    shared.network.call(SetBool, "servo_node/pause_servo", data=False)
    return shared


def test_pymoveit2_moves_the_tip_along_a_line_until_commands_end(servo):
    start = servo.tip()
    servo.commands.clear()
    servo.keep(
        lambda: servo.client.servo(linear=(0.0, 0.5, 0.0)),
        lambda: servo.tip()[1, 3] > start[1, 3] + 0.1,
        "the tip aside",
    )
    servo.rest()
    end = servo.tip()
    np.testing.assert_allclose(end[:3, [0, 1, 2]], start[:3, [0, 1, 2]], atol=2e-3)
    np.testing.assert_allclose(end[[0, 2], 3], start[[0, 2], 3], atol=1e-3)
    last = servo.commands[-1]
    assert list(last.joint_names) == JOINTS
    # Each command ends at rest, so that the arm stops by itself if no other one comes.
    assert all(not np.any(command.points[-1].velocities) for command in servo.commands)


@pytest.mark.parametrize("unit", ["unitless", "speed_units"])
def test_moveit2_issue_2150_a_turn_about_an_origin_circles_it(servo, unit):
    """The tip moves by the angle of the turn times its distance, whatever the scales are."""
    about = "moveit_servo.apply_twist_commands_about_ee_frame"
    for name, value in ((about, False), ("moveit_servo.command_in_type", unit)):
        assert servo.network.set_parameter("servo_node", name, value).successful
    start = servo.tip()
    # Away from the joint limit: first there, then back.
    sign = 1.0 if unit == "unitless" else -1.0
    servo.keep(
        lambda: servo.client.servo(angular=(0.0, 0.0, 0.5 * sign)),
        lambda: np.linalg.norm(servo.tip()[:3, 3] - start[:3, 3]) > 0.08,
        "the tip aside",
    )
    servo.rest()
    end = servo.tip()
    angle = sign * np.arccos((np.trace(end[:3, :3] @ start[:3, :3].T) - 1.0) / 2.0)
    cos, sin = np.cos(angle), np.sin(angle)
    turn = np.array([[cos, -sin, 0.0], [sin, cos, 0.0], [0.0, 0.0, 1.0]])
    np.testing.assert_allclose(end[:3, 3], turn @ start[:3, 3], atol=2e-3)
    for name, value in ((about, True), ("moveit_servo.command_in_type", "unitless")):
        assert servo.network.set_parameter("servo_node", name, value).successful


def test_pymoveit2_jogs_a_joint_and_a_jerk_limit_makes_commands_smooth(servo):
    assert servo.network.set_parameter("servo_node", "jerk_limit", 20.0).successful
    servo.commands.clear()
    before = servo.positions()
    servo.keep(
        lambda: servo.client.servo_jog((JOINTS[6],), (-1.0,)),
        lambda: servo.positions()[6] < before[6] - 0.2,
        "the last joint turned",
    )
    servo.rest()
    np.testing.assert_allclose(servo.positions()[:6], before[:6], atol=1e-6)
    assert servo.network.set_parameter("servo_node", "jerk_limit", 0.0).successful
    rates = np.array([command.points[0].velocities for command in servo.commands])[:, 6]
    assert rates.min() < -0.4
    assert np.abs(np.diff(rates, 2)).max() <= 20.0 * 0.01**2 + 1e-9  # every 0.01 s


def test_pymoveit2_switches_it_off_and_on(servo):
    client = servo.client
    assert client.disable(sync=True)
    assert not client.is_enabled
    start = servo.positions()
    twist = TwistStamped()
    twist.header.frame_id, twist.twist.linear.y = "panda_link0", 0.5
    publisher = servo.network.publisher(TwistStamped, "servo_node/delta_twist_cmds")
    for _ in range(20):  # past the client, which sends nothing any more
        twist.header.stamp = servo.now()
        publisher.publish(twist)
        servo.network.spin_for(0.02)
    assert servo.positions() == start
    assert client.enable(sync=True)
    assert client.wait_until_ready(PATIENCE)
    types = ServoCommandType.Request
    tip = servo.tip()[1, 3]
    servo.keep(
        lambda: client.servo(linear=(0.0, -0.5, 0.0)),
        lambda: servo.tip()[1, 3] < tip - 0.05,
        "the tip aside",
    )
    assert client.active_command_type == types.TWIST
    servo.rest()
    last = servo.positions()[6]
    servo.keep(
        lambda: client.servo_jog((JOINTS[6],), (1.0,)),
        lambda: servo.positions()[6] > last + 0.1,
        "the last joint turned",
    )
    assert client.active_command_type == types.JOINT_JOG
    assert client.wait_until_command_ready(types.JOINT_JOG, PATIENCE)
    servo.rest()


def test_twist_in_the_tip_frame_is_along_its_axes(servo):
    start = servo.tip()
    publisher = servo.network.publisher(TwistStamped, "servo_node/delta_twist_cmds")
    servo.network.call(ServoCommandType, "servo_node/switch_command_type", command_type=1)

    def command() -> None:
        message = TwistStamped()
        message.header.frame_id, message.header.stamp = "panda_link8", servo.now()
        message.twist.linear.z = -0.5
        publisher.publish(message)

    servo.keep(
        command, lambda: np.linalg.norm((servo.tip() - start)[:3, 3]) > 0.05, "the tip back"
    )
    servo.rest()
    gone = start[:3, :3].T @ (servo.tip() - start)[:3, 3]
    assert gone[2] < -0.05
    np.testing.assert_allclose(gone[:2], 0.0, atol=1e-3)


def test_a_pose_is_reached(servo):
    target = servo.tip()
    target[:3, 3] += (0.05, -0.05, -0.05)
    publisher = servo.network.publisher(PoseStamped, "servo_node/pose_target_cmds")
    answer = servo.network.call(ServoCommandType, "servo_node/switch_command_type", command_type=2)
    assert answer.success

    def command() -> None:
        message = PoseStamped()
        message.header.frame_id, message.header.stamp = "panda_link0", servo.now()
        place, turn = message.pose.position, message.pose.orientation
        place.x, place.y, place.z = target[:3, 3].tolist()
        turn.x, turn.y, turn.z, turn.w = matrix_quaternion(target).tolist()
        publisher.publish(message)

    servo.keep(command, lambda: np.linalg.norm((servo.tip() - target)[:3, 3]) < 1e-3, "the pose")
    servo.rest()
    np.testing.assert_allclose(servo.tip()[:3, :3], target[:3, :3], atol=0.01)


def test_a_stream_of_poses_is_followed_without_a_lag(servo):
    """At 50 Hz and 0.1 m/s; without the target's velocity, the tip is 20 mm behind."""
    start, sent, lags = servo.tip(), [], []
    publisher = servo.network.publisher(PoseStamped, "servo_node/pose_target_cmds")
    servo.network.call(ServoCommandType, "servo_node/switch_command_type", command_type=2)
    message = PoseStamped()
    message.header.frame_id = "panda_link0"
    place, turn = message.pose.position, message.pose.orientation
    place.x, place.y, place.z = start[:3, 3].tolist()
    turn.x, turn.y, turn.z, turn.w = matrix_quaternion(start).tolist()

    def command() -> None:
        message.header.stamp = servo.now()
        time = message.header.stamp.sec + 1e-9 * message.header.stamp.nanosec
        sent.append(time)
        place.y = start[1, 3] - 0.1 * (time - sent[0])
        publisher.publish(message)
        if servo.commands:
            q = servo.commands[-1].points[0].positions[:7]
            tip = servo.robot.get_transform([*q, 0.035], "panda_link8")
            lags.append(tip[1, 3] - place.y)

    servo.commands.clear()
    servo.keep(command, lambda: sent[-1] - sent[0] > 1.5, "the stream")
    servo.rest()
    assert np.percentile(np.abs(lags[len(lags) // 2 :]), 20) < 0.01  # others: a busy machine
    np.testing.assert_allclose(
        servo.tip()[:3, 3], (*start[:1, 3], place.y, start[2, 3]), atol=0.02
    )


def test_invalid_input_is_reported_and_moves_nothing(servo):
    before = servo.positions()
    publisher = servo.network.publisher(JointJog, "servo_node/delta_joint_cmds")
    assert not servo.network.call(
        ServoCommandType, "servo_node/switch_command_type", command_type=7
    ).success
    servo.network.call(ServoCommandType, "servo_node/switch_command_type", command_type=0)
    for names, values, words in (
        (["elbow"], [1.0], "elbow"),
        (JOINTS[:1], [], "0 velocities"),
        (JOINTS[:1], [float("nan")], "finite"),
    ):
        servo.statuses.clear()
        message = JointJog(joint_names=names, velocities=values)
        message.header.stamp = servo.now()
        publisher.publish(message)
        reported = servo.network.until(
            lambda: [s for s in servo.statuses if s.code == ServoStatus.INVALID], "a status"
        )
        assert words in reported[0].message
    # A wrong stamp, and commands to a paused servo.
    lie = JointJog(joint_names=JOINTS[:1], velocities=[1.0])
    for seconds, words in ((5, "JointJog had expired when it arrived"), (2**31 - 1, "ahead of")):
        lie.header.stamp.sec = seconds
        servo.keep(
            lambda: publisher.publish(lie),
            lambda words=words: words in servo.process.output,
            "a warning",
        )
        servo.rest()
        assert servo.positions() == before
    assert servo.network.call(SetBool, "servo_node/pause_servo", data=True).success
    for _ in range(10):
        lie.header.stamp = servo.now()
        publisher.publish(lie)
        servo.network.spin_for(0.02)
    assert servo.positions() == before


def test_a_scene_that_comes_before_the_robot_is_awaited_in_silence(tmp_path):
    network = Network(tmp_path)
    try:
        start_move_group(network)
        srdf = str(bundled_folder("robots") / "panda_hand.srdf")
        process = network.start("servo_node", {"srdf": srdf})
        network.until(lambda: network.node.count_clients("/get_planning_scene"), "its client")
        network.spin_for(2.0)  # it would ask four times
        network.start("tree_state_publisher", {"robot": "panda_hand"})
        network.log_line(process, "servoing '")
        assert "monitored_planning_scene" not in process.output
    finally:
        network.close()


def test_a_rejected_robot_leaves_the_jerk_limits_of_the_present_one(ros, monkeypatch):
    limits = "robot_description_planning.joint_limits.panda_joint1"
    given = {f"{limits}.has_jerk_limits": True, f"{limits}.max_jerk": 50.0}
    monkeypatch.setattr(process, "given_parameters", lambda name: given)
    node = ServoNode()

    def set_to(name, value):
        return node.set_parameters([Parameter(name, value=value)])[0]

    assert set_to("robot", "panda").successful
    assert set_to("moveit_servo.active_subgroup", "panda_link8").successful
    refused = set_to("robot", "ur5")
    assert not refused.successful
    assert "panda_link8" in refused.reason
    assert set_to("moveit_servo.active_subgroup", "").successful  # the same group
    assert node.robot.servo_limits == ({}, {"panda_joint1": 50.0})
    node.destroy_node()


def test_the_present_robot_stays_if_another_one_cannot_be_taken(ros, monkeypatch):
    node = ServoNode()
    assert node.set_parameters([Parameter("robot", value="panda")])[0].successful
    monkeypatch.setattr(node._scene, "fit", Mock(side_effect=ConfigurationError("no fit")))
    with pytest.raises(ConfigurationError, match="no fit"):
        node.set_parameters([Parameter("robot", value="ur5")])
    assert node.robot.tree.name == "panda"
    node.destroy_node()


def test_a_request_for_the_scene_that_is_never_answered_is_repeated(network):
    asked = []

    async def answer(request, response):
        asked.append(request)
        if len(asked) == 1:
            await Future()  # like a move_group that is killed
        return response

    network.node.create_service(
        GetPlanningScene, "get_planning_scene", answer, callback_group=ReentrantCallbackGroup()
    )
    network.start("servo_node", {"robot": "panda"})
    network.until(lambda: len(asked) > 1, "another request", timeout=60.0)


def test_an_object_on_a_link_that_a_new_robot_lacks_is_dropped(network):
    process = network.start("servo_node")
    described = network.publisher(String, "robot_description", LATCHED)
    described.publish(String(data=write_urdf(load_robot("panda"))))
    network.log_line(process, "servoing 'panda_link8'")
    tool = box("tool", "panda_link8", (0.0, 0.0, 0.1), (0.05, 0.05, 0.05))
    held = PlanningScene()
    held.robot_state.attached_collision_objects = [
        AttachedCollisionObject(link_name="panda_link8", object=tool)
    ]
    rejected = PlanningScene(is_diff=True)  # its warning says that the one before it was taken
    rejected.world.octomap.octomap.data = [1]
    scenes = network.publisher(PlanningScene, "monitored_planning_scene")
    scenes.publish(held)
    scenes.publish(rejected)
    network.log_line(process, "octomaps are not supported")
    described.publish(String(data=write_urdf(load_robot("ur5"))))
    network.until(lambda: "robot 'ur5' from" in process.output, "the robot", timeout=60.0)
    assert "dropped obstacle 'tool'" in process.output


def test_it_halts_in_front_of_obstacles_of_move_group(servo):
    network = servo.network
    parameters = {"robot": "panda_hand", "srdf": servo.srdf}
    process = network.start("move_group", parameters)
    network.log_line(process, "8 independent joints")
    tip = servo.tip()[:3, 3]
    publisher = network.publisher(CollisionObject, "collision_object")
    place = tip[0], tip[1] + 0.3, tip[2]
    publisher.publish(box("wall", "panda_link0", place, (0.6, 0.04, 0.6)))
    network.call_until(
        lambda reply: reply.scene.world.collision_objects, GetPlanningScene, "get_planning_scene"
    )
    network.spin_for(
        2.0
    )  # the servo asks twice a second, and would run into what it does not know

    def halt():
        servo.statuses.clear()
        servo.keep(
            lambda: servo.client.servo(linear=(0.0, 1.0, 0.0)),
            lambda: any(s.code == ServoStatus.HALT_FOR_COLLISION for s in servo.statuses),
            "a halt",
        )
        servo.rest()

    halt()
    near = servo.tip()[1, 3]
    assert tip[1] + 0.05 < near < tip[1] + 0.28
    # Away from it is free.
    servo.keep(
        lambda: servo.client.servo(linear=(0.0, -1.0, 0.0)),
        lambda: servo.tip()[1, 3] < near - 0.15,
        "the way back",
    )
    servo.rest()
    halt()
    codes = (ServoStatus.DECELERATE_FOR_COLLISION, ServoStatus.HALT_FOR_COLLISION)
    reported = [s for s in servo.statuses if s.code in codes]
    assert reported[0].code == ServoStatus.DECELERATE_FOR_COLLISION
    assert "'wall'" in reported[0].message


def test_the_robot_slides_if_the_parameter_says_so(ros):
    node = ServoNode()
    assert node.set_parameters([Parameter("robot", value="panda")])[0].successful
    assert node.get_parameter("when_blocked").value == "halt"
    for choice in "slide", "halt":
        assert node.set_parameters([Parameter("when_blocked", value=choice)])[0].successful
        servo = node._servo
        for settings in node._settings:
            servo.settings = settings
            servo.reset(READY)
            for _ in range(400):  # the first joint reaches its limit
                step = servo.step_joints([1.5, 0.0, 0.2, 0.0, 0.0, 0.0, 0.0])
            assert bool(step.velocities[2] > 0.1) is (choice == "slide")
    refused = node.set_parameters([Parameter("when_blocked", value="stop")])[0]
    assert not refused.successful
    assert "slide" in refused.reason
    node.destroy_node()


def test_joint_limits_and_topics_of_moveits_configuration(ros, monkeypatch):
    first = f"robot_description_planning.joint_limits.{JOINTS[0]}"
    given: dict[str, object] = {f"{first}.max_position": 0.5}
    given |= {f"{first}.has_velocity_limits": True, "moveit_servo.joint_limit_margin": 0.2}
    given |= {f"{first}.max_velocity": 0.2, f"{first}.has_acceleration_limits": True}
    given |= {f"{first}.max_acceleration": 1.5, "moveit_servo.joint_topic": "/other"}
    monkeypatch.setattr(process, "given_parameters", lambda name: given)
    node = ServoNode()
    assert node.set_parameters([Parameter("robot", value="panda")])[0].successful
    servo = node._servo
    servo.settings = node._settings[0]
    rates = [servo.step_joints([1.0] + 6 * [0.0]).velocities[0] for _ in range(400)]
    assert max(rates) == pytest.approx(0.2)
    assert rates[0] == pytest.approx(1.5 * 0.01)
    assert servo.configuration[0] == pytest.approx(0.3, abs=1e-3)  # 0.2 from the limit
    assert node.unused_parameters(node.given) == ["moveit_servo.joint_topic"]
    node.destroy_node()
