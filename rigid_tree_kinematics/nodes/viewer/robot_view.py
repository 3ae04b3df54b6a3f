"""One robot on the viewer's page, until another takes its place."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from nav_msgs.msg import OccupancyGrid
from rclpy.node import Node
from rclpy.qos import QoSProfile
from sensor_msgs.msg import PointCloud2
from visualization_msgs.msg import MarkerArray

from rigid_tree_kinematics.model import RigidBodyTree
from rigid_tree_kinematics.model.chains import longest_chain_end
from rigid_tree_kinematics.model.frames import parent_from_body
from rigid_tree_kinematics.model.transforms import matrix_quaternion
from rigid_tree_kinematics.nodes.common.process import below
from rigid_tree_kinematics.nodes.common.robot import LATCHED
from rigid_tree_kinematics.nodes.scene import with_arrays
from rigid_tree_kinematics.nodes.tf import FrameTable
from rigid_tree_kinematics.nodes.viewer.markers import MapLayer, MarkerLayer
from rigid_tree_kinematics.nodes.viewer.motion import UserMotion
from rigid_tree_kinematics.nodes.viewer.points import PointLayer
from rigid_tree_kinematics.nodes.viewer.postures import Postures
from rigid_tree_kinematics.viewer import (
    LAYERS,
    POINTS,
    Actions,
    BalanceView,
    MotionPanel,
    Position,
    Quaternion,
    RobotModel,
    RobotPanel,
    Target,
    text_of,
)

if TYPE_CHECKING:
    import viser

WORLD = "/world"  # node of the page that stands for the fixed frame
REPLANS = 5  # for one click, while things keep getting into the way
MOST_FRAMES = 1000  # of markers that are no bodies
APART = 1.0  # m, between robots that no transform puts in one world

# Lets the node's thread do what a thread of the page asks for.
Post = Callable[[Callable[[], None]], None]


@dataclass(frozen=True)
class Stand:
    """Where a robot stands: on the network and on the page."""

    node: Node  # whose subscriptions and clients are used
    server: viser.ViserServer  # of the page
    tab: viser.GuiTabHandle  # for its panel
    frames: FrameTable  # the transforms of everybody
    post: Post
    namespace: str  # may be empty
    prefix: str  # in front of its frames' names
    number: int  # among the robots


class RobotView:
    """The model, the panel and the motion of a robot; all methods belong to the node's thread.

    Args:
        stand: where it stands.
        tree: the robot.
        positions: returns where its joints are now, by name.
        postures: that it can be asked for.
        complain: is told what cannot be shown.
    """

    def __init__(
        self,
        stand: Stand,
        tree: RigidBodyTree,
        positions: Callable[[], Mapping[str, float]],
        postures: Postures,
        complain: Callable[[str], None],
    ) -> None:
        self._stand = stand
        self._complain = complain
        self.tree = tree
        post, server = stand.post, stand.server
        name = f"{WORLD}/{stand.number} {tree.name}"
        self.model = RobotModel(
            server, name, tree, complain, lambda body: post(lambda: self._pick(body))
        )
        self._positions = positions
        self._q = tree.home_configuration()
        self._played: Any = None  # a configuration that is shown instead of TF
        self._picked = ""
        self._balance = BalanceView(server, f"{WORLD}/{stand.number} balance", tree)
        self._shows_balance = False
        self._others: dict[str, Any] = {}  # frames of markers that are no bodies
        self.body = longest_chain_end(tree)
        self.motion = UserMotion(
            stand.node,
            stand.namespace,
            tree.compiled(),
            positions,
            lambda word: self.panel.tell(word),
        )
        base = self.model.paths[tree.base_name]
        self.target = Target(server, base, lambda: post(self._follow))
        actions = Actions(
            show_frames=lambda shown: post(lambda: self.model.show_frames(shown)),
            show_names=lambda shown: post(lambda: self.model.show_names(shown)),
            show_layer=lambda topic, shown: post(lambda: self._layers[topic].show(shown)),
            move_joint=lambda joint, value: post(lambda: self.motion.move({joint: value})),
            show_target=lambda shown: post(lambda: self._show_target(shown)),
            choose_body=lambda body: post(lambda: self._choose(body)),
            plan=lambda again: post(lambda: self._plan(again)),
            stop=lambda: post(self.motion.stop),
            take_posture=lambda name: post(lambda: postures.take(name)),
            show_balance=lambda shown: post(lambda: self._show_balance(shown)),
        )
        self.panel = RobotPanel(server, stand.tab, tree, self.body, actions)
        order = self.panel.order_of_more
        self.record = MotionPanel(server, stand.tab, tree.compiled(), post, order)
        self._layers: dict[str, MarkerLayer | PointLayer] = {}
        self._subscriptions = self._subscribe()

    def _subscribe(self) -> list[Any]:
        """Listen to markers and maps, now that there is something that they can hang on."""
        node, server, namespace = self._stand.node, self._stand.server, self._stand.namespace
        made = []
        for layer in LAYERS:
            name = layer.topic
            shown = MarkerLayer(server, name, self._node_of, self._complain)
            self._layers[name] = shown
            qos = LATCHED if layer.latched else QoSProfile(depth=5)
            topic = below(namespace, name)
            made.append(node.create_subscription(with_arrays(MarkerArray), topic, shown.take, qos))
        points = PointLayer(server, POINTS.topic, self._node_of, self._complain)
        self._layers[POINTS.topic] = points
        topic = below(namespace, POINTS.topic)
        made.append(node.create_subscription(PointCloud2, topic, points.take, LATCHED))
        name = "configuration_map"
        take = MapLayer(server, name, self._node_of, self._complain).take
        topic = below(namespace, name)
        made.append(node.create_subscription(OccupancyGrid, topic, take, LATCHED))
        return made

    def _node_of(self, frame: str) -> str:
        """Return the node of the page that a frame of somebody's marker has."""
        prefix = self._stand.prefix
        name = frame[len(prefix) :] if frame.startswith(prefix) else ""
        if name in self.model.paths:
            return self.model.paths[name]
        name = f"{WORLD}/{self._stand.number} frame {frame.replace('/', ' ')}"
        if frame not in self._others:
            if len(self._others) >= MOST_FRAMES:  # the oldest goes, with what hangs on it
                self._others.pop(next(iter(self._others))).remove()
            self._others[frame] = self._stand.server.scene.add_frame(name, show_axes=False)
        return name

    def remove(self) -> None:
        """Take everything off the page."""
        for subscription in self._subscriptions:
            self._stand.node.destroy_subscription(subscription)
        self.motion.destroy()
        self.panel.remove()
        self.record.remove()
        self._balance.hide()
        self.model.remove()
        for handle in self._others.values():
            handle.remove()

    def place(self, fixed_frame: str) -> None:
        """Put all bodies where TF has them, or where they were in what is played back."""
        self._read_positions()
        frames, prefix = self._stand.frames, self._stand.prefix
        self._played = self.record.look(time.monotonic(), self._q)
        with self._stand.server.atomic():
            if self._played is None:
                self._place_by_frames()
            else:
                self._place_at(self._played)
            for frame, handle in self._others.items():
                _put(handle, frames.pose(frame, fixed_frame))
            base = frames.pose(prefix + self.tree.base_name, fixed_frame)
            if base is None:  # in no common world: side by side
                base = np.eye(4)
                base[1, 3] = -APART * self._stand.number
            position, wxyz = _position_and_wxyz(base)
            self.model.place(self.tree.base_name, position, wxyz)
            if self._shows_balance:
                self._balance.show(self.shown_configuration, base)

    def _place_by_frames(self) -> None:
        frames, prefix = self._stand.frames, self._stand.prefix
        for body in self.tree.bodies:
            assert body.parent is not None
            placed = frames.frames.get(prefix + body.name)
            if placed is not None and placed.parent == prefix + body.parent.name:
                self.model.place(body.name, placed.position, placed.wxyz)

    def _place_at(self, q: Any) -> None:
        T, positions = np.eye(4), q.tolist()
        for row, body in zip(self.tree.compiled().rows[1:], self.tree.bodies, strict=True):
            T[:3] = np.reshape(parent_from_body(row, positions), (3, 4))
            self.model.place(body.name, *_position_and_wxyz(T))

    def _read_positions(self) -> None:
        """Take the joint positions that were heard; what was not stays where it was."""
        heard = self._positions()
        names = enumerate(self.tree.position_names)
        now = {slot: heard[name] for slot, name in names if name in heard}
        if any(self._q[slot] != value for slot, value in now.items()):
            self._q = self._q.copy()  # who keeps it keeps what it was
            self._q[list(now)] = list(now.values())

    @property
    def shown_configuration(self) -> Any:
        """The joint positions (nq,) that the page shows."""
        return self._q if self._played is None else self._played

    def press(self, key: str) -> None:
        """Do what a key of the page stands for."""
        actions = {
            "R": self.record.toggle_recording,
            "P": self.record.toggle_playing,
            "B": self.record.show_robot,
            "escape": self.motion.stop,
        }
        actions.get(key, lambda: self.panel.toggle(key))()

    # -- what a user looks at --------------------------------------------------------------------

    def _show_balance(self, shown: bool) -> None:
        self._shows_balance = shown
        if not shown:
            self._balance.hide()

    def _pick(self, body: str) -> None:
        """Choose a body, of which the panel tells; clicked again, none."""
        self._picked = "" if body == self._picked else body
        self.tell_picked()
        if self._picked in self.tree.body_names and not self.target.visible:
            self.panel.aim_at(self._picked)

    def tell_picked(self) -> None:
        """Say where the body is that a user has clicked."""
        if not self._picked:
            self.panel.tell_picked(())
            return
        body = self.tree.get_body(self._picked)
        q = self.shown_configuration
        x, y, z = self.tree.get_transform(q, body.name)[:3, 3]
        name, base = text_of(body.name), text_of(self.tree.base_name)
        words = [f"<b>{name}</b> at ({x:.3f}, {y:.3f}, {z:.3f}) m in <code>{base}</code>"]
        if body.parent is not None:
            joint = body.joint
            at = dict(zip(self.tree.position_names, q.tolist(), strict=True)).get(joint.name)
            where = "" if at is None else f" at {at:.3f}"
            name, parent = text_of(joint.name), text_of(body.parent.name)
            words.append(
                f"{joint.type} joint <code>{name}</code>{where}, on <code>{parent}</code>"
            )
        if body.inertia is not None:
            words.append(f"{body.inertia.mass:.3f} kg")
        self.panel.tell_picked(words)

    # -- the target ------------------------------------------------------------------------------

    def _pose_now(self) -> Any:
        frames, prefix = self._stand.frames, self._stand.prefix
        return frames.pose(prefix + self.body, prefix + self.tree.base_name)

    def _show_target(self, shown: bool) -> None:
        pose = self._pose_now()
        if pose is not None:
            self.target.pose = pose
        self.target.visible = shown

    def _choose(self, body: str) -> None:
        if body in self.tree.body_names:  # a client can send any name
            self.body = body
            self._show_target(self.target.visible)

    def _follow(self) -> None:
        self.motion.follow(self.body, self.target.pose, self._base_frame)

    def _plan(self, again: bool) -> None:
        if not self.target.visible:
            self.panel.tell("drag a target first: tick the box above")
            return
        replans = REPLANS if again else 0
        self.motion.plan(self.body, self.target.pose, self._base_frame, replans)

    @property
    def _base_frame(self) -> str:
        return str(self._stand.prefix + self.tree.base_name)


def _position_and_wxyz(T: Any) -> tuple[Position, Quaternion]:
    x, y, z, w = matrix_quaternion(T[:3, :3]).tolist()
    a, b, c = T[:3, 3].tolist()
    return (a, b, c), (w, x, y, z)


def _put(handle: Any, T: Any) -> None:
    if T is not None:
        handle.position, handle.wxyz = _position_and_wxyz(T)
