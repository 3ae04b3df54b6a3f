"""A tf2 buffer that is filled on demand, to save time on high-rate /tf.

Reading a hundred robots' transforms one message at a time takes half a core; keeping their bytes
costs almost nothing.
"""

from __future__ import annotations

import threading
import time
from collections import deque

from geometry_msgs.msg import TransformStamped
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.node import Node
from tf2_msgs.msg import TFMessage
from tf2_ros import Buffer

from rigid_tree_kinematics.nodes.common.fast import REST
from rigid_tree_kinematics.nodes.common.requests import SECOND, nanoseconds_of, stamp_in
from rigid_tree_kinematics.nodes.tf.frame_names import FIRST_STAMP
from rigid_tree_kinematics.nodes.tf.listener import LONGEST_CHAIN, TransformListener

AUTHORITY = "network"
KEPT = 10.0  # s, as long as a tf2 buffer keeps transforms
MOST_UNREAD = 50_000  # messages
# Older transforms of a frame are accepted if no newer ones arrive for this time (s): their sender
# is gone.
GONE = 3.0


class LazyTransforms:
    """Fills a buffer from /tf (on demand) and /tf_static (immediately). Thread-safe.

    Transforms with implausible stamps never reach the buffer. Nor do those that tf2 would reject
    as too old, with a log line for each.
    """

    def __init__(self, node: Node, buffer: Buffer) -> None:
        self._buffer = buffer
        self._unread: deque[tuple[float, bytes]] = deque(maxlen=MOST_UNREAD)
        # The newest transform of each moving frame, with its stamp (ns) and its arrival.
        self._newest: dict[str, tuple[int, float, TransformStamped]] = {}
        self._lock = threading.RLock()
        self._waiting = 0
        self._static_parents: dict[str, str] = {}
        self._listener = TransformListener(
            node, self._on_bytes, self._on_static, ReentrantCallbackGroup(), self._forget
        )
        self.stamps, self._warn = self._listener.stamps, self._listener.warn
        self.start, self.stop = self._listener.start, self._listener.stop

    def catch_up(self, latest_only: bool) -> None:
        """Fill the buffer; with ``latest_only``, from the newest message of each set of frames."""
        self._listener.subscription.catch_up()
        self.stamps.now()
        with self._lock:
            unread = list(self._unread)
            self._unread.clear()
            chosen = self._latest(unread) if latest_only else range(len(unread))
            for number, (arrival, data) in enumerate(unread):
                if number in chosen:
                    self._take(data, arrival)
                else:
                    self._unread.append((arrival, data))

    def _latest(self, unread: list[tuple[float, bytes]]) -> set[int]:
        """Return the messages with the newest stamps of their frames.

        Older stamps are used if no newer ones have arrived for a while: see GONE.
        """
        found: dict[bytes, tuple[float, int, int]] = {}
        for number in range(len(unread) - 1, -1, -1):
            arrival, data = unread[number]
            key, stamp = self._listener.names.key(data), stamp_in(data, FIRST_STAMP)
            last, newest, _ = found.get(key, (arrival, -1, 0))
            if stamp > newest and last - arrival < GONE:
                found[key] = last, stamp, number
        return {number for _, _, number in found.values()}

    def __enter__(self) -> LazyTransforms:
        """While a caller waits for a transform, every message is read as it arrives."""
        with self._lock:
            self._waiting += 1
            self._listener.subscription.set_rest(0.0)
        self.catch_up(latest_only=False)
        return self

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._waiting -= 1
            if not self._waiting:
                self._listener.subscription.set_rest(REST)

    def _on_bytes(self, data: bytes) -> None:
        now = time.monotonic()
        doubtful = bool(self.stamps.doubt(stamp_in(data, FIRST_STAMP)))
        with self._lock:
            if self._waiting or doubtful:
                self._take(data, now)
                return
            self._unread.append((now, data))
            while self._unread[0][0] < now - KEPT:
                self._unread.popleft()

    def _take(self, data: bytes, arrival: float) -> None:
        for transform in self._listener.transforms(data):
            if not (self._closes_loop(transform, arrival) or self._is_too_old(transform, arrival)):
                self._buffer.set_transform(transform, AUTHORITY)

    def _is_too_old(self, transform: TransformStamped, arrival: float) -> bool:
        """Return whether a transform is much older than its frame's newest one; update that."""
        frame = transform.child_frame_id.removeprefix("/")
        stamp = nanoseconds_of(transform.header.stamp)
        newest, heard, _ = self._newest.get(frame, (stamp, arrival, None))
        if stamp < newest - KEPT * SECOND:
            back = (newest - stamp) / SECOND
            if arrival - heard < GONE:
                self._warn(f"transforms of frame '{frame}' are {back:.6g} s late: ignored")
                return True
            self._warn(f"the stamps of frame '{frame}' went back by {back:.6g} s: accepted")
            self._forget_frame(frame)
        elif stamp < newest:
            return False
        self._newest[frame] = stamp, arrival, transform
        return False

    def _closes_loop(self, transform: TransformStamped, arrival: float) -> bool:
        """Return whether a transform would put a frame below itself.

        If another transform of the loop has not arrived for a while, that one is forgotten.
        """
        frame = transform.child_frame_id.removeprefix("/")
        path, seen = [transform.header.frame_id.removeprefix("/")], set[str]()
        while path[-1] != frame:
            if path[-1] in self._newest:
                path.append(self._newest[path[-1]][2].header.frame_id.removeprefix("/"))
            elif path[-1] in self._static_parents:
                path.append(self._static_parents[path[-1]])
            else:
                return False
            if path[-1] in seen or len(path) > LONGEST_CHAIN:
                return False  # a loop of other frames, or a chain too long for tf2
            seen.add(path[-1])
        others = [name for name in path[:-1] if name in self._newest]
        oldest = min(others, key=lambda name: self._newest[name][1], default=frame)
        if oldest == frame or arrival - self._newest[oldest][1] < GONE:
            self._warn(f"the transform of frame '{frame}' would be its own ancestor: ignored")
            return True
        self._warn(f"the transform of frame '{oldest}' forms a loop: removed")
        self._forget_frame(oldest)
        return False

    def _forget_frame(self, frame: str) -> None:
        """Remove a moving frame from the buffer, but keep the latest transforms of the others."""
        del self._newest[frame]
        self._buffer.clear()
        for _, _, transform in self._newest.values():
            self._buffer.set_transform(transform, AUTHORITY)

    def _forget(self) -> None:
        """Drop all moving frames after the clock was set back."""
        with self._lock:
            self._unread.clear()
            self._newest.clear()
            self._buffer.clear()

    def _on_static(self, message: TFMessage) -> None:
        for transform in self._listener.valid(message):
            self._buffer.set_transform_static(transform, AUTHORITY)
            self._static_parents[transform.child_frame_id] = transform.header.frame_id

    def are_fixed(self, target: str, source: str) -> bool:
        """Return whether /tf_static alone connects two frames."""
        return not self._static_chain(target).isdisjoint(self._static_chain(source))

    def _static_chain(self, frame: str) -> set[str]:
        chain = {frame}
        while (frame := self._static_parents.get(frame, frame)) not in chain:
            chain.add(frame)
        return chain
