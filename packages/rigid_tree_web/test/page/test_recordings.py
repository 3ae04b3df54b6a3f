"""Recordings: times and positions, also as CSV, with the line of errors."""

import io
from contextlib import suppress

import numpy as np
import pytest

from harness.cases import case
from rigid_tree_kinematics import RigidBodyTree, load_robot
from rigid_tree_kinematics.errors import DescriptionError
from rigid_tree_web.panels.recording import (
    TOPIC,
    TYPE,
    Recording,
    csv_bytes,
    mcap_bytes,
    read_csv,
    read_mcap,
)


def filled(seconds, *times):
    recording = Recording(2, seconds)
    for time in times:
        recording.add(time, np.array([time, -time]))
    return recording


def test_it_gives_back_what_was_seen():
    recording = filled(60.0, 100.0, 100.5, 101.0)
    assert recording.duration == 1.0
    np.testing.assert_array_equal(recording.times, [0.0, 0.5, 1.0])
    np.testing.assert_array_equal(recording.positions[:, 0], [100.0, 100.5, 101.0])
    for time, seen in ((-1.0, 100.0), (0.0, 100.0), (0.49, 100.0), (0.5, 100.5), (9.0, 101.0)):
        np.testing.assert_array_equal(recording.at(time), [seen, -seen])


def test_old_cells_expire_and_time_does_not_run_backwards():
    recording = filled(1.0, 0.0, 0.5, 1.2, 1.1, 1.2, 2.0)
    np.testing.assert_allclose(recording.times, [0.0, 0.8])
    np.testing.assert_allclose(recording.at(0.0), [1.2, -1.2])
    # Unless the clock was set back.
    recording = filled(300.0, 100.0, 101.0, 100.5, 2.0, 2.5)
    np.testing.assert_array_equal(recording.stamps, [2.0, 2.5])


def test_nothing_recorded():
    recording = filled(1.0, 3.0)
    recording.clear()
    assert recording.duration == 0.0
    assert recording.positions.shape == (0, 2)
    assert len(recording.times) == 0
    with pytest.raises(IndexError):
        recording.at(0.0)


COMPILED = load_robot("ur5").compiled()


def test_a_written_recording_is_read_again():
    recording = Recording(6, 60.0)
    times = np.linspace(0.0, 2.0, 41)
    for time in times:
        recording.add(time, np.sin(time) * np.arange(6))
    text = csv_bytes(recording, COMPILED).decode()
    read, positions = read_csv(text, COMPILED, "a.csv")
    np.testing.assert_allclose(read, times, atol=1e-8)
    np.testing.assert_allclose(positions, recording.positions, atol=1e-8)
    # The rates are those of the sine, but for the ends.
    rate = recording.velocities[2:-2, 5]
    np.testing.assert_allclose(rate, 5 * np.cos(times[2:-2]), atol=3e-3)
    second = recording.accelerations[3:-3, 5]
    np.testing.assert_allclose(second, -5 * np.sin(times[3:-3]), atol=1e-2)


def test_what_is_wrong_has_its_line():
    for text, message in (
        ("", "a.csv:1: the first line"),
        ("time,elbow\n0,0\n1,0\n", "a.csv:1: the first line"),
        ("time,elbow_joint\n0,0\n", "two lines"),
        ("time,elbow_joint\n0,0\n0,1\n", "a.csv:3: the time must increase"),
        ("time,elbow_joint\n0,0\n1,nan\n", "a.csv:3: a line must have 2 finite numbers"),
        ("time,elbow_joint\n0,0\n1\n", "a.csv:3: a line must have 2 finite numbers"),
        ("time,elbow_joint\n0,0\n1,word\n", "a.csv:3: a line must have 2 finite numbers"),
    ):
        with case(text), pytest.raises(DescriptionError, match=message):
            read_csv(text, COMPILED, "a.csv")


def test_a_robot_without_joints_has_no_recordings():
    compiled = RigidBodyTree("block", "base").compiled()
    for read, content in ((read_csv, "time\n0\n1\n"), (read_mcap, b"")):
        with pytest.raises(DescriptionError, match="'block' has no movable joints"):
            read(content, compiled, "a")


def test_joints_without_a_column_are_at_home():
    _, positions = read_csv("time,elbow_joint\n0,1\n1,2\n", COMPILED, "a.csv")
    elbow = COMPILED.position_names.index("elbow_joint")
    np.testing.assert_array_equal(positions[:, elbow], [1.0, 2.0])
    others = np.delete(positions, elbow, axis=1)
    np.testing.assert_array_equal(others, np.tile(np.delete(COMPILED.home, elbow), (2, 1)))


# -- recordings as MCAP, against the package rosbags ---------------------------------------------


pytest.importorskip("mcap_ros2")
make_reader = pytest.importorskip("mcap.reader").make_reader
DecoderFactory = pytest.importorskip("mcap_ros2.decoder").DecoderFactory
rosbag2 = pytest.importorskip("rosbags.rosbag2")
typesys = pytest.importorskip("rosbags.typesys")
STORE = typesys.get_typestore(typesys.Stores.ROS2_JAZZY)
SIX_JOINTS = load_robot("ur5").compiled()
NAMES = list(SIX_JOINTS.position_names)
START = 1_700_000_000.25  # s


@pytest.fixture(scope="module")
def recording():
    made = Recording(6, 60.0)
    for time in np.linspace(0.0, 2.0, 41):
        made.add(START + time, np.sin(time) * np.arange(6))
    return made


def written_by_rosbags(folder, states):
    """Return the bytes of a bag of (topic, stamp in s, names, positions)."""
    Header, Time, JointState = (
        STORE.types[name] for name in ("std_msgs/msg/Header", "builtin_interfaces/msg/Time", TYPE)
    )
    plugin = rosbag2.StoragePlugin.MCAP
    with rosbag2.Writer(folder, version=9, storage_plugin=plugin) as writer:
        topics = {topic for topic, *_ in states}
        connections = {t: writer.add_connection(t, TYPE, typestore=STORE) for t in topics}
        text = writer.add_connection("/text", "std_msgs/msg/String", typestore=STORE)
        words = STORE.serialize_cdr(STORE.types[text.msgtype]("another topic"), text.msgtype)
        writer.write(text, 0, words)
        for topic, stamp, names, positions in states:
            sec, nanosec = divmod(round(1e9 * stamp), 10**9)
            rows = np.array(positions), np.zeros(0), np.zeros(0)
            message = JointState(Header(Time(sec, nanosec), ""), names, *rows)
            data = STORE.serialize_cdr(message, TYPE)
            writer.write(connections[topic], round(1e9 * stamp), data)
    (file,) = folder.glob("*.mcap")
    return file.read_bytes()


def test_another_library_and_our_own_read_what_is_written(recording, tmp_path):
    path = tmp_path / "a.mcap"
    path.write_bytes(mcap_bytes(recording, SIX_JOINTS))
    with rosbag2.Reader(path) as reader:
        (connection,) = reader.connections
        assert (connection.topic, connection.msgtype) == (TOPIC, TYPE)
        rows = [(ns, STORE.deserialize_cdr(data, TYPE)) for _, ns, data in reader.messages()]
    stamps = np.array([m.header.stamp.sec + 1e-9 * m.header.stamp.nanosec for _, m in rows])
    np.testing.assert_allclose(stamps - START, recording.times, atol=1e-6)
    np.testing.assert_allclose(1e-9 * np.array([ns for ns, _ in rows]), stamps, rtol=1e-15)
    assert all(list(message.name) == NAMES for _, message in rows)
    np.testing.assert_array_equal([m.position for _, m in rows], recording.positions)
    np.testing.assert_array_equal([m.velocity for _, m in rows], recording.velocities)
    times, positions = read_mcap(path.read_bytes(), SIX_JOINTS, "a.mcap")
    np.testing.assert_allclose(times - START, recording.times, atol=1e-6)
    np.testing.assert_array_equal(positions, recording.positions)


def test_the_file_has_what_the_profile_of_ros2_requires(recording):
    """https://mcap.dev/spec/registry#ros2; all checksums are right."""
    file = io.BytesIO(mcap_bytes(recording, SIX_JOINTS))
    reader = make_reader(file, validate_crcs=True, decoder_factories=[DecoderFactory()])
    assert reader.get_header().profile == "ros2"
    summary = reader.get_summary()
    (channel,), (schema,) = summary.channels.values(), summary.schemas.values()
    assert (channel.topic, channel.message_encoding) == (TOPIC, "cdr")
    assert "offered_qos_profiles" in channel.metadata
    assert (schema.name, schema.encoding) == (TYPE, "ros2msg")
    assert summary.statistics.message_count == len(recording.times)
    messages = [message for *_, message in reader.iter_decoded_messages()]
    np.testing.assert_array_equal([m.position for m in messages], recording.positions)


def test_a_bag_of_another_library_is_read(tmp_path):
    """Of two robots, with messages of some joints, in any order."""
    states = [
        ("/other/joint_states", START, ["knee"], [9.0]),
        ("/joint_states", START, NAMES[1::-1], [0.2, 0.1]),
        ("/joint_states", START + 1.0, [NAMES[2], "gripper"], [0.3, 9.0]),
        ("/third/joint_states", START + 1.5, NAMES, [9.0] * 6),
    ]
    data = written_by_rosbags(tmp_path / "bag", states)
    times, positions = read_mcap(data, SIX_JOINTS, "a.mcap")
    np.testing.assert_allclose(times - START, [0.0, 1.0], atol=1e-6)
    home = SIX_JOINTS.home[2:]
    np.testing.assert_array_equal(positions[0], [0.1, 0.2, *home])
    np.testing.assert_array_equal(positions[1], [0.1, 0.2, 0.3, *home[1:]])


def test_what_is_no_recording_is_rejected(recording, tmp_path):
    for name, names, positions in (("short", ["knee"], [0.0]), ("nan", NAMES[:1], [np.nan])):
        states = [("/joint_states", START + k, names, positions) for k in range(2)]
        data = written_by_rosbags(tmp_path / name, states)
        wrong = r"^a\.mcap: (a recording must have|a position)"
        with pytest.raises(DescriptionError, match=wrong):
            read_mcap(data, SIX_JOINTS, "a.mcap")
    whole = mcap_bytes(recording, SIX_JOINTS)
    for damaged in (b"", b"time,x", whole[:200], whole[: len(whole) // 2]):
        with pytest.raises(DescriptionError, match="not an MCAP file"):
            read_mcap(damaged, SIX_JOINTS, "a.mcap")
    rng = np.random.default_rng(0)
    for place in rng.integers(0, len(whole), 100):
        damaged = bytearray(whole)
        damaged[place] ^= 0xFF
        with suppress(DescriptionError):
            read_mcap(bytes(damaged), SIX_JOINTS, "a.mcap")
