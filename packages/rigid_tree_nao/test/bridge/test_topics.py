"""nao_bridge's topics and frames, over real ROS and the real protocol."""

import math

import numpy as np
import pytest
from geometry_msgs.msg import Pose2D, PoseStamped, Twist
from nao_harness.simulated import naoqi_call
from naoqi_bridge_msgs.msg import JointAnglesWithSpeed
from nav_msgs.msg import Odometry
from rclpy.time import Time
from sensor_msgs.msg import BatteryState, Imu, JointState
from std_msgs.msg import Bool
from trajectory_msgs.msg import JointTrajectory

from harness.arm.trajectories import trajectory as trajectory_of
from harness.poses import pose_stamped
from rigid_tree_kinematics.model.transforms import transform

WITHIN = 1e-6  # m and rad, of what TF and the robot say of one pose


def angles_message(names, angles, speed=0.5, relative=0):
    return JointAnglesWithSpeed(
        joint_names=names, joint_angles=angles, speed=speed, relative=relative
    )


def test_joint_angles_move_joints_and_frames(nao):
    """The message is upstream's, which has no constants for ``relative``."""
    before = nao.pose_in_tf("LArm", "torso")
    publisher = nao.publisher(JointAnglesWithSpeed, "joint_angles")
    publisher.publish(angles_message(["LShoulderPitch", "LElbowYaw"], [0.5, -0.5]))
    nao.until(lambda: abs(nao.angle("LShoulderPitch") - 0.5) < 1e-6, "the arm's motion")
    publisher.publish(angles_message(["LShoulderPitch"], [0.25], relative=1))
    nao.until(lambda: abs(nao.angle("LShoulderPitch") - 0.75) < 1e-6, "the arm's change")
    nao.until(
        lambda: np.abs(nao.pose_in_tf("LArm", "torso") - before).max() > 0.05, "the arm's frame"
    )
    # The stiffness, by a topic as well.
    publisher = nao.publisher(JointState, "joint_stiffness")
    publisher.publish(JointState(name=["HeadYaw", "HeadPitch"], effort=[0.3, 0.0]))
    nao.until(
        lambda: nao.value("get_stiffnesses", names=["Head"]).stiffnesses.tolist() == [0.3, 0.0],
        "the stiffness",
    )


def test_an_invalid_message_is_dropped_and_logged(nao):
    before = nao.value("get_angles", names=["Body"]).angles
    for message, words in (
        (angles_message(["Tail"], [0.1]), "Tail"),
        (angles_message(["HeadYaw"], [math.nan]), "joint_angles has"),
    ):

        def warned(message=message, words=words):
            """Publish again, since a warning of one kind comes every two seconds."""
            nao.publisher(JointAnglesWithSpeed, "joint_angles").publish(message)
            nao.read(5)
            return words in nao.process.output

        nao.until(warned, words)
    np.testing.assert_array_equal(nao.value("get_angles", names=["Body"]).angles, before)


def test_a_trajectory_is_followed_and_replaced(nao):
    publisher = nao.publisher(JointTrajectory, "joint_trajectory")

    def trajectory(*points):
        return trajectory_of(["HeadYaw", "HeadPitch"], *points)

    count = len(nao.states)
    publisher.publish(trajectory((0.0, [0.0, 0.0]), (0.5, [0.5, 0.1]), (1.0, [0.2, 0.0])))
    nao.until(lambda: max(nao.angles("HeadYaw", count), default=0.0) > 0.4, "the first point")
    nao.until(lambda: abs(nao.angle("HeadYaw") - 0.2) < 1e-3, "the second point")
    publisher.publish(trajectory((8.0, [1.5, 0.0])))
    nao.until(lambda: nao.angle("HeadYaw") > 0.25, "a slow one")
    publisher.publish(trajectory((0.5, [-0.5, 0.0])))
    nao.until(lambda: abs(nao.angle("HeadYaw") + 0.5) < 1e-3, "the one that replaces it")
    publisher.publish(trajectory((8.0, [1.5, 0.0])))
    nao.until(lambda: nao.angle("HeadYaw") > -0.45, "another slow one")
    publisher.publish(JointTrajectory())
    nao.until(lambda: "the trajectory is empty: stopped" in nao.process.output, "a word")
    nao.rest()
    assert nao.angle("HeadYaw") < 0.5


def test_a_walk_stops_at_velocity_zero_and_when_no_velocities_come_any_more(nao):
    nao.walk_by_topic().publish(Twist())
    nao.until(lambda: not nao.walks(), "a stop")
    nao.walk_by_topic()
    nao.until(lambda: "no cmd_vel for" in nao.process.output, "the watchdog's word")
    nao.until(lambda: not nao.walks(), "a stop")
    there = nao.place()
    nao.read(25)
    np.testing.assert_allclose(nao.place(), there, atol=1e-12)

    # The watch over cmd_vel stops no other walk.
    nao.walk_by_topic()
    start = nao.place()
    nao.value("move_to", x=0.15)
    assert np.hypot(*(nao.place() - start)[:2]) > 0.14


def test_place_without_free_rows_is_rejected(nao):
    start = nao.place()
    for fields in ({"x": 1e308}, {"x": 8.0, "y": 8.0}, {"theta": 7.0}):
        reply = nao.call("move_to", **fields)
        assert not reply.success
        assert "rejected" in reply.message
    nao.publisher(Pose2D, "cmd_pose").publish(Pose2D(x=-1e308))
    nao.until(lambda: "rejected: the place is 1e+308 m" in nao.process.output, "a word")
    assert not nao.walks()
    np.testing.assert_array_equal(nao.place(), start)


def test_places_to_walk_to(nao):
    start = nao.place()
    nao.publisher(Pose2D, "cmd_pose").publish(Pose2D(x=0.05, y=0.0, theta=0.0))
    wanted = start[:2] + 0.05 * np.array([math.cos(start[2]), math.sin(start[2])])
    nao.until(lambda: np.abs(nao.place()[:2] - wanted).max() < 1e-6, "the place")
    goal = pose_stamped(transform((0.1, 0.05, 0.0)), "odom")
    publisher = nao.publisher(PoseStamped, "move_base_simple/goal")
    publisher.publish(goal)
    nao.until(lambda: np.abs(nao.place() - [0.1, 0.05, 0.0]).max() < 1e-5, "the goal")
    goal.header.frame_id = "kitchen"
    publisher.publish(goal)
    nao.until(lambda: "unknown frame 'kitchen'" in nao.process.output, "a word")


def test_a_goal_in_the_world_is_not_taken_from_an_old_reading(lonely_bridge):
    """Of a robot that is read once a second, and was walked by another client meanwhile."""
    nao = lonely_bridge(rate=1.0)
    nao.wake_up()
    goal = pose_stamped(transform((0.15, 0.0, 0.0)), "odom")
    publisher = nao.publisher(PoseStamped, "move_base_simple/goal")
    naoqi_call(nao.port, "ALMotion", "moveTo", 0.1, 0.0, 0.0)
    walked = nao.place()
    publisher.publish(goal)
    nao.until(lambda: not np.array_equal(nao.place(), walked), "the walk")
    nao.until(lambda: not nao.walks(), "its end")
    np.testing.assert_allclose(nao.place(), [0.15, 0.0, 0.0], atol=1e-5)


def test_sensors_are_published_and_finite(nao):
    topics = {"imu/torso": Imu, "odom": Odometry, "battery": BatteryState, "foot_contact": Bool}
    topics["joint_stiffnesses"] = JointState
    all_heard = {
        topic: nao.network.record(kind, f"/nao/{topic}") for topic, kind in topics.items()
    }
    nao.until(lambda: all(all_heard.values()), "all sensors")
    received = {topic: messages[-1] for topic, messages in all_heard.items()}
    acceleration = received["imu/torso"].linear_acceleration
    size = math.hypot(acceleration.x, acceleration.y, acceleration.z)
    assert size == pytest.approx(9.81, abs=0.01)
    # StandInit leans forward by 0.1 rad: 1.4 % of gravity is felt along x.
    assert acceleration.x == pytest.approx(-9.81 * math.sin(0.1), abs=1e-3)
    assert received["foot_contact"].data is True
    assert received["battery"].percentage == pytest.approx(0.8)
    assert list(received["joint_stiffnesses"].effort) == [1.0] * 26
    assert received["odom"].header.frame_id == "odom"
    for state in nao.read(20):
        numbers = [*state.position, *state.velocity, *state.effort]
        assert len(numbers) == 3 * 26
        assert np.isfinite(numbers).all()


def test_velocities_are_the_joints(nao):
    nao.value("set_angles", names=["HeadYaw"], angles=[1.5], fraction_max_speed=0.05)
    nao.until(lambda: nao.angle("HeadYaw") > 0.1, "the motion")
    states = nao.read(20)
    times = [Time.from_msg(state.header.stamp).nanoseconds / 1e9 for state in states]
    speeds = [state.velocity[0] for state in states]
    # A reading that is late shows less for one state and more for the next.
    distance = np.dot(speeds[1:], np.diff(times))
    assert distance == pytest.approx(states[-1].position[0] - states[0].position[0], rel=0.1)
    assert distance / (times[-1] - times[0]) == pytest.approx(0.413399, rel=0.1)


def test_fifty_commands_a_second(nao):
    """A head swings as it is told, the states come in order, and the bridge does not grow."""
    publisher = nao.publisher(JointAnglesWithSpeed, "joint_angles")
    count, memory, turns, wanted = len(nao.states), [], [], 0.0
    for number in range(138):  # the third swing stays below 0.7 rad
        wanted = 0.8 * math.sin(2.0 * math.pi * 0.4 * number / 50.0)
        publisher.publish(angles_message(["HeadYaw"], [wanted], speed=0.4))
        nao.network.spin_for(1.0 / 50.0)
        if number in (50, 137):
            memory.append(nao.process.resident_kilobytes)
    nao.until(lambda: abs(nao.angle("HeadYaw") - wanted) < 1e-6, "the last command")
    states = nao.states[count:]
    stamps = [Time.from_msg(state.header.stamp).nanoseconds for state in states]
    assert (np.diff(stamps) > 0).all()
    for state in states:  # both swings take 2.5 s
        side = np.sign(state.position[0]) if abs(state.position[0]) > 0.7 else 0.0
        if side and turns[-1:] != [side]:
            turns.append(side)
    assert turns == [1.0, -1.0]
    assert memory[1] - memory[0] < 5_000  # kB


def test_poses_agree_with_tf(nao):
    nao.value("set_angles", names=["Body"], angles=[0.1], fraction_max_speed=1.0)
    nao.rest()
    nao.value("move_to", x=0.05, y=0.02, theta=0.4)
    for name in ("LArm", "RArm", "Head", "CameraTop", "CameraBottom", "LLeg", "RLeg", "LFsrFL"):
        for space, root in ((0, "torso"), (1, "odom")):
            reported = nao.value(
                "get_transform", name=name, space=space, use_sensors=True
            ).transform
            position = nao.value("get_position", name=name, space=space, use_sensors=True).position

            def in_tf(name=name, root=root):
                T = nao.pose_in_tf(name, "odom")
                return T if root == "odom" else np.linalg.inv(nao.pose_in_tf(root, "odom")) @ T

            def agrees(reported=reported, in_tf=in_tf):
                return np.abs(np.reshape(reported, (4, 4)) - in_tf()).max() < WITHIN

            nao.until(agrees, f"{name} in {root}")  # TF lags behind the end of the walk
            assert np.abs(np.array(position[:3]) - in_tf()[:3, 3]).max() < WITHIN
    # base_footprint is on the ground, midway between the feet.
    foot = nao.pose_in_tf("base_footprint", "odom")
    assert foot[2, 3] == pytest.approx(0.0, abs=WITHIN)
    assert foot[:2, 3] == pytest.approx(nao.place()[:2], abs=WITHIN)
