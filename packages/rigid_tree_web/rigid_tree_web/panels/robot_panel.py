"""The panel of one robot: display options, joint sliders, target, postures and status."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any

from rigid_tree_kinematics.description.srdf import Semantics
from rigid_tree_kinematics.model import RigidBodyTree
from rigid_tree_kinematics.text import html_line, plain
from rigid_tree_web import web
from rigid_tree_web.panels.actions import Actions
from rigid_tree_web.panels.joints_panel import JointsPanel
from rigid_tree_web.panels.markup import block
from rigid_tree_web.panels.obstacles_panel import ObstaclesPanel
from rigid_tree_web.panels.target_panel import TargetPanel

if TYPE_CHECKING:
    import viser


ON, OFF = "#2f9e44", "#ced4da"  # lights
NOTICE_TIME = 8.0  # s during which a message covers a part of the scene


class MessageKind(Enum):
    """Where a message is shown: notes only in the panel, others also above the scene."""

    NOTE = "note"
    RESULT = "result"
    FAILURE = "failure"


@dataclass(frozen=True)
class LayerTopic:
    """A topic of markers or points; ``latched`` if new subscribers get its last message."""

    topic: str
    label: str
    latched: bool
    shown: bool = True  # at first


LAYERS = (
    LayerTopic("scene_markers", "Obstacles", True),
    LayerTopic("planning_tree", "Planning tree", False, shown=False),
    LayerTopic("planned_path", "Planned path", True),
    LayerTopic("trace", "Trace", False),
    LayerTopic("reachability", "Reachability", True),
)
POINTS = LayerTopic("seen_points", "Seen points", True)


class RobotPanel:
    """The widgets of one robot in its tab; ``actions`` are called in threads of the page."""

    def __init__(
        self,
        server: viser.ViserServer,
        tab: viser.GuiTabHandle,
        tree: RigidBodyTree,
        tip: str,
        actions: Actions,
    ) -> None:
        gui = server.gui
        self._server, self._gui = server, gui
        self._name = tree.name
        self._notices: list[viser.NotificationHandle] = []  # one for each user
        self._noticed = 0.0  # when, s
        self._actions = actions
        self._posture_buttons: list[Any] = []
        has_mass = bool(tree.compiled().mass.sum() > 0.0)
        with tab:
            self._status = gui.add_html("")
            self._picked = gui.add_html("", visible=False)
            self._stop = gui.add_button("Stop", color=web.STOP, visible=False, hint="Key Escape")
            self._message = gui.add_html("")
            self._postures = gui.add_folder("Postures", visible=False)
            self.target = TargetPanel(gui, tree, tip, actions)
            self.obstacles = ObstaclesPanel(gui, tree.body_names, actions)
            shown = gui.add_folder("Show", expand_by_default=False)
            self._joints = JointsPanel(server, tree, actions.move_joints, actions.go_to)
        self._stop.on_click(lambda _: actions.stop())
        with shown:
            self._add_toggles(gui, has_mass)
        joints = self._joints.folder
        # Position of further folders: above the joints, which can be many.
        self.order_of_more = 0.5 * (shown.order + joints.order)
        more = (self.obstacles.folder, shown, joints)
        first = (self._status, self._picked, self._stop, self._message)
        self._parts = (*first, self._postures, *self.target.folders, *more)

    def remove(self) -> None:
        """Remove the panel from the page."""
        for part in self._parts:
            part.remove()
        self._remove_notices()

    def _add_toggles(self, gui: viser.GuiApi, has_mass: bool) -> None:
        frames = gui.add_checkbox("Frames", False, hint="Axes of all bodies (x red, y green)")
        names = gui.add_checkbox("Names", False, hint="Names of the bodies")
        frames.on_update(lambda _: self._actions.show_frames(frames.value))
        names.on_update(lambda _: self._actions.show_names(names.value))
        hint = "With contacts and support polygon; red: outside the polygon, the robot falls"
        balance = gui.add_checkbox("Center of mass", False, disabled=not has_mass, hint=hint)
        balance.on_update(lambda _: self._actions.show_balance(balance.value))
        self._toggles: dict[str, Any] = {"F": frames, "N": names, "C": balance}
        for layer in (*LAYERS, POINTS):
            self._add_layer_toggle(gui, layer)

    def _add_layer_toggle(self, gui: viser.GuiApi, layer: LayerTopic) -> None:
        toggle = gui.add_checkbox(layer.label, layer.shown)
        toggle.on_update(lambda _: self._actions.show_layer(layer.topic, toggle.value))

    # -- called by the node ----------------------------------------------------------------------

    def follow(self, positions: Mapping[str, float]) -> None:
        """Set the sliders to the joints' positions, except those that a user moves."""
        self._joints.follow(positions)
        if time.monotonic() > self._noticed + NOTICE_TIME:
            self._remove_notices()

    def show_controls(self, driver: bool, available: Mapping[str, bool]) -> None:
        """Show the controls that work with a driver and these servers, and hide the others."""
        self._joints.enable(driver)
        self._stop.visible = driver
        constraints = available.get("constraints", False)
        self.target.show_controls(available["ik"], available["planner"], constraints)
        self.obstacles.folder.visible = available["planner"]

    def show_semantics(self, semantics: Semantics) -> None:
        """Show the groups and states of an SRDF."""
        self.target.show_states(semantics.states)
        self._joints.show_semantics(semantics)

    def show_status(self, parts: Mapping[str, bool]) -> None:
        """Show a light, on or off, for each part of the robot."""
        lights = (
            f'<span style="white-space: nowrap; margin-right: 0.8em">'
            f'<span style="color: {ON if on else OFF}">●</span> {html_line(name)}</span> '
            for name, on in parts.items()
        )
        self._status.content = block("".join(lights))

    def toggle(self, key: str) -> None:
        """Toggle the option of a key."""
        toggle = self._toggles[key]
        if not toggle.disabled:
            toggle.value = not toggle.value

    def show_picked(self, lines: Sequence[str]) -> None:
        """Show lines of HTML about the selected body; none: hide them."""
        self._picked.content, self._picked.visible = block("<br>".join(lines)), bool(lines)

    def show_message(self, text: str, kind: MessageKind = MessageKind.RESULT) -> None:
        """Show a message in the panel and, unless it is a note, for a while above the scene."""
        self._message.content = block(html_line(text))
        if kind is MessageKind.NOTE:
            return
        self._remove_notices()
        title, body = plain(self._name), plain(text)
        color: Any = "red" if kind is MessageKind.FAILURE else None
        clients = self._server.get_clients().values()
        self._notices = [user.add_notification(title, body, color=color) for user in clients]
        self._noticed = time.monotonic()

    def _remove_notices(self) -> None:
        for notice in self._notices:
            notice.remove()
        self._notices.clear()

    def show_postures(self, groups: Mapping[str, Sequence[str]]) -> None:
        """Show groups of buttons that request postures; hide them without any."""
        self._postures.visible = bool(groups)
        if not groups or self._posture_buttons:
            return
        with self._postures:
            for label, names in groups.items():
                buttons = self._gui.add_button_group(label, names)
                buttons.on_click(lambda event: self._actions.take_posture(event.target.value))
                self._posture_buttons.append(buttons)
