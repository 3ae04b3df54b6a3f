"""One robot of the viewer: its topics, and updates of its view."""

import math
import time

import numpy as np
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from rclpy.qos import QoSProfile, ReliabilityPolicy
from rclpy.time import Time
from sensor_msgs.msg import JointState
from std_msgs.msg import String

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.description.srdf import read_semantics
from rigid_tree_kinematics.errors import RigidTreeError
from rigid_tree_kinematics.model import RigidBodyTree
from rigid_tree_kinematics.nodes.base import (
    LATCHED,
    DescriptionTopic,
    PolledSubscription,
    RobotDescription,
)
from rigid_tree_web.nodes.postures import Postures
from rigid_tree_web.nodes.robot_view import RobotView
from rigid_tree_web.nodes.slot import RobotSlot

JOINT_STATES_QOS = QoSProfile(depth=100, reliability=ReliabilityPolicy.BEST_EFFORT)
STATUS_PERIOD = 1.0  # s
SLIDER_PERIOD = 0.1  # s
SILENT = 2.0  # s without joint states after which a robot is shown as offline
OUTDATED = 5.0  # s, age of diagnostics
MOST_REPORTS = 100  # kept


class ViewerRobot:
    """The topics of one namespace's robot, and its view; to be used in the node's thread."""

    def __init__(self, slot: RobotSlot) -> None:
        self._slot = slot
        self._node = node = slot.node
        self._shown: RobotView | None = None
        self._srdf = ""
        self._home: dict[str, float] = {}  # by position name
        self._positions: dict[str, float] = {}
        self._measured = 0.0  # when the positions were, s
        self._heard = 0  # joint states since the last status
        self._last_heard = -SILENT
        self._frame_messages = 0
        self._next_status = self._next_sliders = self._last_status = 0.0
        DescriptionTopic(node, slot.topic("robot_description"), self._show)
        node.create_subscription(JointState, slot.topic("robot_home"), self._on_home, LATCHED)
        semantics = slot.topic("robot_description_semantic")
        node.create_subscription(String, semantics, self._on_semantics, LATCHED)
        states = slot.topic("joint_states")
        self._states = PolledSubscription(node, JointState, states, JOINT_STATES_QOS)
        # Diagnostics of this robot's drivers by part: whether it is OK, its message and its time.
        self._reports: dict[str, tuple[bool, str, float]] = {}
        self._full_namespace = node.resolve_topic_name(slot.topic("x"))[:-1]
        node.create_subscription(DiagnosticArray, "/diagnostics", self._on_diagnostics, 10)
        self._postures = Postures(slot, self._report)

    # -- topics ----------------------------------------------------------------------------------

    def _show(self, description: RobotDescription) -> None:
        if self._shown is not None:
            self._shown.remove()
            self._shown = None
        tree = description.tree
        with self._slot.server.atomic():
            heard = lambda: self._positions, lambda: self._measured or time.monotonic()
            self._shown = RobotView(self._slot, tree, *heard, self._postures, self._warn)
        self._node.get_logger().info(f"showing robot '{tree.name}' from {description.origin}")
        self._shown.goal.known.home = self._home
        self._show_semantics()
        description.log(self._node)

    def _on_home(self, message: JointState) -> None:
        positions = zip(message.name, message.position, strict=False)
        self._home = {name: value for name, value in positions if math.isfinite(value)}
        if self._shown is not None:
            self._shown.goal.known.home = self._home

    def _on_semantics(self, message: String) -> None:
        self._srdf = message.data
        self._show_semantics()

    def _show_semantics(self) -> None:
        """Show the groups and states of the SRDF once the robot is known too."""
        if self._shown is None or not self._srdf.lstrip().startswith("<"):  # never a path
            return
        try:
            self._shown.show_semantics(read_semantics(self._srdf, self._shown.tree))
        except RigidTreeError as error:
            self._warn(f"rejected the SRDF: {error}")

    def _on_diagnostics(self, message: DiagnosticArray) -> None:
        for status in message.status:
            if len(self._reports) >= MOST_REPORTS:
                self._reports.clear()
            if status.name.startswith(self._full_namespace):
                part = status.name.rsplit(": ")[-1]
                is_ok = status.level == DiagnosticStatus.OK
                self._reports[part] = is_ok, status.message, time.monotonic()

    def _warn(self, message: str) -> None:
        self._node.get_logger().warning(message, throttle_duration_sec=5.0)

    def _report(self, message: str) -> None:
        if self._shown is not None:
            self._shown.panel.show_message(message)

    @property
    def namespace(self) -> str:
        """The robot's namespace, possibly empty."""
        return self._slot.namespace

    @property
    def name(self) -> str:
        """The robot's name, or that of its namespace before it is known."""
        return self._shown.tree.name if self._shown is not None else self._slot.namespace

    @property
    def position(self) -> Array | None:
        """The base's position (3,) in the fixed frame, if it is known."""
        return self._shown.position if self._shown is not None else None

    @property
    def content(self) -> tuple[str, ...]:
        """The drawn content that views fit; it changes when content is added."""
        return self._shown.content if self._shown is not None else ()

    def corners(self, fixed_frame: str) -> Array:
        """Return corners (n, 3) of boxes around the content that views fit."""
        return self._shown.corners(fixed_frame) if self._shown is not None else np.zeros((0, 3))

    def press(self, key: str) -> None:
        """Perform the action of a key."""
        if self._shown is not None:
            self._shown.press(key)

    # -- periodically ----------------------------------------------------------------------------

    def update(self, fixed_frame: str) -> None:
        """Show changes since the last update."""
        self._read_states()
        if self._shown is None:
            return
        self._shown.place(fixed_frame)
        now = time.monotonic()
        prefix = self._slot.prefix
        self._frame_messages += sum(
            count
            for frame, count in self._slot.frames.counts.items()
            if frame.startswith(prefix) and frame[len(prefix) :] in self._shown.model.paths
        )
        if now >= self._next_sliders:
            self._next_sliders = now + SLIDER_PERIOD
            self._shown.panel.follow(self._positions)
            self._shown.show_picked()
        if now >= self._next_status:
            self._next_status = now + STATUS_PERIOD
            self._show_status(now - self._last_status)
            self._last_status = now

    def _read_states(self) -> None:
        """Use the newest joint states of each driver since the last update."""
        messages = self._states.take()
        if not messages:
            return
        self._heard += len(messages)
        self._last_heard = time.monotonic()
        if self._shown is None:
            return
        for message in {tuple(message.name): message for message in messages}.values():
            try:
                self._positions.update(usable_positions(message, self._shown.tree))
                self._measured = 1e-9 * Time.from_msg(message.header.stamp).nanoseconds
            except (RigidTreeError, ValueError) as error:
                self._warn(f"rejected joint states: {error}")

    def _show_status(self, seconds: float) -> None:
        assert self._shown is not None
        alive = time.monotonic() - self._last_heard < SILENT
        states, frames = self._heard / seconds, self._frame_messages / seconds
        self._heard = self._frame_messages = 0
        available = self._shown.motion.client.available
        followed = self._shown.motion.followed
        lights = {
            f"joint states {states:.0f} Hz": alive,
            f"frames {frames:.0f} Hz": frames > 0.0,
            "driver": followed,
            "inverse kinematics": available["ik"],
            "planner": available["planner"],
        }
        for part, (is_ok, message, when) in self._reports.items():
            if time.monotonic() - when < OUTDATED:
                lights[f"{part}: {message}"] = is_ok
        self._shown.panel.show_status(lights)
        self._shown.panel.show_controls(followed, available)
        self._shown.panel.show_postures(self._postures.available)


def usable_positions(message: JointState, tree: RigidBodyTree) -> dict[str, float]:
    """Return the finite positions of a robot by name; ConfigurationError for bad rotations.

    Raises ValueError unless each name has a position.
    """
    heard = dict(zip(message.name, message.position, strict=True))
    names = [name for name in tree.position_names if np.isfinite(heard.get(name, np.nan))]
    q = dict(zip(tree.position_names, tree.home_configuration(), strict=True))
    q.update((name, heard[name]) for name in names)
    tree.configuration(list(q.values()))
    return {name: heard[name] for name in names}
