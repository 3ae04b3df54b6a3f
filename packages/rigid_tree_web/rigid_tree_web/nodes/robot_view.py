"""The view of one robot: model, panel, target, layers and playback."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np
from nav_msgs.msg import OccupancyGrid
from rclpy.qos import QoSProfile
from sensor_msgs.msg import PointCloud2
from visualization_msgs.msg import MarkerArray

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.description.srdf import Semantics
from rigid_tree_kinematics.kinematics import body_transforms
from rigid_tree_kinematics.model import RigidBodyTree
from rigid_tree_kinematics.model.transforms import matrix_quaternion
from rigid_tree_kinematics.nodes.base import LATCHED
from rigid_tree_kinematics.nodes.motion import MotionClient, UserMotion
from rigid_tree_kinematics.text import html_line
from rigid_tree_web import drawn, panels
from rigid_tree_web.nodes.goal import GoalView
from rigid_tree_web.nodes.layers import Layer, MapLayer, MarkerLayer, PointLayer
from rigid_tree_web.nodes.obstacles import ObstacleEditor
from rigid_tree_web.nodes.postures import Postures
from rigid_tree_web.nodes.slot import WORLD, RobotSlot

if TYPE_CHECKING:
    import viser

MAP, OBSTACLES = "configuration_map", "scene_markers"
IN_VIEW = (OBSTACLES, MAP)  # layers that the first view shows
MOST_FRAMES = 1000  # of markers, other than bodies
SPACING = 1.0  # m, between robots without a common frame


class RobotView:
    """The model, panel and motion of a robot; all methods are called in the node's thread."""

    def __init__(
        self,
        slot: RobotSlot,
        tree: RigidBodyTree,
        positions: Callable[[], Mapping[str, float]],
        measured: Callable[[], float],
        postures: Postures,
        warn: Callable[[str], None],
    ) -> None:
        self._slot = slot
        self._warn = warn
        self.tree = tree
        post, server = slot.post, slot.server
        name = f"{WORLD}/{slot.number} robot {tree.name.replace('/', ' ')}"
        self.model = drawn.DrawnRobot(
            server, name, tree, warn, lambda body: post(lambda: self._pick(body))
        )
        self._positions, self._measured = positions, measured
        self._semantics = Semantics({})
        self._q = tree.home_configuration()
        self._played: Array | None = None  # configuration shown instead of TF's
        self._picked = ""
        self._balance = drawn.BalanceView(server, f"{WORLD}/{slot.number} balance", tree)
        self._shows_balance = False
        self._others: dict[str, viser.FrameHandle] = {}  # other frames of markers
        self._T_world_base: Array | None = None  # unknown
        self.motion = UserMotion(
            slot.node,
            slot.namespace,
            tree.compiled(),
            positions,
            lambda message, kind: self.panel.show_message(message, panels.MessageKind(kind)),
            self._client(),
        )
        base = self.model.paths[tree.base_name]
        self.goal = GoalView(
            slot,
            tree,
            base,
            self.motion,
            lambda: self._q,
            lambda names: self._obstacles.mark(names),
        )

        def end() -> Array:
            return tree.get_transform(self._q, self.goal.body)[:3, 3]

        self.obstacles = ObstacleEditor(slot, tree, base, self.motion, end)
        self._add_panels(postures)
        self._layers: dict[str, Layer] = {}
        self._subscriptions = self._subscribe()

    def _add_panels(self, postures: Postures) -> None:
        """Add the robot's tab, and connect its parts of the scene."""
        slot = self._slot
        actions = self._actions(postures).posted(slot.post)
        self.panel = panels.RobotPanel(slot.server, slot.tab, self.tree, self.goal.body, actions)
        if missing := self.model.not_drawn:
            message = f"shapes not drawn: {len(missing)}; the first: {missing[0]}"
            self.panel.show_message(message, panels.MessageKind.FAILURE)
        self.goal.set_panel(self.panel.target)
        self.obstacles.panel = self.panel.obstacles
        compiled, order = self.tree.compiled(), self.panel.order_of_more
        self.record = panels.MotionPanel(
            slot.server, slot.tab, compiled, slot.post, order, self.panel.show_message
        )

    def _client(self) -> MotionClient:
        """Return a client of the planner; of move_group too if MoveIt's messages are installed."""
        slot = self._slot
        if find_spec("moveit_msgs") is None:
            return MotionClient(slot.node, slot.namespace)
        from rigid_tree_web.nodes.moveit import MoveGroupClient

        return MoveGroupClient(
            slot.node,
            slot.namespace,
            self.tree,
            slot.prefix + self.tree.base_name,
            self._positions,
            semantics=lambda: self._semantics,
            kept=lambda: self.panel.target.options.kept,
        )

    def _actions(self, postures: Postures) -> panels.Actions:
        return panels.Actions(
            show_frames=self.model.show_frames,
            show_names=self.model.show_names,
            show_balance=self._show_balance,
            show_layer=lambda topic, shown: self._layers[topic].show(shown),
            move_joints=self.goal.move_joints,
            go_to=self.goal.go_to,
            stop=self.goal.stop,
            take_posture=postures.request,
            follow=self.goal.follow,
            show_ghost=self.goal.show_ghost,
            choose_body=self.goal.choose_body,
            constrain=self.goal.constrain,
            set_pose=self.goal.set_pose,
            choose_goal=self.goal.choose_goal,
            change_options=self.goal.plans.clear,
            plan=self.goal.plans.plan,
            execute=self.goal.plans.execute,
            scrub=self.goal.plans.scrub,
            play=self.goal.plans.play,
            add_obstacle=self.obstacles.add,
            choose_obstacle=self.obstacles.choose,
            resize_obstacle=self.obstacles.resize,
            place_obstacle=self.obstacles.place,
            remove_obstacle=self.obstacles.remove,
            attach_obstacle=self.obstacles.attach,
            detach_obstacle=self.obstacles.detach,
            save_scene=self.obstacles.save,
            load_scene=self.obstacles.load,
        )

    def _subscribe(self) -> list[Any]:
        """Subscribe to markers, points and the map."""
        slot = self._slot
        topics: list[tuple[str, type[Layer], Any, bool]] = []
        for each in panels.LAYERS:
            topics.append((each.topic, MarkerLayer, MarkerArray, each.latched))
        topics.append((panels.POINTS.topic, PointLayer, PointCloud2, panels.POINTS.latched))
        topics.append((MAP, MapLayer, OccupancyGrid, True))
        hidden = {each.topic for each in panels.LAYERS if not each.shown}
        subscriptions = []
        for name, layer_type, message_type, latched in topics:
            layer: Any = layer_type(slot.server, name, self._node_of, self._warn)
            if name == OBSTACLES:
                layer.on_click = lambda name: slot.post(lambda: self.obstacles.choose(name))
            self._layers[name] = layer
            layer.show(name not in hidden)
            qos = QoSProfile(depth=5)  # several nodes may publish markers
            if latched:
                qos.durability = LATCHED.durability
            topic = slot.topic(name)
            receive = self._receive_scene if name == OBSTACLES else layer.receive
            subscriptions.append(slot.node.create_subscription(message_type, topic, receive, qos))
        return subscriptions

    @property
    def _obstacles(self) -> MarkerLayer:
        layer = self._layers[OBSTACLES]
        assert isinstance(layer, MarkerLayer)
        return layer

    def _receive_scene(self, message: MarkerArray) -> None:
        self._obstacles.receive(message)
        self.goal.check_again()

    def _node_of(self, frame: str) -> str:
        """Return the page's node of a marker's frame."""
        prefix = self._slot.prefix
        name = frame[len(prefix) :] if frame.startswith(prefix) else ""
        if name in self.model.paths:
            return self.model.paths[name]
        name = f"{WORLD}/{self._slot.number} frame {frame.replace('/', ' ')}"
        if frame not in self._others:
            if len(self._others) >= MOST_FRAMES:  # remove the oldest with its content
                self._others.pop(next(iter(self._others))).remove()
            self._others[frame] = self._slot.server.scene.add_frame(name, show_axes=False)
        return name

    def show_semantics(self, semantics: Semantics) -> None:
        """Show the groups and states of an SRDF."""
        self._semantics = semantics
        self.goal.use(semantics)
        self.panel.show_semantics(semantics)

    def remove(self) -> None:
        """Remove everything from the page."""
        for subscription in self._subscriptions:
            self._slot.node.destroy_subscription(subscription)
        self.motion.destroy()
        self.panel.remove()
        self.record.remove()
        self.goal.remove()
        self.obstacles.close()
        self._balance.hide()
        self.model.remove()
        for handle in self._others.values():
            handle.remove()

    def place(self, fixed_frame: str) -> None:
        """Set all bodies' poses, from TF or from the playback."""
        self._read_positions()
        frames, prefix = self._slot.frames, self._slot.prefix
        now = time.monotonic()
        self._played = self.record.update(now, self._measured(), self._q)
        self.goal.update(now)
        with self._slot.server.atomic():
            if self._played is None:
                self._place_by_frames()
            else:
                self.model.show(self._played)
            for frame, handle in self._others.items():
                _put(handle, frames.pose(frame, fixed_frame))
            base = frames.pose(prefix + self.tree.base_name, fixed_frame)
            self._T_world_base = base
            if base is None:  # no common frame: side by side
                base = self._side
            position, wxyz = _position_and_wxyz(base)
            self.model.place(self.tree.base_name, position, wxyz)
            if self._shows_balance:
                self._balance.show(self.shown_configuration, base)

    @property
    def _side(self) -> Array:
        """The base's pose (4x4) without a common frame of the robots."""
        T = np.eye(4)
        T[1, 3] = -SPACING * self._slot.number
        return T

    @property
    def position(self) -> Array | None:
        """The base's position (3,) in the fixed frame, None if TF has no transform."""
        return None if self._T_world_base is None else self._T_world_base[:3, 3]

    @property
    def content(self) -> tuple[str, ...]:
        """The drawn content that views fit; it changes when content is added."""
        filled = [name for name in IN_VIEW if self._layers[name].has_content]
        known = self._T_world_base is not None, bool(self._positions())
        return (str(id(self.tree)), str(known), *filled)

    def corners(self, fixed_frame: str) -> Array:
        """Return corners (n, 3) of boxes around the robot, its obstacles and its map."""
        frames, base = self._slot.frames, self._T_world_base
        base = self._side if base is None else base

        def pose(frame: str) -> Array:
            T = frames.pose(frame, fixed_frame)
            return base if T is None else T

        bodies = base @ body_transforms(self.tree, self.shown_configuration)
        layers = (self._layers[name].corners(pose) for name in IN_VIEW)
        return np.concatenate((self.model.corners(bodies), *layers))

    def _place_by_frames(self) -> None:
        frames, prefix = self._slot.frames, self._slot.prefix
        for body in self.tree.bodies:
            assert body.parent is not None
            placed = frames.frames.get(prefix + body.name)
            if placed is not None and placed.parent == prefix + body.parent.name:
                self.model.place(body.name, placed.position, placed.wxyz)

    def _read_positions(self) -> None:
        """Update the configuration with the received joint positions."""
        received = self._positions()
        names = enumerate(self.tree.position_names)
        now = {slot: received[name] for slot, name in names if name in received}
        if any(self._q[slot] != value for slot, value in now.items()):
            self._q = self._q.copy()  # recordings keep the old one
            self._q[list(now)] = list(now.values())

    @property
    def shown_configuration(self) -> Array:
        """The displayed joint positions (nq,)."""
        return self._q if self._played is None else self._played

    def press(self, key: str) -> None:
        """Perform the action of a key."""
        actions = {
            "R": self.record.toggle_recording,
            "P": self.record.toggle_playing,
            "B": self.record.show_robot,
            "escape": self.goal.stop,
        }
        actions.get(key, lambda: self.panel.toggle(key))()

    # -- balance and selection -------------------------------------------------------------------

    def _show_balance(self, shown: bool) -> None:
        self._shows_balance = shown
        if not shown:
            self._balance.hide()

    def _pick(self, body: str) -> None:
        """Select a body; deselect it if it was selected."""
        self._picked = "" if body == self._picked else body
        self.show_picked()

    def show_picked(self) -> None:
        """Show the pose, joint and mass of the selected body."""
        if not self._picked:
            self.panel.show_picked(())
            return
        body = self.tree.get_body(self._picked)
        q = self.shown_configuration
        x, y, z = self.tree.get_transform(q, body.name)[:3, 3]
        name, base = html_line(body.name), html_line(self.tree.base_name)
        lines = [f"<b>{name}</b> at ({x:.3f}, {y:.3f}, {z:.3f}) m in <code>{base}</code>"]
        if body.parent is not None:
            joint = body.joint
            at = dict(zip(self.tree.position_names, q.tolist(), strict=True)).get(joint.name)
            where = "" if at is None else f" at {at:.3f}"
            name, parent = html_line(joint.name), html_line(body.parent.name)
            lines.append(
                f"{joint.type} joint <code>{name}</code>{where}, on <code>{parent}</code>"
            )
        if body.inertia is not None:
            lines.append(f"{body.inertia.mass:.3f} kg")
        self.panel.show_picked(lines)


def _position_and_wxyz(T: Array) -> tuple[drawn.Position, drawn.Quaternion]:
    x, y, z, w = matrix_quaternion(T[:3, :3]).tolist()
    a, b, c = T[:3, 3].tolist()
    return (a, b, c), (w, x, y, z)


def _put(handle: viser.FrameHandle, T: Array | None) -> None:
    if T is not None:
        handle.position, handle.wxyz = _position_and_wxyz(T)
