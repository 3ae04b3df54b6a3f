"""One robot of the viewer: its topics on one side, its model and its panel on the other."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from nav_msgs.msg import OccupancyGrid
from rclpy.node import Node
from rclpy.qos import QoSProfile, qos_profile_sensor_data
from sensor_msgs.msg import JointState
from std_msgs.msg import String
from visualization_msgs.msg import MarkerArray

from rigid_tree_kinematics.errors import RigidTreeError
from rigid_tree_kinematics.model.chains import longest_chain_end
from rigid_tree_kinematics.model.transforms import matrix_quaternion
from rigid_tree_kinematics.nodes.frame_table import FrameTable
from rigid_tree_kinematics.nodes.joint_state_reader import JointStateReader
from rigid_tree_kinematics.nodes.robot_source import DESCRIPTION_TOPIC, LATCHED, described_robot
from rigid_tree_kinematics.nodes.viewer_markers import MapLayer, MarkerLayer
from rigid_tree_kinematics.nodes.viewer_motion import UserMotion
from rigid_tree_kinematics.nodes.viewer_postures import Postures
from rigid_tree_kinematics.viewer.layers import LAYERS
from rigid_tree_kinematics.viewer.panel import Actions, RobotPanel
from rigid_tree_kinematics.viewer.robot_model import Position, Quaternion, RobotModel
from rigid_tree_kinematics.viewer.target import Target

if TYPE_CHECKING:
    import viser

WORLD = "/world"  # node of the page that stands for the fixed frame
STATUS_PERIOD = 1.0  # s
SLIDER_PERIOD = 0.1  # s
SILENT = 2.0  # s without joint states after which a robot counts as gone
APART = 1.0  # m, between robots that no transform puts in one world

# Lets the node's thread do what a thread of the page asks for.
Post = Callable[[Callable[[], None]], None]


class ViewerRobot:
    """What the page shows of one namespace; all methods belong to the node's thread.

    Args:
        node: whose subscriptions they are.
        server: of the page.
        tabs: where the panel goes.
        frames: the transforms of everybody.
        post: see above.
        namespace: of the robot; may be empty.
        prefix: in front of its frames' names.
        number: among the robots.
    """

    def __init__(
        self,
        node: Node,
        server: viser.ViserServer,
        tabs: viser.GuiTabGroupHandle,
        frames: FrameTable,
        post: Post,
        namespace: str,
        prefix: str,
        number: int,
    ) -> None:
        self._node = node
        self._server = server
        # At once: tabs stand in the order of the parameter, whoever comes first.
        self._tab = tabs.add_tab(namespace or "robot")
        self._frames = frames
        self._post = post
        self._namespace = namespace
        self._prefix = prefix
        self._number = number
        self._description = ""
        self._shown: _Shown | None = None
        self._reader = JointStateReader()
        self._state: bytes | None = None  # the last joint states, not yet read
        self._positions: dict[str, float] = {}
        self._heard = 0  # joint states since the last status
        self._last_heard = -SILENT
        self._frame_messages = 0
        self._next_status = self._next_sliders = self._last_status = 0.0
        topic = f"{namespace}/" if namespace else ""
        node.create_subscription(String, topic + DESCRIPTION_TOPIC, self._on_description, LATCHED)
        node.create_subscription(
            JointState, f"{topic}joint_states", self._on_state, qos_profile_sensor_data, raw=True
        )
        self._postures = Postures(node, namespace, self._tell)

    # -- topics ----------------------------------------------------------------------------------

    def _on_description(self, message: String) -> None:
        if message.data == self._description:
            return
        topic = f"{self._namespace}/{DESCRIPTION_TOPIC}"
        try:
            tree = described_robot(message.data, f"topic {topic}").tree
        except RigidTreeError as error:
            self._node.get_logger().error(f"refused the description: {error}")
            return
        self._description = message.data
        if self._shown is not None:
            self._shown.remove()
        with self._server.atomic():
            self._shown = _Shown(self, tree)
        self._node.get_logger().info(f"showing robot '{tree.name}' of topic {topic}")

    def _on_state(self, data: bytes) -> None:
        self._state = data
        self._heard += 1
        self._last_heard = time.monotonic()

    def _complain(self, word: str) -> None:
        self._node.get_logger().warning(word, throttle_duration_sec=5.0)

    def _tell(self, word: str) -> None:
        if self._shown is not None:
            self._shown.panel.tell(word)

    # -- regularly -------------------------------------------------------------------------------

    def look(self, fixed_frame: str) -> None:
        """Show what has changed since the last look."""
        self._read_state()
        if self._shown is None:
            return
        self._shown.place(self._frames, self._prefix, fixed_frame, APART * self._number)
        now = time.monotonic()
        prefix = self._prefix
        self._frame_messages += sum(
            count
            for frame, count in self._frames.counts.items()
            if frame.startswith(prefix) and frame[len(prefix) :] in self._shown.model.paths
        )
        if now >= self._next_sliders:
            self._next_sliders = now + SLIDER_PERIOD
            self._shown.panel.follow(self._positions)
        if now >= self._next_status:
            self._next_status = now + STATUS_PERIOD
            self._tell_status(now - self._last_status)
            self._last_status = now

    def _read_state(self) -> None:
        if self._state is None:
            return
        data, self._state = self._state, None
        try:
            reading = self._reader.read(data)
            self._positions.update(zip(reading.names, reading.positions.tolist(), strict=True))
        except Exception as error:  # no message may end the node
            self._complain(f"refused joint states: {error}")

    def _tell_status(self, seconds: float) -> None:
        assert self._shown is not None
        alive = time.monotonic() - self._last_heard < SILENT
        states, frames = self._heard / seconds, self._frame_messages / seconds
        self._heard = self._frame_messages = 0
        offered = self._shown.motion.client.offered
        followed = self._shown.motion.followed
        self._shown.panel.tell_status(
            {
                f"joint states {states:.0f} Hz": alive,
                f"frames {frames:.0f} Hz": frames > 0.0,
                "driver": followed,
                "inverse kinematics": offered["ik"],
                "planner": offered["planner"],
            }
        )
        self._shown.panel.allow_motion(followed)
        self._shown.panel.offer_postures(self._postures.names)


class _Shown:
    """The model, the panel and the motion of a robot, until another takes its place."""

    def __init__(self, robot: ViewerRobot, tree: Any) -> None:
        self._robot = robot
        self.tree = tree
        node, post = robot._node, robot._post
        label = robot._namespace or tree.name
        self.model = RobotModel(
            robot._server, f"{WORLD}/{robot._number} {label}", tree, robot._complain
        )
        self._others: dict[str, Any] = {}  # frames of markers that are no bodies
        self.body = longest_chain_end(tree)
        self.motion = UserMotion(
            node,
            robot._namespace,
            tree.compiled(),
            lambda: robot._positions,
            lambda word: self.panel.tell(word),
        )
        base = self.model.paths[tree.base_name]
        self.target = Target(robot._server, base, lambda: post(self._follow))
        actions = Actions(
            show_frames=lambda shown: post(lambda: self.model.show_frames(shown)),
            show_names=lambda shown: post(lambda: self.model.show_names(shown)),
            show_layer=lambda topic, shown: post(lambda: self._layers[topic].show(shown)),
            move_joint=lambda joint, value: post(lambda: self.motion.move({joint: value})),
            show_target=lambda shown: post(lambda: self._show_target(shown)),
            choose_body=lambda body: post(lambda: self._choose(body)),
            plan=lambda: post(self._plan),
            stop=lambda: post(self.motion.stop),
            take_posture=lambda name: post(lambda: robot._postures.take(name)),
        )
        self.panel = RobotPanel(robot._server, robot._tab, tree, self.body, actions)
        self._layers: dict[str, MarkerLayer] = {}
        self._subscriptions = self._subscribe(f"{robot._namespace}/" if robot._namespace else "")

    def _subscribe(self, topic: str) -> list[Any]:
        """Listen to markers and maps, now that there is something that they can hang on."""
        robot, node = self._robot, self._robot._node
        made = []
        for layer in LAYERS:
            name = layer.topic
            shown = MarkerLayer(robot._server, name, self._node_of, robot._complain)
            self._layers[name] = shown
            qos = LATCHED if layer.latched else QoSProfile(depth=5)
            made.append(node.create_subscription(MarkerArray, topic + name, shown.take, qos))
        name = "configuration_map"
        take = MapLayer(robot._server, name, self._node_of).take
        made.append(node.create_subscription(OccupancyGrid, topic + name, take, LATCHED))
        return made

    def _node_of(self, frame: str) -> str:
        """Return the node of the page that a frame of somebody's marker has."""
        prefix = self._robot._prefix
        name = frame[len(prefix) :] if frame.startswith(prefix) else ""
        if name in self.model.paths:
            return self.model.paths[name]
        name = f"{WORLD}/{self._robot._number} frame {frame.replace('/', ' ')}"
        if frame not in self._others:
            self._others[frame] = self._robot._server.scene.add_frame(name, show_axes=False)
        return name

    def remove(self) -> None:
        """Take everything off the page."""
        for subscription in self._subscriptions:
            self._robot._node.destroy_subscription(subscription)
        self.motion.destroy()
        self.panel.remove()
        self.model.remove()
        for handle in self._others.values():
            handle.remove()

    def place(self, frames: FrameTable, prefix: str, fixed_frame: str, aside: float) -> None:
        """Put all bodies where TF has them."""
        with self._robot._server.atomic():
            for body in self.tree.bodies:
                placed = frames.frames.get(prefix + body.name)
                if placed is not None and placed.parent == prefix + body.parent.name:
                    self.model.place(body.name, placed.position, placed.wxyz)
            for frame, handle in self._others.items():
                _put(handle, frames.pose(frame, fixed_frame))
            base = frames.pose(prefix + self.tree.base_name, fixed_frame)
            if base is None:  # in no common world: side by side
                base = np.eye(4)
                base[1, 3] = -aside
            position, wxyz = _position_and_wxyz(base)
            self.model.place(self.tree.base_name, position, wxyz)

    # -- the target ------------------------------------------------------------------------------

    def _pose_now(self) -> Any:
        frames, prefix = self._robot._frames, self._robot._prefix
        return frames.pose(prefix + self.body, prefix + self.tree.base_name)

    def _show_target(self, shown: bool) -> None:
        pose = self._pose_now()
        if pose is not None:
            self.target.pose = pose
        self.target.visible = shown

    def _choose(self, body: str) -> None:
        self.body = body
        self._show_target(self.target.visible)

    def _follow(self) -> None:
        self.motion.follow(self.body, self.target.pose, self._base_frame)

    def _plan(self) -> None:
        if not self.target.visible:
            self.panel.tell("drag a target first: tick the box above")
            return
        self.motion.plan(self.body, self.target.pose, self._base_frame)

    @property
    def _base_frame(self) -> str:
        return str(self._robot._prefix + self.tree.base_name)


def _position_and_wxyz(T: Any) -> tuple[Position, Quaternion]:
    x, y, z, w = matrix_quaternion(T[:3, :3]).tolist()
    a, b, c = T[:3, 3].tolist()
    return (a, b, c), (w, x, y, z)


def _put(handle: Any, T: Any) -> None:
    if T is not None:
        handle.position, handle.wxyz = _position_and_wxyz(T)
