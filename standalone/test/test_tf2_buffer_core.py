"""BufferCore against composed matrices and SciPy."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from geometry_msgs.msg import TransformStamped
from rclpy.duration import Duration
from rclpy.time import Time
from scipy.spatial.transform import Rotation, Slerp
from tf2_py import (
    BufferCore,
    ConnectivityException,
    ExtrapolationException,
    InvalidArgumentException,
    LookupException,
    TransformException,
)

LATEST = Time()
# for products of about ten rotations in double precision
TOLERANCE = 1e-9


def stamped(parent, child, seconds=0.0, rotation=None, translation=(0.0, 0.0, 0.0)):
    message = TransformStamped()
    message.header.frame_id, message.child_frame_id = parent, child
    message.header.stamp = Time(nanoseconds=round(seconds * 1e9)).to_msg()
    x, y, z, w = (Rotation.identity() if rotation is None else rotation).as_quat()
    turn, move = message.transform.rotation, message.transform.translation
    turn.x, turn.y, turn.z, turn.w = float(x), float(y), float(z), float(w)
    move.x, move.y, move.z = map(float, translation)
    return message


def matrix_of(message):
    turn, move = message.transform.rotation, message.transform.translation
    matrix = np.eye(4)
    matrix[:3, :3] = Rotation.from_quat([turn.x, turn.y, turn.z, turn.w]).as_matrix()
    matrix[:3, 3] = move.x, move.y, move.z
    return matrix


def at(seconds):
    return Time(nanoseconds=round(seconds * 1e9))


def lookup(core, target, source, time=LATEST):
    return core.lookup_transform_core(target, source, time)


@pytest.mark.parametrize("seed", range(5))
def test_random_trees_agree_with_composed_matrices(seed):
    rng = np.random.default_rng(seed)
    core = BufferCore()
    in_root = {"f0": np.eye(4)}
    for index in range(1, 40):
        parent = f"f{rng.integers(index)}"
        link = stamped(
            parent, f"f{index}", 5.0, Rotation.random(random_state=rng), rng.normal(size=3)
        )
        put = core.set_transform_static if rng.random() < 0.4 else core.set_transform
        put(link, "test")
        in_root[f"f{index}"] = in_root[parent] @ matrix_of(link)
    for _ in range(100):
        target, source = (f"f{index}" for index in rng.integers(40, size=2))
        expected = np.linalg.inv(in_root[target]) @ in_root[source]
        for time in (LATEST, at(5.0)):
            found = matrix_of(lookup(core, target, source, time))
            np.testing.assert_allclose(found, expected, atol=TOLERANCE)


@pytest.mark.parametrize("seed", range(3))
def test_interpolates_on_the_line_and_on_the_arc(seed):
    rng = np.random.default_rng(seed)
    core = BufferCore()
    times = np.cumsum(rng.uniform(0.05, 0.5, size=8)) + 1.0
    rotations = Rotation.random(8, random_state=rng)
    places = rng.normal(size=(8, 3))
    for index in rng.permutation(8):  # the order of arrival must not matter
        core.set_transform(
            stamped("a", "b", times[index], rotations[int(index)], places[index]), "test"
        )
    slerp = Slerp(times, rotations)
    for time in rng.uniform(times[0], times[-1], size=50):
        found = matrix_of(lookup(core, "a", "b", at(time)))
        # Stamps are whole nanoseconds, hence the looser comparison.
        np.testing.assert_allclose(found[:3, :3], slerp(time).as_matrix(), atol=1e-6)
        expected = [np.interp(time, times, places[:, axis]) for axis in range(3)]
        np.testing.assert_allclose(found[:3, 3], expected, atol=1e-6)


def test_latest_common_time_is_the_minimum_of_the_latest_times():
    core = BufferCore()
    for seconds in (1.0, 2.0, 3.0):
        core.set_transform(stamped("root", "slow", seconds, translation=(seconds, 0, 0)), "test")
    for seconds in (2.0, 5.0):
        core.set_transform(stamped("root", "fast", seconds, translation=(0, seconds, 0)), "test")
    core.set_transform_static(stamped("fast", "tool", translation=(0, 0, 1)), "test")
    found = lookup(core, "slow", "tool")
    assert found.header.stamp.sec == 3
    move = found.transform.translation
    assert (move.x, move.y, move.z) == pytest.approx((-3.0, 3.0, 1.0))


def test_static_frames_are_valid_at_every_time_and_keep_the_requested_stamp():
    core = BufferCore()
    core.set_transform_static(stamped("a", "b", 7.0, translation=(1, 2, 3)), "test")
    assert lookup(core, "a", "b", at(123.5)).header.stamp.nanosec == 500_000_000
    assert lookup(core, "a", "b").header.stamp.sec == 0
    core.set_transform_static(stamped("a", "b", translation=(4, 5, 6)), "test")
    assert lookup(core, "a", "b").transform.translation.x == 4.0


def test_extrapolation_error_contains_both_times():
    core = BufferCore()
    core.set_transform(stamped("a", "b", 2.0), "test")
    with pytest.raises(ExtrapolationException, match=r"at time 1\.5.* but only time 2\.0"):
        lookup(core, "a", "b", at(1.5))
    core.set_transform(stamped("a", "b", 3.0), "test")
    with pytest.raises(
        ExtrapolationException,
        match=r"into the future\.  Requested time 4\.0+ but the latest data is at time 3\.0+, "
        r"when looking up transform from frame \[b\] to frame \[a\]",
    ):
        lookup(core, "a", "b", at(4.0))
    with pytest.raises(ExtrapolationException, match="into the past"):
        lookup(core, "b", "a", at(1.0))
    possible, reason = core.can_transform_core("a", "b", at(1.0))
    assert not possible
    assert "into the past" in reason

    # Motion above the common ancestor does not matter; samples of long ago are gone.
    core = BufferCore(Duration(seconds=2.0))
    core.set_transform(stamped("world", "base", 1.0), "test")
    for seconds in (10.0, 11.0, 12.0, 13.0, 14.0):
        for child in ("left", "right"):
            core.set_transform(stamped("base", child, seconds, translation=(1, 0, 0)), "test")
    core.set_transform(stamped("base", "left", 9.0), "test")  # rejected: too old
    assert lookup(core, "left", "right", at(12.5)).transform.translation.x == 0.0
    for target, seconds in (("base", 10.5), ("world", 13.0)):
        with pytest.raises(ExtrapolationException):
            lookup(core, target, "left", at(seconds))


def test_unknown_frames_and_unconnected_trees_have_different_errors():
    core = BufferCore()
    core.set_transform(stamped("a", "b", 1.0), "test")
    core.set_transform(stamped("x", "y", 1.0), "test")
    with pytest.raises(ConnectivityException, match="'a' and 'y'"):
        lookup(core, "a", "y")
    with pytest.raises(ConnectivityException):
        lookup(core, "a", "y", at(1.0))
    with pytest.raises(LookupException, match='"nowhere" passed to lookupTransform argument'):
        lookup(core, "a", "nowhere")
    for name in ("", "/a"):
        with pytest.raises(InvalidArgumentException):
            lookup(core, name, "b")
    with pytest.raises(TransformException):
        lookup(core, "nowhere", "b")


def test_invalid_transforms_are_ignored():
    nan = float("nan")
    for child, x, w in (("", 0, 1), ("a", 0, 1), ("b", nan, 1), ("b", 0, nan), ("b", 0, 0)):
        core = BufferCore()
        message = stamped("a", child, 1.0, translation=(x, 0, 0))
        message.transform.rotation.w = float(w)
        core.set_transform(message, "test")
        assert core.all_frames_as_string() == "", (child, x, w)


def test_quaternions_of_any_length_and_sign_are_rotations():
    # BufferCore::setTransform converts to a tf2::Transform, whose matrix is scaled.
    core = BufferCore()
    message = stamped("a", "b", 1.0, Rotation.from_rotvec([0.0, 0.0, 0.5]))
    message.transform.rotation.z *= -2.0
    message.transform.rotation.w *= -2.0
    core.set_transform(message, "test")
    found = lookup(core, "a", "b").transform.rotation
    assert (found.z, found.w) == pytest.approx((np.sin(0.25), np.cos(0.25)))


def test_clear_keeps_static_frames():
    core = BufferCore()
    core.set_transform_static(stamped("a", "b"), "test")
    core.set_transform(stamped("b", "c", 1.0), "test")
    core.clear()
    assert core.can_transform_core("a", "b", LATEST)[0]
    assert not core.can_transform_core("a", "c", LATEST)[0]
    core.set_transform(stamped("b", "c", 0.5), "test")  # older than before the jump
    assert lookup(core, "a", "c").header.stamp.nanosec == 500_000_000


def test_long_chain_and_loop():
    core = BufferCore()
    for index in range(500):
        core.set_transform_static(
            stamped(f"f{index}", f"f{index + 1}", translation=(1, 0, 0)), "t"
        )
    assert lookup(core, "f0", "f500").transform.translation.x == pytest.approx(500.0)
    loop = BufferCore()
    for parent, child in (("a", "b"), ("b", "c"), ("c", "a"), ("x", "y")):
        loop.set_transform_static(stamped(parent, child), "t")
    with pytest.raises(LookupException, match="loop"):
        lookup(loop, "y", "a")


def test_thousands_of_lookups_while_frames_move():
    core = BufferCore()
    core.set_transform_static(stamped("tip", "tool", translation=(0, 0, 1)), "test")

    def move(start):
        for step in range(500):
            seconds = 1.0 + start + step * 0.002
            # Both links move by the same amount: their sum equals the time of a consistent lookup.
            for parent, child in (("base", "arm"), ("arm", "tip")):
                core.set_transform(
                    stamped(parent, child, seconds, translation=(seconds, 0, 0)), "test"
                )

    def look_up(_):
        found = lookup(core, "base", "tool")
        stamp = found.header.stamp.sec + found.header.stamp.nanosec * 1e-9
        return found.transform.translation.x - 2.0 * stamp

    move(0.0)
    with ThreadPoolExecutor(6) as pool:
        writers = [pool.submit(move, start) for start in (1.0, 2.0)]
        errors = list(pool.map(look_up, range(4000)))
        for writer in writers:
            writer.result()
    assert max(map(abs, errors)) < 1e-6
