"""The buffer of a node: waits for transforms and clears them when the clock jumps back."""

import threading
import time as steady
from collections.abc import Callable

import rclpy.logging
from geometry_msgs.msg import TransformStamped
from rclpy.clock import Clock, JumpThreshold, TimeJump
from rclpy.duration import Duration
from rclpy.node import Node
from rclpy.task import Future
from rclpy.time import Time
from tf2_msgs.srv import FrameGraph
from tf2_py import BufferCore

NO_WAIT = Duration()


class Buffer(BufferCore):
    """Stores transforms and waits for them.

    With ``node`` the service ``tf2_frames`` describes the tree, and the node's clock is watched.
    Timeouts run on a steady clock: simulated time neither stretches nor freezes them.
    """

    def __init__(self, cache_time: Duration | None = None, node: Node | None = None) -> None:
        super().__init__(cache_time)
        self._new_data = threading.Condition()
        self._waiting: dict[Future, Callable[[], TransformStamped | None]] = {}
        self.clock = Clock() if node is None else node.get_clock()
        if node is not None:
            self.srv = node.create_service(FrameGraph, "tf2_frames", self._describe_frames)
        threshold = JumpThreshold(
            min_forward=None, min_backward=Duration(seconds=-1), on_clock_change=True
        )
        self.jump_handle = self.clock.create_jump_callback(
            threshold, post_callback=self.time_jump_callback
        )

    def time_jump_callback(self, time_jump: TimeJump) -> None:
        """Delete the samples of moving frames, whose stamps are now in the future."""
        rclpy.logging.get_logger("tf2_buffer").warning(
            "The clock jumped back: all transforms are forgotten."
        )
        self.clear()

    def set_transform(self, transform: TransformStamped, authority: str) -> None:
        """Store the pose of a moving frame and notify waiting lookups."""
        super().set_transform(transform, authority)
        self._wake()

    def set_transform_static(self, transform: TransformStamped, authority: str) -> None:
        """Store the pose of a static frame and notify waiting lookups."""
        super().set_transform_static(transform, authority)
        self._wake()

    # ---- lookups -----------------------------------------------------------------------------

    def lookup_transform(
        self, target_frame: str, source_frame: str, time: Time, timeout: Duration = NO_WAIT
    ) -> TransformStamped:
        """Return the transform from the source to the target frame (time 0: the latest).

        Waits up to ``timeout``, then raises a TransformException.
        """
        self.can_transform(target_frame, source_frame, time, timeout)
        return self.lookup_transform_core(target_frame, source_frame, time)

    def can_transform(
        self, target_frame: str, source_frame: str, time: Time, timeout: Duration = NO_WAIT
    ) -> bool:
        """Return whether the transform is available within ``timeout``."""
        deadline = steady.monotonic() + timeout.nanoseconds * 1e-9
        with self._new_data:
            while not self.can_transform_core(target_frame, source_frame, time)[0]:
                remaining = deadline - steady.monotonic()
                if remaining <= 0.0:
                    return False
                self._new_data.wait(remaining)
        return True

    # ---- waiting lookups ---------------------------------------------------------------------

    def wait_for_transform_async(self, target_frame: str, source_frame: str, time: Time) -> Future:
        """Return a future of the transform."""
        arguments = (target_frame, source_frame, time)

        def lookup() -> TransformStamped | None:
            if not self.can_transform_core(*arguments)[0]:
                return None
            return self.lookup_transform_core(*arguments)

        future: Future = Future()
        # Registered before the first lookup, so that no data is missed.
        with self._new_data:
            self._waiting[future] = lookup
        future.add_done_callback(self._forget)
        self._fulfil()
        return future

    def _forget(self, future: Future) -> None:
        self._take(future)

    def _take(self, future: Future) -> bool:
        """Stop waiting for a future; return whether it was still waiting."""
        with self._new_data:
            return self._waiting.pop(future, None) is not None

    def _wake(self) -> None:
        with self._new_data:
            self._new_data.notify_all()
        self._fulfil()

    def _fulfil(self) -> None:
        """Give the futures their results, without a lock: their callbacks may use the buffer."""
        with self._new_data:
            waiting = list(self._waiting.items())
        for future, lookup in waiting:
            try:
                result = lookup()
            except Exception as error:
                if self._take(future) and not future.cancelled():
                    future.set_exception(error)
                continue
            if result is not None and self._take(future) and not future.cancelled():
                future.set_result(result)

    def _describe_frames(
        self, request: FrameGraph.Request, response: FrameGraph.Response
    ) -> FrameGraph.Response:
        response.frame_yaml = self.all_frames_as_yaml()
        return response
