"""Node: shows robots in the browser, where users can move them.

The page is at http://localhost:8080 by default.
"""

from __future__ import annotations

import os
import queue
import socket
import webbrowser
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from rclpy.clock import Clock, ClockType
from std_msgs.msg import String

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.errors import ConfigurationError
from rigid_tree_kinematics.nodes.base import (
    LATCHED,
    FrameTable,
    Parameters,
    PlainNode,
    parameter,
    run_node,
)
from rigid_tree_web import web
from rigid_tree_web.nodes import WORLD, RobotSlot, ViewerRobot
from rigid_tree_web.panels import caption

if TYPE_CHECKING:
    import viser

NAME = "web_viewer"
LEAST_SHIFT = 1e-3  # m, of the world below a followed robot
CLOSED_PERIOD = 0.5  # s between updates while the page is not open

at_start = partial(parameter, start_only=True)


@dataclass(frozen=True)
class ViewerSettings(Parameters):
    """The node's parameters."""

    host: str = at_start(
        "127.0.0.1",
        "Address that serves the page. Addresses other than loopback (0.0.0.0) need a token.",
    )
    allowed_hosts: tuple[str, ...] = at_start(
        ("",),
        "Further host names of the page, such as a proxy's. Always allowed: loopback and, if host "
        "is not loopback, this machine's name and addresses.",
    )
    token: str = at_start(
        "",
        "Secret in the page's address. Empty: none on loopback, elsewhere a random one, which is "
        "printed at startup.",
    )
    port: int = at_start(8080, "Port of the page. 0: a free one.", 0, 65535)
    rate: float = at_start(30.0, "Update rate of the page.", 1.0, 100.0, unit="Hz")
    robots: tuple[str, ...] = at_start(("",), "Namespaces of the robots to show.")
    frame_prefixes: tuple[str, ...] = at_start(
        ("",), "Prefixes of the robots' frame names: one for all, or one for each."
    )
    fixed_frame: str = at_start(
        "", "Fixed frame of the page. Empty: the root of the first robot's frames."
    )
    open_browser: bool = at_start(False, "Open the page in a browser, if there is a display.")

    def check(self) -> None:
        """Raise ConfigurationError unless there is one prefix, or one for each robot."""
        if len(self.frame_prefixes) not in (1, len(self.robots)):
            reason = f"{len(self.frame_prefixes)} entries for {len(self.robots)} robots"
            raise ConfigurationError(f"parameter 'frame_prefixes' has {reason}")

    @property
    def prefixes(self) -> tuple[str, ...]:
        """The prefix of each robot's frames."""
        several = len(self.frame_prefixes) == len(self.robots)
        return self.frame_prefixes if several else self.frame_prefixes * len(self.robots)


class WebViewer(PlainNode):
    """The node. Raises a RigidTreeError or a parameter exception if startup fails."""

    def __init__(self) -> None:
        super().__init__(NAME)
        settings = ViewerSettings.declare(self)
        self._fixed_frame = settings.fixed_frame
        robots = tuple(zip(settings.robots, settings.prefixes, strict=True))
        self._first_prefix = settings.prefixes[0]
        self._posted: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        guard = web.AccessGuard.of(settings.host, settings.allowed_hosts, settings.token)
        self._page = web.open_page(settings.host, settings.port, guard, self._warn)
        self._world = self._page.scene.add_frame(WORLD, show_axes=False)
        self._views = web.Views(self._page, self._fit)
        self._follows = False
        self._kept_at: Array | None = None  # of the page, where the followed robot stays
        self._title = web.PageTitle(self._page)
        self._content: list[tuple[str, ...]] = []  # of the robots, as the views show it
        self._caption = web.PageCaption(self._page)
        self._captioned, self._shown_robot = "", ""  # text in Markdown; a namespace
        self.create_subscription(String, "caption", self._on_caption, LATCHED)
        self.create_subscription(String, "shown_robot", self._on_shown_robot, LATCHED)
        web.add_page_buttons(self._page, self._fit, self._follow)
        tabs = self._page.gui.add_tab_group()
        self._frames = FrameTable(self)
        self._robots = [
            ViewerRobot(
                RobotSlot(
                    node=self,
                    server=self._page,
                    # Created now, so that tabs are in the parameter's order.
                    tab=tabs.add_tab(namespace or "robot"),
                    frames=self._frames,
                    post=self._posted.put,
                    namespace=namespace,
                    prefix=prefix,
                    number=number,
                )
            )
            for number, (namespace, prefix) in enumerate(robots)
        ]
        actions = {key: partial(self._posted.put, partial(self._press, key)) for key in web.KEYS}
        web.add_page_keys(self._page, actions, self._fit)
        self._period = round(1e9 / settings.rate)  # ns
        self._timer = self.create_timer(
            CLOSED_PERIOD, self._tick, clock=Clock(clock_type=ClockType.STEADY_TIME)
        )
        is_here = settings.host in (*web.EVERYWHERE, "127.0.0.1")
        address = guard.address("localhost" if is_here else settings.host, self._page.get_port())
        self.get_logger().info(f"the page is at {address}")
        if settings.host in web.EVERYWHERE:
            elsewhere = guard.address(socket.gethostname(), self._page.get_port())
            self.get_logger().info(f"from other machines it is at {elsewhere}")
        if settings.open_browser and not {"DISPLAY", "WAYLAND_DISPLAY"}.isdisjoint(os.environ):
            webbrowser.open(address)

    def _press(self, key: str) -> None:
        for robot in self._robots:
            robot.press(key)

    def _warn(self, message: str) -> None:
        self.get_logger().warning(message, throttle_duration_sec=1.0)

    def _on_caption(self, message: String) -> None:
        """Show a caption in Markdown from another node."""
        self._captioned = message.data
        self._show_caption()

    def _on_shown_robot(self, message: String) -> None:
        """Open a robot's tab, and fit the views to it; to all robots for other names."""
        self._shown_robot = message.data
        self._content = []  # the views fit what is shown
        self._show_caption()

    def _show_caption(self) -> None:
        markup = caption(self._captioned) if self._captioned else ""
        self._caption.show(markup, self._shown_robot)

    def destroy_node(self) -> None:
        """Close the page too."""
        if hasattr(self, "_page"):  # absent if startup failed
            web.close_page(self._page)
        super().destroy_node()

    def _tick(self) -> None:
        opened = bool(self._page.get_clients())
        period = self._period if opened else max(self._period, round(CLOSED_PERIOD * 1e9))
        if self._timer.timer_period_ns != period:
            self._timer.timer_period_ns = period
        self._run_posted()
        self._frames.update()
        fixed = self._fixed
        with self._page.atomic():
            for robot in self._robots:
                robot.update(fixed)
            self._follow_robot()
        content = [robot.content for robot in self._robots]
        if content != self._content:
            self._content = content
            self._title.show([robot.name for robot in self._robots if robot.name])
            self._views.show(self._corners())

    def _follow(self, follows: bool) -> None:
        """Keep the first robot where it is in the picture, or no longer."""
        self._follows = follows

    def _follow_robot(self) -> None:
        """Move the world below the followed robot; the users' cameras stay theirs."""
        at = self._robots[0].position if self._follows else None
        if at is None:
            self._kept_at = None
            return
        now = at + self._world.position
        if self._kept_at is None:
            self._kept_at = now
        shift = (self._kept_at - now) * [1.0, 1.0, 0.0]
        if np.linalg.norm(shift) > LEAST_SHIFT:
            self._world.position = self._world.position + shift
            web.place_ground(self._page, self._world.position)

    def _corners(self) -> Array:
        """Return corners (n, 3) of boxes around the shown or all robots, and their obstacles."""
        shown = [robot for robot in self._robots if robot.namespace == self._shown_robot]
        corners = [robot.corners(self._fixed) for robot in shown or self._robots]
        return np.concatenate(corners) + self._world.position

    def _fit(self, client: viser.ClientHandle | None) -> None:
        """Fit a user's view to what is drawn now."""
        if client is not None:
            self._posted.put(lambda: self._views.fit(client, self._corners()))

    def _run_posted(self) -> None:
        while not self._posted.empty():
            self._posted.get()()  # after an error, which is logged, the next tick runs the others

    @property
    def _fixed(self) -> str:
        """The fixed frame: that of the parameter, or the root of the first robot's frames."""
        if self._fixed_frame:
            return self._fixed_frame
        for frame in self._frames.frames:
            if frame.startswith(self._first_prefix):
                return self._frames.chain(frame)[-1]
        return self._first_prefix


PARAMETERS = (ViewerSettings,)


def main() -> int:
    """Run the node; return the exit code of the process."""
    return run_node(NAME, WebViewer, PARAMETERS)
