"""Recorded motions, and their files.

CSV opens in spreadsheets; MCAP files of sensor_msgs/JointState are for rosbag2 and Foxglove.
"""

import csv
import io
from bisect import bisect_right
from collections.abc import Iterator
from typing import Any

import numpy as np

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.errors import DescriptionError
from rigid_tree_kinematics.model import CompiledTree
from rigid_tree_kinematics.needed_packages import needs

TIME = "time"
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
MOST_ROWS = 100_000  # lines or messages
SET_BACK = 1.0  # s; a message this much older than the last one means a clock set back
INSTALL = "pip install mcap-ros2-support"


class Recording:
    """Configurations of ``positions`` numbers with their times, of the last ``seconds``."""

    def __init__(self, positions: int, seconds: float) -> None:
        self._count = positions
        self._seconds = seconds
        self._times: list[float] = []  # s, rising
        self._rows: list[Array] = []

    def add(self, now: float, q: Array) -> None:
        """Add a configuration (nq,) at a time (s); slightly older ones are ignored.

        A much older time means that the clock was set back: the recording restarts.
        """
        if self._times and now < self._times[-1] - SET_BACK:
            self.clear()
        if self._times and now <= self._times[-1]:
            return
        self._times.append(now)
        self._rows.append(q)
        old = bisect_right(self._times, now - self._seconds)
        del self._times[:old], self._rows[:old]

    def replace(self, times: Array, positions: Array) -> None:
        """Replace everything by configurations (n, nq) at increasing times (n,)."""
        self._times, self._rows = times.tolist(), list(positions)

    def clear(self) -> None:
        """Remove everything."""
        self._times.clear()
        self._rows.clear()

    @property
    def duration(self) -> float:
        """The duration (s)."""
        return self._times[-1] - self._times[0] if self._times else 0.0

    @property
    def stamps(self) -> Array:
        """The times (n,) as they were added (s)."""
        return np.array(self._times)

    @property
    def times(self) -> Array:
        """The times (n,) since the first one (s)."""
        return self.stamps - self._times[0] if self._times else np.zeros(0)

    @property
    def positions(self) -> Array:
        """The configurations (n, nq)."""
        return np.reshape(self._rows, (len(self._rows), self._count))

    @property
    def velocities(self) -> Array:
        """The rates of the configurations (n, nq), by central differences."""
        return _rates(self.times, self.positions)

    @property
    def accelerations(self) -> Array:
        """The rates of the velocities (n, nq), by central differences."""
        return _rates(self.times, self.velocities)

    def at(self, time: float) -> Array:
        """Return the last configuration (nq,) until a time (s) after the first one.

        Raises IndexError if the recording is empty.
        """
        after = bisect_right(self._times, self._times[0] + time)
        return np.array(self._rows[max(after - 1, 0)])


def _rates(times: Array, values: Array) -> Array:
    if len(times) < 2:
        return np.zeros_like(values)
    rates: Array = np.gradient(values, times, axis=0)
    return rates


def csv_bytes(recording: Recording, compiled: CompiledTree) -> bytes:
    """Return a recording as CSV: the time (s), then positions, velocities and accelerations.

    Their columns are named ``joint``, ``joint/velocity`` and ``joint/acceleration`` (rad, m, s).
    """
    names, scalars = compiled.position_names, np.flatnonzero(compiled.is_scalar)
    columns = {TIME: recording.times}
    columns |= {name: recording.positions[:, slot] for slot, name in enumerate(names)}
    for kind, values in (
        ("velocity", recording.velocities),
        ("acceleration", recording.accelerations),
    ):
        columns |= {f"{names[slot]}/{kind}": values[:, slot] for slot in scalars}
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(columns)
    rows = np.column_stack(list(columns.values()))
    writer.writerows([f"{value:.9g}" for value in row] for row in rows.tolist())
    return text.getvalue().encode()


def read_csv(text: str, compiled: CompiledTree, source: str) -> tuple[Array, Array]:
    """Return the times (n,) and configurations (n, nq) of a recording.

    Positions without a column are at home; other columns are ignored. Raises DescriptionError with
    the line for a text that is no recording of this robot.
    """
    _check_joints(compiled, source)
    rows = csv.reader(io.StringIO(text))
    try:
        header = next(rows, [])
        slots = {name: slot for slot, name in enumerate(compiled.position_names)}
        columns = {place: slots[name] for place, name in enumerate(header) if name in slots}
        if TIME not in header or not columns:
            raise DescriptionError(
                f"the first line must name a column '{TIME}' and joints of '{compiled.name}', "
                f"such as '{compiled.position_names[0]}'",
                source,
                1,
            )
        place = header.index(TIME)
        times: list[float] = []
        configurations: list[Array] = []
        for row in rows:
            if len(times) >= MOST_ROWS:
                raise DescriptionError(f"more than {MOST_ROWS} lines", source, rows.line_num)
            numbers = _numbers(row, len(header), source, rows.line_num)
            if times and numbers[place] <= times[-1]:
                raise DescriptionError("the time must increase", source, rows.line_num)
            q = compiled.home.copy()
            q[list(columns.values())] = numbers[list(columns)]
            times.append(float(numbers[place]))
            configurations.append(q)
    except csv.Error as error:
        raise DescriptionError(str(error), source, rows.line_num) from error
    if len(times) < 2:
        raise DescriptionError("a recording must have at least two lines", source, 1)
    return np.array(times), np.array(configurations)


def _check_joints(compiled: CompiledTree, source: str) -> None:
    if not compiled.position_names:
        raise DescriptionError(f"'{compiled.name}' has no movable joints", source)


def _numbers(row: list[str], count: int, source: str, line: int) -> Array:
    try:
        numbers = np.array(row, dtype=np.float64)
    except ValueError:
        numbers = np.full(len(row), np.nan)
    if len(numbers) != count or not np.isfinite(numbers).all():
        raise DescriptionError(f"a line must have {count} finite numbers", source, line)
    return numbers


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
    _check_joints(compiled, source)
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
        if len(times) >= MOST_ROWS:
            raise DescriptionError(f"more than {MOST_ROWS} messages", source)
        if not times or time > times[-1]:
            times.append(time)
            rows.append(q)
    if len(times) < 2:
        raise DescriptionError(
            f"a recording must have at least two messages of type {TYPE} with joints of "
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
