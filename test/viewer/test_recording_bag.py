"""Recordings as MCAP, against the package rosbags."""

import io
from contextlib import suppress

import numpy as np
import pytest

from rigid_tree_kinematics import load_robot
from rigid_tree_kinematics.errors import DescriptionError
from rigid_tree_kinematics.viewer.panels.recording import (
    TOPIC,
    TYPE,
    Recording,
    mcap_bytes,
    read_mcap,
)

pytest.importorskip("mcap_ros2")
make_reader = pytest.importorskip("mcap.reader").make_reader
DecoderFactory = pytest.importorskip("mcap_ros2.decoder").DecoderFactory
rosbag2 = pytest.importorskip("rosbags.rosbag2")
typesys = pytest.importorskip("rosbags.typesys")
STORE = typesys.get_typestore(typesys.Stores.ROS2_JAZZY)
COMPILED = load_robot("ur5").compiled()
NAMES = list(COMPILED.position_names)
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
    path.write_bytes(mcap_bytes(recording, COMPILED))
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
    times, positions = read_mcap(path.read_bytes(), COMPILED, "a.mcap")
    np.testing.assert_allclose(times - START, recording.times, atol=1e-6)
    np.testing.assert_array_equal(positions, recording.positions)


def test_the_file_has_what_the_profile_of_ros2_requires(recording):
    """https://mcap.dev/spec/registry#ros2; all checksums are right."""
    file = io.BytesIO(mcap_bytes(recording, COMPILED))
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
    times, positions = read_mcap(data, COMPILED, "a.mcap")
    np.testing.assert_allclose(times - START, [0.0, 1.0], atol=1e-6)
    home = COMPILED.home[2:]
    np.testing.assert_array_equal(positions[0], [0.1, 0.2, *home])
    np.testing.assert_array_equal(positions[1], [0.1, 0.2, 0.3, *home[1:]])


def test_what_is_no_recording_is_rejected(recording, tmp_path):
    for name, names, positions in (("short", ["knee"], [0.0]), ("nan", NAMES[:1], [np.nan])):
        states = [("/joint_states", START + k, names, positions) for k in range(2)]
        data = written_by_rosbags(tmp_path / name, states)
        with pytest.raises(DescriptionError, match=r"^a\.mcap: (a recording has|a position)"):
            read_mcap(data, COMPILED, "a.mcap")
    whole = mcap_bytes(recording, COMPILED)
    for damaged in (b"", b"time,x", whole[:200], whole[: len(whole) // 2]):
        with pytest.raises(DescriptionError, match="not an MCAP file"):
            read_mcap(damaged, COMPILED, "a.mcap")
    rng = np.random.default_rng(0)
    for place in rng.integers(0, len(whole), 100):
        damaged = bytearray(whole)
        damaged[place] ^= 0xFF
        with suppress(DescriptionError):
            read_mcap(bytes(damaged), COMPILED, "a.mcap")
