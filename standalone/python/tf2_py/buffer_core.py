"""The tree of frames over time, with the names and messages of tf2's BufferCore."""

import math
import threading
from collections.abc import Collection
from itertools import chain, takewhile
from typing import Any

import rclpy.logging
from geometry_msgs.msg import TransformStamped

from tf2_py.cache import Sample, StaticCache, TimeCache, seconds_text
from tf2_py.exceptions import (
    ConnectivityException,
    ExtrapolationException,
    InvalidArgumentException,
    LookupException,
    TransformException,
)
from tf2_py.rigid import IDENTITY, Rigid, canonical, compose, invert, normalized

DEFAULT_CACHE_NANOSECONDS = 10_000_000_000
MAX_GRAPH_DEPTH = 1000
# Rates are computed over at least this time (ns), so that one sample has a finite rate.
SHORTEST_RATE_SPAN = 100_000


def nanoseconds_of(value: Any, name: str = "time") -> int:
    """Return the nanoseconds of an rclpy or message time or duration."""
    if hasattr(value, "sec") and hasattr(value, "nanosec"):
        return int(value.sec) * 1_000_000_000 + int(value.nanosec)
    if hasattr(value, "nanoseconds"):
        return int(value.nanoseconds)
    raise TypeError(
        f"{name} has neither the attributes sec and nanosec nor nanoseconds: {value!r}"
    )


class BufferCore:
    """Stores and looks up transforms; thread-safe.

    ``cache_time`` is how long moving frames are stored (an rclpy or message duration, default
    10 s). Transforms are ``geometry_msgs/TransformStamped``.
    """

    def __init__(self, cache_time: Any = None) -> None:
        self._cache_nanoseconds = DEFAULT_CACHE_NANOSECONDS
        if cache_time is not None:
            self._cache_nanoseconds = nanoseconds_of(cache_time, "duration")
        self._core_lock = threading.RLock()
        # All known frames in order of arrival; a root has no cache.
        self._caches: dict[str, TimeCache | None] = {}
        self._authorities: dict[str, str] = {}

    # ---- writing -----------------------------------------------------------------------------

    def set_transform(self, transform: TransformStamped, authority: str) -> None:
        """Store the pose of a moving frame; invalid data is logged and rejected."""
        self._set(transform, authority, is_static=False)

    def set_transform_static(self, transform: TransformStamped, authority: str) -> None:
        """Store the pose of a static frame."""
        self._set(transform, authority, is_static=True)

    def _set(self, message: TransformStamped, authority: str, is_static: bool) -> None:
        parent = message.header.frame_id.removeprefix("/")
        child = message.child_frame_id.removeprefix("/")
        rotation, translation = message.transform.rotation, message.transform.translation
        # tf2 converts a quaternion of any length to a matrix.
        transform = Rigid(
            normalized((rotation.x, rotation.y, rotation.z, rotation.w)),
            (translation.x, translation.y, translation.z),
        )
        if problem := _problem(parent, child, transform, authority):
            _logger().error(problem)
            return
        sample = Sample(parent, transform)
        stamp = nanoseconds_of(message.header.stamp)
        with self._core_lock:
            cache = self._caches.get(child)
            if cache is None or isinstance(cache, StaticCache) != is_static:
                cache = StaticCache() if is_static else TimeCache(self._cache_nanoseconds)
                self._caches[child] = cache
            self._caches.setdefault(parent, None)
            accepted = cache.insert(stamp, sample)
            if accepted:
                self._authorities[child] = authority
        if not accepted:
            _logger().warning(
                f"TF_OLD_DATA ignoring data from the past for frame {child} at time "
                f"{seconds_text(stamp)} according to authority {authority}"
            )

    def clear(self) -> None:
        """Delete the samples of moving frames; static transforms remain."""
        with self._core_lock:
            for cache in self._caches.values():
                if cache is not None:
                    cache.clear()

    # ---- lookups -----------------------------------------------------------------------------

    def lookup_transform_core(
        self, target_frame: str, source_frame: str, time: Any
    ) -> TransformStamped:
        """Return the transform from the source frame to the target frame."""
        requested = nanoseconds_of(time)
        with self._core_lock:
            transform, stamp = self._lookup(target_frame, source_frame, requested)
        return _message(target_frame, source_frame, transform, stamp)

    def can_transform_core(
        self, target_frame: str, source_frame: str, time: Any
    ) -> tuple[bool, str]:
        """Return whether a lookup would succeed, and the reason if not."""
        requested = nanoseconds_of(time)
        if target_frame == source_frame:
            return True, ""
        with self._core_lock:
            for argument, frame in (("target", target_frame), ("source", source_frame)):
                if rationale := self._name_problem(frame):
                    return False, (
                        f'Invalid frame ID "{frame}" passed to canTransform argument '
                        f"{argument}_frame - {rationale}"
                    )
            try:
                self._path(target_frame, source_frame, requested)
            except TransformException as error:
                return False, str(error)
        return True, ""

    def _lookup(self, target: str, source: str, time: int) -> tuple[Rigid, int]:
        if target == source:
            cache = self._caches.get(target)
            return IDENTITY, (cache.latest_stamp if cache is not None and time == 0 else time)
        self._require(target, "lookupTransform argument target_frame")
        self._require(source, "lookupTransform argument source_frame")
        source_links, target_links, time = self._path(target, source, time)
        return compose(invert(_product(target_links)), _product(source_links)), time

    def _path(self, target: str, source: str, time: int) -> tuple[list[Sample], list[Sample], int]:
        """Return the links from the source and from the target up to their common ancestor.

        The third value is the time of the result, the latest common time if 0 was requested.
        """
        if time == 0:
            time = self._latest_common_time(target, source)
        up_source, source_error = self._ascend(source, time, until=(target,))
        if target in up_source:
            return list(up_source.values())[:-1], [], time
        up_target, target_error = self._ascend(target, time, until=up_source)
        top = next(reversed(up_target))
        if top in up_source:
            below_top = list(up_source).index(top)
            return list(up_source.values())[:below_top], list(up_target.values())[:-1], time
        if error := target_error or source_error:
            raise ExtrapolationException(
                f"{error}, when looking up transform from frame [{source}] to frame [{target}]"
            )
        raise _not_connected(target, source)

    def _ascend(
        self, frame: str, time: int, until: Collection[str]
    ) -> tuple[dict[str, Any], ExtrapolationException | None]:
        """Climb to a frame in ``until``, the root, or a frame without data at that time.

        Returns the frames of the path with their samples (None for the last), and the error that
        ended the climb, if any.
        """
        links: dict[str, Any] = {}
        while True:
            cache = self._caches[frame]
            links[frame] = None
            if frame in until or cache is None:
                return links, None
            try:
                links[frame] = cache.at(time)
            except ExtrapolationException as error:
                return links, error
            frame = links[frame].parent
            if frame in links or len(links) > MAX_GRAPH_DEPTH:
                raise self._loop()

    def _latest_common_time(self, target: str, source: str) -> int:
        """Return the latest common time on the path of latest parents; 0 if all are static."""
        up_source, up_target = (self._ascend(frame, 0, ())[0] for frame in (source, target))
        common = next((frame for frame in up_target if frame in up_source), None)
        if common is None:
            raise _not_connected(target, source)
        below = (takewhile(lambda frame: frame != common, up) for up in (up_source, up_target))
        caches = (self._caches[frame] for frame in chain(*below))
        stamps = (cache.latest_stamp for cache in caches if cache is not None)
        return min((stamp for stamp in stamps if stamp != 0), default=0)

    def _loop(self) -> LookupException:
        return LookupException(
            f"The tf tree is invalid because it contains a loop.\n{self.all_frames_as_string()}\n"
        )

    # ---- frame names -------------------------------------------------------------------------

    def _name_problem(self, frame: str) -> str:
        if not frame:
            return "in tf2 frame_ids cannot be empty"
        if frame.startswith("/"):
            return "in tf2 frame_ids cannot start with a '/'"
        return "" if frame in self._caches else "frame does not exist"

    def _require(self, frame: str, argument: str) -> None:
        problem = self._name_problem(frame)
        if problem == "frame does not exist":
            raise LookupException(f'"{frame}" passed to {argument} does not exist. ')
        if problem:
            raise InvalidArgumentException(
                f'Invalid argument "{frame}" passed to {argument} - {problem}'
            )

    def all_frames_as_string(self) -> str:
        """Return one line for each frame that has a parent."""
        with self._core_lock:
            return "".join(
                f"Frame {frame} exists with parent {cache.latest_parent or 'NO_PARENT'}.\n"
                for frame, cache in self._caches.items()
                if cache is not None
            )

    def all_frames_as_yaml(self) -> str:
        """Return every frame's parent, broadcaster, rate and times as a YAML mapping."""
        with self._core_lock:
            if not self._caches:
                return "[]"
            return "".join(
                self._yaml_of(frame, cache)
                for frame, cache in self._caches.items()
                if cache is not None and cache.latest_parent is not None
            )

    def _yaml_of(self, frame: str, cache: TimeCache) -> str:
        span = cache.latest_stamp - cache.oldest_stamp
        rate = len(cache) * 1e9 / max(span, SHORTEST_RATE_SPAN)
        authority = self._authorities.get(frame, "no recorded authority")
        return (
            f"{frame}: \n"
            f"  parent: '{cache.latest_parent}'\n"
            f"  broadcaster: '{authority}'\n"
            f"  rate: {rate:.3f}\n"
            f"  most_recent_transform: {seconds_text(cache.latest_stamp)}\n"
            f"  oldest_transform: {seconds_text(cache.oldest_stamp)}\n"
            f"  buffer_length: {span * 1e-9:.3f}\n"
        )


def _logger() -> Any:
    return rclpy.logging.get_logger("tf2_buffer")


def _problem(parent: str, child: str, transform: Rigid, authority: str) -> str:
    """Return why a transform is rejected, or an empty text."""
    numbers = (*transform.translation, *transform.rotation)
    if child and child == parent:
        code, reason = "TF_SELF_TRANSFORM", "frame_id and child_frame_id are the same"
    elif not child:
        code, reason = "TF_NO_CHILD_FRAME_ID", "child_frame_id not set"
    elif not parent:
        code, reason = "TF_NO_FRAME_ID", "frame_id not set"
    elif any(math.isnan(value) for value in numbers):
        code, reason = "TF_NAN_INPUT", f"of a nan value in the transform {numbers}"
    else:
        return ""
    return (
        f'{code}: Ignoring transform for child_frame_id "{child}" from authority "{authority}" '
        f"because {reason}"
    )


def _product(links: list[Sample]) -> Rigid:
    """Return the product of the transforms from a frame upwards."""
    result = IDENTITY
    for link in links:
        result = compose(link.transform, result)
    return result


def _not_connected(target: str, source: str) -> ConnectivityException:
    return ConnectivityException(
        f"Could not find a connection between '{target}' and '{source}' because they are not "
        "part of the same tree.Tf has two or more unconnected trees."
    )


def _message(target: str, source: str, transform: Rigid, stamp: int) -> TransformStamped:
    message = TransformStamped()
    message.header.frame_id = target
    message.header.stamp.sec, message.header.stamp.nanosec = divmod(stamp, 1_000_000_000)
    message.child_frame_id = source
    vector, quaternion = message.transform.translation, message.transform.rotation
    vector.x, vector.y, vector.z = transform.translation
    quaternion.x, quaternion.y, quaternion.z, quaternion.w = canonical(transform.rotation)
    return message
