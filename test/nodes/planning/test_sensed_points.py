"""Point clouds become obstacles: at their pose, without the robot, with a lifetime."""

import time

import numpy as np
import pytest
from rclpy.qos import qos_profile_sensor_data
from rigid_tree_interfaces.msg import PlanReply, SceneChange
from sensor_msgs.msg import JointState, PointCloud2
from tf2_msgs.msg import TFMessage

from harness.arm.clouds import block, cells_of
from harness.planner import GOAL, NODE, START, TIP, Planner, box, change, state
from harness.poses import transform_stamped
from harness.probe import LATCHED
from rigid_tree_kinematics.model.transforms import transform_from_xyz_rpy
from rigid_tree_kinematics.nodes.scene.clouds import cloud_message, read_points

BASE = "panda_link0"
CAMERA = transform_from_xyz_rpy([1.2, -0.3, 1.0], [0.2, 2.5, 1.0])


class Sensing(Planner):
    """A planner with sensors, and what it shows of them."""

    def __init__(self, network, **parameters):
        super().__init__(network, **parameters)
        self.seen = network.record(PointCloud2, "seen_points", LATCHED)

    def stand(self, T, frame="camera", topic="/tf_static", stamp=0.0):
        stamped = transform_stamped(BASE, frame, T)
        set_stamp(stamped.header, stamp)
        qos = LATCHED if topic == "/tf_static" else 100
        self.network.publisher(TFMessage, topic, qos).publish(TFMessage(transforms=[stamped]))

    def was_at(self, positions, stamp):
        message = state(positions)
        set_stamp(message.header, stamp)
        self.network.publisher(JointState, "joint_states").publish(message)

    def send(self, points, frame=BASE, stamp=0.0, topic="points"):
        message = cloud_message(np.asarray(points))
        message.header.frame_id = frame
        set_stamp(message.header, stamp)
        self.publish(message, topic)

    def publish(self, message, topic="points"):
        publisher = self.network.publisher(PointCloud2, topic, qos_profile_sensor_data)
        publisher.publish(message)

    def cells(self):
        """Return what the planner last said that it sees, sorted."""
        if not self.seen:
            return None
        assert self.seen[-1].header.frame_id in ("", BASE)
        return sorted(map(tuple, np.round(read_points(self.seen[-1]), 4).tolist()))

    def until_seen(self, points, send=None, what="the points"):
        """Wait until exactly these points' cells are seen; send them again now and then."""
        wanted = cells_of(points)
        last = 0.0

        def seen():
            nonlocal last
            if send is not None and time.monotonic() > last + 0.3:
                last = time.monotonic()
                send()
            return self.cells() == wanted

        self.network.until(seen, what)


def set_stamp(header, seconds):
    header.stamp.sec, header.stamp.nanosec = int(seconds), int(seconds % 1.0 * 1e9)


@pytest.fixture
def sensing(network):
    return lambda **parameters: Sensing(network, **parameters)


def test_a_cloud_is_an_obstacle_until_the_next_one_comes(sensing):
    cell = sensing()
    there = block([0.5, 0.5, 0.9])
    cell.until_seen(there, lambda: cell.send(there))
    hand = cell.robot.get_transform(START, "panda_link7")[:3, 3]
    cell.until_seen(block(hand), lambda: cell.send(block(hand)))
    # As in the library, to whom the cells are balls.
    found = cell.check(START)
    assert not found.free
    assert {contact.second for contact in found.contacts} == {"points"}
    reply = cell.plan()
    assert reply.code == PlanReply.START_BLOCKED
    assert "'points'" in reply.message
    # Requests do not know them: what was asked for is what is told.
    assert set(cell.obstacles()) == {"table", "left_pillar", "right_pillar"}
    cell.until_seen(np.empty((0, 3)), lambda: cell.send(np.empty((0, 3))))
    assert cell.check(START).free
    assert cell.plan().success


def test_a_cloud_of_the_far_future_is_dropped_and_hides_no_other(sensing):
    cell = sensing()
    there = block([0.5, 0.5, 0.9])

    def send():
        cell.send(there, stamp=time.time())
        cell.send(block([0.5, -0.5, 0.9]), stamp=2**31 - 1)

    cell.until_seen(there, send)
    cell.network.log_line(cell.process, "dropped a cloud: its stamp is")
    assert cell.cells() == cells_of(there)


def test_points_are_at_their_tf_frame(sensing):
    cell = sensing(point_topics=["left/points", "right/points"])
    cell.stand(CAMERA)
    there = block([0.6, 0.4, 0.7])
    seen = (there - CAMERA[:3, 3]) @ CAMERA[:3, :3]
    cell.until_seen(there, lambda: cell.send(seen, "camera", topic="left/points"))
    # The other's points are beside them.
    also = block([0.6, -0.4, 0.7])
    both = np.vstack([there, also])
    cell.until_seen(both, lambda: cell.send(also, topic="right/points"))
    # Each is an obstacle of its topic's name.
    reply = cell.update(change(SceneChange.REMOVE, "left/points"))
    assert not reply.success
    assert "sensor" in reply.message
    assert cell.update(change(SceneChange.CLEAR, "")).success
    cell.network.spin_for(0.5)
    assert cell.cells() == cells_of(both)


def test_a_moving_camera_is_where_it_was_at_the_clouds_time(sensing):
    cell = sensing()
    begin = time.time()
    there = block([0.6, 0.4, 0.7])
    poses = [transform_from_xyz_rpy([1.0, k, 1.0], [0.0, 0.0, 0.1 * k]) for k in range(3)]

    def send():
        # The middle transform's time; the frames of before and after lie elsewhere.
        for k, T in enumerate(poses):
            cell.stand(T, "arm_camera", topic="/tf", stamp=begin + k)
        T = poses[1]
        cell.send((there - T[:3, 3]) @ T[:3, :3], "arm_camera", begin + 1.0)

    cell.until_seen(there, send)


def test_the_robots_own_body_is_left_out_where_it_was_at_the_clouds_time(sensing):
    cell = sensing()
    begin = time.time()
    bodies = [f"panda_link{number}" for number in (3, 4, 5, 7)]
    on_it = [cell.robot.get_transform(START, body)[:3, 3] for body in bodies]
    other = block([0.6, 0.4, 0.7])

    def send(stamp, points):
        cell.was_at(START, begin)
        cell.was_at(GOAL, begin + 1.0)
        cell.send(np.vstack([other, points]), stamp=stamp)

    cell.until_seen(other, lambda: send(begin, on_it))
    # A second later the robot is gone from there: those points are something else.
    cell.until_seen(np.vstack([other, on_it]), lambda: send(begin + 1.0, on_it))
    # Half-way between it is half-way between.
    middle = 0.5 * (np.array(START) + GOAL)
    half = [cell.robot.get_transform(middle, "panda_link7")[:3, 3]]
    cell.until_seen(np.vstack([other, half]), lambda: send(begin, half))
    cell.until_seen(other, lambda: send(begin + 0.5, half))


def test_an_in_hand_camera_is_where_the_robot_is_and_does_not_see_what_it_holds(sensing):
    cell = sensing()
    cell.be_at(START)
    T = cell.robot.get_transform(START, TIP)
    there = block([0.6, 0.4, 0.9])
    cell.until_seen(there, lambda: cell.send((there - T[:3, 3]) @ T[:3, :3], TIP))
    # What the robot holds is no obstacle.
    stick = box("stick", (0.03, 0.03, 0.4), (0.0, 0.0, 0.3), frame=TIP)
    end = (T @ [0.0, 0.0, 0.45, 1.0])[:3]
    cell.until_seen([end], lambda: cell.send([end]))
    attach = change(SceneChange.ATTACH, "stick", link=TIP, touch_links=["panda_link7"])
    reply = cell.update(stick, attach)
    assert reply.success, reply.message
    cell.until_seen(np.empty((0, 3)), lambda: cell.send([end]))


def test_points_age_and_the_size_of_cells_is_a_parameter(sensing):
    cell = sensing(point_lifetime=1.5)
    one, two = block([0.6, 0.4, 0.7]), block([0.6, -0.4, 0.7])
    cell.until_seen(one, lambda: cell.send(one))
    cell.until_seen(np.vstack([one, two]), lambda: cell.send(two))
    # Seen again and again it stays, the other goes, then both do, without another cloud.
    cell.until_seen(two, lambda: cell.send(two))
    cell.until_seen(np.empty((0, 3)))
    assert cell.plan().success
    # The size of cells is a parameter.
    assert cell.network.set_parameter(NODE, "voxel_size", 0.1).successful
    wanted = cells_of(one, 0.1)

    def seen():
        cell.send(one)
        return cell.cells() == wanted

    cell.network.until(seen, "larger cells")
    assert not cell.network.set_parameter(NODE, "voxel_size", 0.0).successful


def test_invalid_clouds_are_dropped_and_logged_and_large_ones_delay_no_service(sensing):
    """``read_points`` has tests of its own for other layouts."""
    wrong = (
        ("no field", {"fields": []}, BASE, 0.0),
        ("frame_id is empty", {}, "", 0.0),
        ("TF has no transform from 'nowhere'", {}, "nowhere", 0.0),
        ("ahead of this node's clock", {}, "arm_camera", time.time() + 3600.0),
    )
    # Of one topic there is a word every five seconds only.
    clouds = {}
    for words, fields, frame, stamp in wrong:
        message = clouds[words] = cloud_message(block([0.5, 0.5, 0.9]))
        message.header.frame_id = frame
        set_stamp(message.header, stamp)
        for name, value in fields.items():
            setattr(message, name, value)
    cell = sensing(point_topics=[f"points_{number}" for number in range(len(clouds))])

    def all_named():
        cell.stand(np.eye(4), "arm_camera", "/tf", time.time())
        for number, cloud in enumerate(clouds.values()):
            cell.publish(cloud, f"points_{number}")
        return all(words in cell.process.output for words in clouds)

    cell.network.until(all_named, f"each of {list(clouds)} in the log")
    assert cell.plan().success  # it goes on
    # While clouds of 100,000 points come as fast as they can, states are checked as before.
    rng = np.random.default_rng(0)
    message = cloud_message(rng.uniform([-1.0, 1.0, 0.0], [1.0, 1.5, 1.0], (100_000, 3)))
    message.header.frame_id = BASE
    for _ in range(20):
        cell.publish(message, "points_0")
        assert cell.check(START).free
