"""tree_state_publisher in its own process: frames, rejections, parameters, exits."""

import math

import numpy as np
import pinocchio
import pytest
from geometry_msgs.msg import Transform
from rcl_interfaces.srv import ListParameters
from rclpy.qos import ReliabilityPolicy
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import JointState, MultiDOFJointState
from std_msgs.msg import String
from tf2_msgs.msg import TFMessage

from harness.example_robots import ROBOTS
from harness.network import MEETING
from harness.poses import poses_in
from harness.probe import LATCHED
from harness.truth import example_truth
from rigid_tree_kinematics import load_robot
from rigid_tree_kinematics.description import read_urdf

NODE = "tree_state_publisher"
PANDA = ROBOTS / "panda_description" / "urdf" / "panda.urdf"
TALOS = ROBOTS / "talos_data" / "robots" / "talos_full_v2.urdf"

# a, b = 2 a + 0.1, c = -b: a chain of mimic joints beside a joint of its own.
MIMIC = """<robot name="mimic">
<link name="base"/><link name="la"/><link name="lb"/><link name="lc"/><link name="ld"/>
<joint name="c" type="revolute"><parent link="base"/><child link="lc"/><axis xyz="0 0 1"/>
 <limit lower="-3" upper="3" effort="1" velocity="1"/><mimic joint="b" multiplier="-1"/></joint>
<joint name="b" type="revolute"><parent link="base"/><child link="lb"/><axis xyz="0 0 1"/>
 <limit lower="-3" upper="3" effort="1" velocity="1"/>
 <mimic joint="a" multiplier="2" offset="0.1"/></joint>
<joint name="a" type="revolute"><parent link="base"/><child link="la"/><axis xyz="0 0 1"/>
 <limit lower="-3" upper="3" effort="1" velocity="1"/></joint>
<joint name="d" type="prismatic"><parent link="base"/><child link="ld"/><axis xyz="1 0 0"/>
 <limit lower="-3" upper="3" effort="1" velocity="1"/></joint>
</robot>"""

MANY = """<robot name="many"><link name="world"/><link name="cart"/><link name="drone"/>
<joint name="ground" type="planar"><parent link="world"/><child link="cart"/><axis xyz="0 0 1"/>
</joint>
<joint name="air" type="floating"><parent link="world"/><child link="drone"/></joint></robot>"""

HOLD = {"d": 0.25}


@pytest.fixture(scope="module")
def shared(shared_network):
    """A node of all tests that leave it as it was."""
    return shared_network.start(NODE, {"robot_description": MIMIC})


def yaw(T: np.ndarray) -> float:
    return math.atan2(T[1, 0], T[0, 0])


def child_frames(message) -> set[str]:
    return {stamped.child_frame_id for stamped in message.transforms}


def test_repeated_states_are_as_exact_as_new_ones(shared, shared_network):
    network = shared_network
    # The same bytes again; and again after a message that moves only some of the joints.
    for positions, a, d in (
        ({"a": 0.2, "d": 0.5}, 0.2, 0.5),
        ({"a": 0.2, "d": 0.5}, 0.2, 0.5),
        ({"a": 0.3}, 0.3, 0.5),
        ({"a": 0.3}, 0.3, 0.5),
        ({"a": 0.2, "d": 0.5}, 0.2, 0.5),
        ({"a": 0.4, "d": 0.5}, 0.4, 0.5),
    ):
        message = network.answer(positions)
        frames = poses_in(message)
        assert yaw(frames["la"]) == pytest.approx(a)
        assert yaw(frames["lb"]) == pytest.approx(2.0 * a + 0.1)
        assert "ld" not in frames or frames["ld"][0, 3] == d


@pytest.mark.parametrize("path", [PANDA, TALOS], ids=["panda", "talos"])
def test_frames_are_pinocchios_and_latched(network, path):
    network.start(NODE, {"robot_description": path.read_text()})
    network.until(lambda: network.static, "static frames")
    descriptions = network.descriptions()
    late = network.record(TFMessage, "/tf_static", LATCHED)
    network.until(lambda: late and descriptions, "latched messages")
    assert late[0] == network.static[-1]
    assert descriptions == [path.read_text()]
    truth = example_truth(str(path.relative_to(ROBOTS)))
    tree = truth.tree
    rng = np.random.default_rng(7)
    for _ in range(5):
        configuration = tree.random_configuration(rng)
        frames = poses_in(
            network.answer(tree.configuration_by_name(configuration)), network.static[-1]
        )
        assert set(frames) == set(tree.body_names)
        for name, T in frames.items():
            expected = truth.pose(configuration, name, tree.base_name)
            np.testing.assert_allclose(T, expected, atol=1e-9, err_msg=name)


def test_home_is_published_with_the_robot(network):
    homes = network.record(JointState, "robot_home", LATCHED)
    network.start(NODE, {"robot": "panda"})
    network.until(lambda: homes, "the home configuration")
    tree = load_robot("panda")
    assert tuple(homes[0].name) == tree.position_names
    np.testing.assert_array_equal(homes[0].position, tree.home_configuration())


def test_base_is_placed_in_its_parent_frame(network):
    parameters = {
        "robot_description": PANDA.read_text(),
        "frame_prefix": "left/",
        "parent_frame": "hall",
        "base_pose": [0.5, -1.0, 0.2, 0.3, -0.4, 2.0],
    }
    network.start(NODE, parameters)
    late = network.record(TFMessage, "/tf_static", LATCHED)
    network.until(lambda: late, "static frames")
    (base,) = [item for item in late[-1].transforms if item.header.frame_id == "hall"]
    assert base.child_frame_id == "left/panda_link0"
    T = poses_in(TFMessage(transforms=[base]))["left/panda_link0"]
    np.testing.assert_allclose(T[:3, :3], pinocchio.rpy.rpyToMatrix(0.3, -0.4, 2.0), atol=1e-12)
    np.testing.assert_allclose(T[:3, 3], [0.5, -1.0, 0.2])
    assert "left/panda_link8" in child_frames(late[-1])


def test_mimic_chain_follows_and_measured_mimic_joints_take_precedence(shared, shared_network):
    for positions, b in (({"a": 0.3}, 0.7), ({"a": 0.3, "b": 0.5}, 0.5)):
        frames = poses_in(shared_network.answer(positions))
        yaws = {name: round(yaw(T), 9) for name, T in frames.items()}
        assert yaws == {"la": 0.3, "lb": b, "lc": -b}
    assert set(poses_in(shared_network.answer({"d": 0.2}))) == {"ld"}


def test_partial_states_move_what_they_name_and_missing_joints_are_reported(network):
    node = network.start(NODE, {"robot_description": MIMIC})
    frames = poses_in(network.answer(HOLD))
    assert set(frames) == {"ld"}
    np.testing.assert_allclose(frames["ld"][:3, 3], [0.25, 0, 0])
    network.until(lambda: "no position yet for " in node.output, "a word on joint a")
    # Where the test is slow, d was missing too when the node looked.
    assert node.output.rstrip().endswith(("not published: a", "not published: a, d"))


def test_a_source_that_is_starting_is_waited_for(network):
    robot = {"robot_description": MIMIC}
    waiting = network.start(NODE, robot | {"await_joint_states": True}, "waiting")
    other = network.start(NODE, robot, "other")
    network.log_line(other, "no publisher on /other/joint_states")
    network.spin_for(1.0)  # the first one may have started later
    assert "[WARN]" not in waiting.output
    network.answer(HOLD, "/waiting/joint_states")
    network.log_line(waiting, "no position yet for ")


def test_unknown_joints_are_ignored_with_one_warning(shared, shared_network):
    for _ in range(3):
        assert child_frames(shared_network.answer({**HOLD, "elbow": 1.0})) == {"ld"}
    assert shared.output.count("elbow") == 1


@pytest.mark.parametrize(
    ("names", "positions", "word"),
    [
        (["d"], [math.nan], "d = nan"),
        (["d"], [math.inf], "d = inf"),
        (["d", "a"], [0.1], "2 names, but 1 positions"),
        (["d"], [], "joints without a position: d"),
    ],
)
def test_bad_messages_are_rejected_and_the_node_continues(network, names, positions, word):
    node = network.start(NODE, {"robot_description": MIMIC})
    network.answer(HOLD)
    for _ in range(5):
        bad = JointState(name=names, position=positions)
        bad.header.stamp.sec = 5000
        network.publisher(JointState, "joint_states").publish(bad)
    assert child_frames(network.answer(HOLD)) == {"ld"}  # a rejected stamp does not count
    assert 5000 not in network.stamps()
    assert node.output.count(word) == 1  # throttled


def test_unusable_elements_are_left_out_and_the_others_used(network):
    """As robot_state_publisher and tf2 do: a NaN concerns its own joint only."""
    node = network.start(NODE, {"robot_description": MIMIC})
    network.answer(HOLD)
    message = JointState(name=["a", "elbow", "d", "d"], position=[math.nan, 1.0, 0.5, 9.0])
    message.header.stamp.sec = 2000
    publisher = network.publisher(JointState, "joint_states")
    frames = poses_in(network.frames_at(2000, lambda: publisher.publish(message)))
    assert set(frames) == {"ld"}  # b and c follow a
    assert frames["ld"][0, 3] == 0.5
    words = "not finite: a = nan; joints that the robot does not have: elbow; repeated names"
    (line,) = [line for line in node.output.splitlines() if "ignored on /joint_states" in line]
    assert all(word in line for word in words.split("; ")), line
    message.position[0] = 0.2
    message.header.stamp.sec = 2001
    frames = poses_in(network.frames_at(2001, lambda: publisher.publish(message)))
    assert set(frames) == {"la", "lb", "lc", "ld"}


def test_unusable_joints_of_several_positions_are_left_out_whole(network):
    node = network.start(NODE, {"robot_description": MANY})
    suffixes = ("trans_x", "trans_y", "trans_z", "rot_x", "rot_y", "rot_z", "rot_w")
    air = dict(zip([f"air/{name}" for name in suffixes], [0.1, 0.2, 0.3, 0, 0, 0, 1], strict=True))
    air = {name: float(value) for name, value in air.items()}
    ground = {"ground/x": 1.0, "ground/y": 2.0, "ground/theta": 0.5}
    assert child_frames(network.answer(ground | air)) == {"cart", "drone"}
    assert child_frames(network.answer(ground | air | {"ground/y": math.nan})) == {"drone"}
    assert child_frames(network.answer(ground | air | {"air/rot_w": 0.0})) == {"cart"}
    message = MultiDOFJointState(joint_names=["air", "ground", "nobody"])
    message.header.stamp.sec = 7000
    message.transforms = [Transform() for _ in message.joint_names]
    message.transforms[0].rotation.w = math.nan
    publisher = network.publisher(MultiDOFJointState, "multi_dof_joint_states")
    moved = network.frames_at(7000, lambda: publisher.publish(message))
    assert child_frames(moved) == {"cart"}
    network.log_line(node, "ground (ground/y missing)")


def test_planar_and_floating_joints(network):
    node = network.start(NODE, {"robot_description": MANY})
    ground = {"ground/x": 1.0, "ground/y": -2.0, "ground/theta": 0.5}
    quaternion = np.array([0.1, -0.2, 0.3, 0.9])
    air = dict(
        zip(
            [f"air/{name}" for name in ("trans_x", "trans_y", "trans_z")]
            + [f"air/rot_{name}" for name in "xyzw"],
            [0.1, 0.2, 0.3, *quaternion.tolist()],
            strict=True,
        )
    )
    frames = poses_in(network.answer({**ground, **air}))
    np.testing.assert_allclose(frames["cart"][:3, 3], [1, -2, 0], atol=1e-12)
    assert yaw(frames["cart"]) == pytest.approx(0.5)
    np.testing.assert_allclose(frames["drone"][:3, 3], [0.1, 0.2, 0.3], atol=1e-12)
    unit = quaternion / np.linalg.norm(quaternion)
    expected = pinocchio.Quaternion(unit[3], *unit[:3]).toRotationMatrix()
    np.testing.assert_allclose(frames["drone"][:3, :3], expected, atol=1e-12)
    network.send({"ground/x": 1.0}, stamp=5000)
    network.until(lambda: "ground/y, ground/theta missing" in node.output)
    # Both in a message of their own.
    message = MultiDOFJointState(joint_names=["ground", "air"])
    message.header.stamp.sec = 7777
    cart, drone = Transform(), Transform()
    cart.translation.x, cart.translation.y = 3.0, 4.0
    cart.rotation.z, cart.rotation.w = math.sin(0.35), math.cos(0.35)
    drone.translation.z = 9.0
    drone.rotation.x, drone.rotation.w = 1.0, 0.0
    message.transforms = [cart, drone]
    publisher = network.publisher(MultiDOFJointState, "multi_dof_joint_states")
    frames = poses_in(network.frames_at(7777, lambda: publisher.publish(message)))
    np.testing.assert_allclose(frames["cart"][:3, 3], [3, 4, 0], atol=1e-12)
    assert yaw(frames["cart"]) == pytest.approx(0.7)
    np.testing.assert_allclose(frames["drone"][:3, :3], np.diag([1, -1, -1]), atol=1e-12)
    assert frames["drone"][2, 3] == 9.0


def test_description_is_replaced_and_an_invalid_one_rejected(network):
    network.start(NODE, {"robot_description": MIMIC})
    descriptions = network.descriptions()
    network.answer(HOLD)
    network.until(lambda: descriptions == [MIMIC])
    for broken in ("<robot", "", MIMIC.replace('child link="la"', 'child link="nobody"')):
        result = network.set_parameter(NODE, "robot_description", broken)
        assert not result.successful
        assert result.reason
    assert child_frames(network.answer(HOLD)) == {"ld"}
    assert network.set_parameter(NODE, "robot_description", PANDA.read_text()).successful
    network.until(lambda: descriptions[-1] == PANDA.read_text(), "the new description")
    network.until(lambda: "panda_link8" in child_frames(network.static[-1]), "its static frames")
    assert child_frames(network.answer({"panda_joint1": 0.1})) == {"panda_link1"}
    assert network.set_parameter(NODE, "robot", "ur5").successful
    assert not network.set_parameter(NODE, "robot", "nobody").successful
    # Which run code of their authors: not for the network to choose.
    for program in ("a.xacro", "robot_descriptions:ur10_description"):
        result = network.set_parameter(NODE, "robot", program)
        assert not result.successful
        assert "only when the node starts" in result.reason
    assert len(network.answer({"shoulder_pan_joint": 0.1}).transforms) == 1
    joints = load_robot("ur5").joint_names  # of a table, described as a URDF
    network.until(lambda: read_urdf(descriptions[-1]).joint_names == joints, "its description")


def test_xacro_arguments(network, tmp_path):
    path = tmp_path / "arm.urdf.xacro"
    path.write_text(
        """<robot name="$(arg name)" xmlns:xacro="http://www.ros.org/wiki/xacro">
        <link name="base"/><link name="$(arg tip)"/><joint name="j" type="continuous">
        <parent link="base"/><child link="$(arg tip)"/></joint></robot>"""
    )
    given = {"robot": str(path), "xacro_args": "name:='my arm' tip:=tool"}
    network.start(NODE, given)
    assert child_frames(network.answer({"j": 0.1})) == {"tool"}
    assert not network.set_parameter(NODE, "xacro_args", "name:=b").successful
    for wrong, words in (
        ({"xacro_args": "name:=arm"}, "the argument 'tip' has no value"),
        ({"xacro_args": "name"}, "must look like name:=value"),
        ({"robot": "panda"}, "only for .xacro files"),
        ({"robot": ""}, "needs a .xacro file in parameter robot"),
    ):
        network.log_line(network.start(NODE, given | wrong), words)


def test_description_from_the_topic(network):
    node = network.start(NODE)
    network.until(lambda: "waiting for a robot on topic /robot_description" in node.output)
    latched = network.descriptions()  # our own, heard again
    publisher = network.publisher(String, "robot_description", LATCHED)
    publisher.publish(String(data="<robot"))
    network.until(lambda: "rejected the robot description" in node.output)
    publisher.publish(String(data=MIMIC))
    network.until(lambda: "robot 'mimic' from topic" in node.output)
    assert child_frames(network.answer(HOLD)) == {"ld"}
    publisher.publish(String(data="<robot"))
    network.until(lambda: "robot 'mimic' is kept" in node.output)
    publisher.publish(String(data="<mujoco/>"))  # MuJoCo would compile it, without limits
    network.until(lambda: "MJCF is read only when the node starts" in node.output)
    assert not network.set_parameter(NODE, "robot_description", "<mujoco/>").successful
    assert child_frames(network.answer(HOLD)) == {"ld"}
    network.until(lambda: len(latched) >= 4, "our own messages")
    assert len(latched) == 4


def test_the_frames_are_the_links_of_the_published_urdf(network):
    """Bodies of DH tables are not at their joints' frames, so the URDF has additional links."""
    published = network.descriptions()
    network.start(NODE, {"robot": "puma560"})
    moving = child_frames(network.answer(dict.fromkeys(load_robot("puma560").joint_names, 0.1)))
    network.until(lambda: network.static and published, "static frames and the URDF")
    frames = moving | child_frames(network.static[-1])
    assert frames == set(read_urdf(published[-1]).body_names)


def test_frame_prefix_at_start_and_changed(network):
    network.start(NODE, {"robot_description": PANDA.read_text(), "frame_prefix": "left/"})
    stamped = network.answer({"panda_joint1": 0.1}).transforms[0]
    assert (stamped.header.frame_id, stamped.child_frame_id) == (
        "left/panda_link0",
        "left/panda_link1",
    )
    network.until(lambda: network.static, "static frames")
    assert all(name.startswith("left/") for name in child_frames(network.static[-1]))
    assert network.set_parameter(NODE, "frame_prefix", "right/").successful
    network.until(lambda: "right/panda_link8" in child_frames(network.static[-1]))
    assert child_frames(network.answer({"panda_joint1": 0.1})) == {"right/panda_link1"}


def test_publish_frequency_uses_stamps_and_old_stamps_wait(network):
    settings = {"publish_frequency": 0.5, "stamp_jump": 3600.0}
    network.start(NODE, {"robot_description": MIMIC, **settings})
    network.answer(HOLD, stamp=MEETING)
    for stamp in (10, 11, 12, 13, 14, 9, 20):
        network.send(HOLD, stamp=stamp)
    network.frames_at(20)
    assert network.stamps() == [10, 12, 14, 20]
    for useless in (-1.0, 5e-324, 1e-9, 0.09, float("inf")):
        assert not network.set_parameter(NODE, "publish_frequency", useless).successful
    assert network.set_parameter(NODE, "publish_frequency", 0).successful
    for stamp in (21, 21, 15, 22):  # an equal stamp is no older one
        network.send(HOLD, stamp=stamp)
    network.frames_at(22)
    assert network.stamps() == [10, 12, 14, 20, 21, 21, 22]


def test_a_stamp_from_the_far_future_does_not_stop_the_frames(network):
    node = network.start(NODE, {"robot_description": MIMIC})
    network.answer(HOLD, stamp=MEETING)
    for stamp in (100, 2**31 - 1, 101, 100, 102):
        network.send(HOLD, stamp=stamp)
    network.frames_at(102)
    assert network.stamps() == [100, 101, 102]  # the second 100 is only late
    assert "s ahead of this node's clock" in node.output


def test_ignore_timestamp_publishes_everything(network):
    network.start(NODE, {"robot_description": MIMIC, "ignore_timestamp": True})
    network.answer(HOLD, stamp=MEETING)
    for stamp in (10, 5, 0, 7):
        network.send(HOLD, stamp=stamp)
    network.frames_at(7)
    assert network.stamps() == [10, 5, 0, 7]


def test_simulated_time_that_starts_again(network):
    node = network.start(NODE, {"robot_description": MIMIC, "use_sim_time": True})
    clock = network.publisher(Clock, "/clock")

    def tick(second: int) -> None:
        message = Clock()
        message.clock.sec = second
        clock.publish(message)

    tick(500)
    network.answer(HOLD, stamp=500)

    def went_back() -> bool:
        tick(500)  # again: the first one may have come before the node listened
        tick(100)
        return "went back" in node.output

    network.until(went_back, "a word on the clock")
    network.answer(HOLD, stamp=100)


def test_the_qos_of_frames_can_be_chosen(network):
    chosen = {
        "qos_overrides./tf.publisher.depth": 7,
        "qos_overrides./tf.publisher.reliability": "best_effort",
    }
    network.start("tree_state_publisher", {"robot": "panda", **chosen})
    network.until(lambda: network.node.count_publishers("/tf"), "the publisher")
    (found,) = network.node.get_publishers_info_by_topic("/tf")
    assert found.qos_profile.reliability == ReliabilityPolicy.BEST_EFFORT
    named = network.call(ListParameters, "tree_state_publisher/list_parameters").result.names
    assert "qos_overrides./tf_static.publisher.depth" in named
