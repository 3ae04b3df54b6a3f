"""Recordings as MCAP files of sensor_msgs/JointState, which rosbag2 and Foxglove read."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import Any

import numpy as np

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.errors import DescriptionError
from rigid_tree_kinematics.model import CompiledTree
from rigid_tree_kinematics.needed_packages import needs
from rigid_tree_kinematics.viewer.panels.recording import Recording

TOPIC, TYPE = "/joint_states", "sensor_msgs/msg/JointState"
LINE = 80 * "="
SCHEMA = f"""std_msgs/Header header
string[] name
float64[] position
float64[] velocity
float64[] effort
{LINE}
MSG: std_msgs/Header
builtin_interfaces/Time stamp
string frame_id
{LINE}
MSG: builtin_interfaces/Time
int32 sec
uint32 nanosec
"""
QOS = {"offered_qos_profiles": ""}
SECOND = 1_000_000_000  # ns
MOST_MESSAGES = 100_000
INSTALL = "pip install mcap-ros2-support"


def mcap_bytes(recording: Recording, compiled: CompiledTree) -> bytes:
    """Return a recording as a file; MissingPackageError without mcap-ros2-support."""
    with needs("mcap_ros2", "an MCAP file", INSTALL):
        from mcap_ros2.writer import Writer
    file = io.BytesIO()
    names = list(compiled.position_names)
    stamps = np.round(SECOND * recording.stamps).astype(np.int64).clip(0).tolist()
    positions, velocities = recording.positions.tolist(), recording.velocities.tolist()
    with Writer(file) as writer:
        schema = writer.register_msgdef(TYPE, SCHEMA)
        # MCAP's profile for ROS 2 requires this entry, and the package's writer has no argument
        # for it. Empty: rosbag2 publishes with its default QoS, whatever its version.
        channel = writer._writer.register_channel(TOPIC, "cdr", schema.id, QOS)
        writer._channel_ids[TOPIC] = channel
        for stamp, q, v in zip(stamps, positions, velocities, strict=True):
            sec, nanosec = divmod(stamp, SECOND)
            header = {"stamp": {"sec": sec, "nanosec": nanosec}}
            message = {"header": header, "name": names, "position": q, "velocity": v}
            writer.write_message(TOPIC, schema, message, log_time=stamp)
    return file.getvalue()


def read_mcap(data: bytes, compiled: CompiledTree, source: str) -> tuple[Array, Array]:
    """Return the times (n,) and configurations (n, nq) in the joint states of a file.

    The first topic with joints of this robot is read. Joints are at home before their first
    message. Raises DescriptionError for a file that is no recording of this robot,
    MissingPackageError without mcap-ros2-support.
    """
    slots = {name: slot for slot, name in enumerate(compiled.position_names)}
    times: list[float] = []
    rows: list[Array] = []
    q, chosen = compiled.home, ""
    for topic, time, message in _joint_states(data, source):
        # Messages may lack positions.
        pairs = zip(message.name, message.position, strict=False)
        known = {slots[name]: position for name, position in pairs if name in slots}
        if not known or topic != (chosen or topic):
            continue
        chosen, q = topic, q.copy()
        q[list(known)] = list(known.values())
        if not np.isfinite(q).all():
            raise DescriptionError(f"a position at {time:.9g} s is not finite", source)
        if len(times) >= MOST_MESSAGES:
            raise DescriptionError(f"more than {MOST_MESSAGES} messages", source)
        if not times or time > times[-1]:
            times.append(time)
            rows.append(q)
    if len(times) < 2:
        raise DescriptionError(
            f"a recording has two messages of type {TYPE} or more with joints of "
            f"'{compiled.name}', such as '{compiled.position_names[0]}'",
            source,
        )
    return np.array(times), np.array(rows)


def _joint_states(data: bytes, source: str) -> Iterator[tuple[str, float, Any]]:
    """Yield the topic, the time (s) and the content of each message of joint states."""
    with needs("mcap_ros2", "an MCAP file", INSTALL):
        from mcap.reader import make_reader
        from mcap_ros2.decoder import DecoderFactory
    decoders = DecoderFactory()
    try:
        for schema, channel, entry in make_reader(io.BytesIO(data)).iter_messages():
            if schema is None or schema.name != TYPE:
                continue
            decode = decoders.decoder_for(channel.message_encoding, schema)
            if decode is not None:
                message = decode(entry.data)
                stamp = message.header.stamp
                ns = SECOND * stamp.sec + stamp.nanosec or entry.log_time
                yield channel.topic, ns / SECOND, message
    except Exception as error:  # the package raises any for a damaged file
        raise DescriptionError(f"not an MCAP file: {error}", source) from error
