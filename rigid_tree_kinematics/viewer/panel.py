"""The panel of one robot: display options, joint sliders, target, postures and status."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from rigid_tree_kinematics.model import CompiledTree, RigidBodyTree
from rigid_tree_kinematics.model.joints import CIRCLE
from rigid_tree_kinematics.viewer.text import block, text_of

if TYPE_CHECKING:
    import viser


UNLIMITED_TURN, UNLIMITED_LENGTH = np.pi, 1.0  # range of sliders of joints without limits
HELD = 1.0  # s that a slider does not follow the robot after a user has moved it
STEPS = 1000  # of a slider
ON, OFF = "#2f9e44", "#ced4da"  # lights


@dataclass(frozen=True)
class Layer:
    """A topic of markers or points; ``latched`` if new subscribers get its last message."""

    topic: str
    label: str
    latched: bool


LAYERS = (
    Layer("scene_markers", "Obstacles", True),
    Layer("planning_tree", "Planning tree", False),
    Layer("planned_path", "Planned path", True),
    Layer("trace", "Trace", False),
    Layer("reachability", "Reachability", True),
)
POINTS = Layer("seen_points", "Seen points", True)


@dataclass(frozen=True)
class Actions:
    """The panel's commands, called in threads of the page."""

    show_frames: Callable[[bool], None]
    show_names: Callable[[bool], None]
    show_layer: Callable[[str, bool], None]
    move_joint: Callable[[str, float], None]
    show_target: Callable[[bool], None]
    choose_body: Callable[[str], None]
    plan: Callable[[bool], None]  # whether to plan again if the path is blocked
    stop: Callable[[], None]
    take_posture: Callable[[str], None]
    show_balance: Callable[[bool], None]


class RobotPanel:
    """The widgets of one robot in its tab."""

    def __init__(
        self,
        server: viser.ViserServer,
        tab: viser.GuiTabHandle,
        tree: RigidBodyTree,
        tip: str,
        actions: Actions,
    ) -> None:
        gui = server.gui
        self._gui = gui
        self._actions = actions
        self._compiled = tree.compiled()
        self._moved: dict[str, float] = {}  # time of a user's last motion of a slider, by joint
        self._sliders: dict[str, tuple[Any, bool]] = {}  # and whether the joint is circular
        self._posture_buttons: Any = None
        with tab:
            self._status = gui.add_html("")
            self._picked = gui.add_html("", visible=False)
            shown = gui.add_folder("Show", expand_by_default=False)
            joints, target = gui.add_folder("Joints"), gui.add_folder("Target")
            self._postures = gui.add_folder("Postures", visible=False)
        with shown:
            self._add_toggles(gui, bool(self._compiled.mass.sum() > 0.0))
        with joints:
            self._add_sliders(gui)
        with target:
            self._add_target(gui, tree, tip)
        # Position of further folders: above the joints, which can be many.
        self.order_of_more = 0.5 * (shown.order + joints.order)
        self._parts = (self._status, self._picked, shown, joints, target, self._postures)

    def remove(self) -> None:
        """Remove the panel from the page."""
        for part in self._parts:
            part.remove()

    def _add_toggles(self, gui: viser.GuiApi, has_mass: bool) -> None:
        frames = gui.add_checkbox("Frames", False, hint="Axes of all bodies (x red, y green)")
        names = gui.add_checkbox("Names", False, hint="Names of the bodies")
        frames.on_update(lambda _: self._actions.show_frames(frames.value))
        names.on_update(lambda _: self._actions.show_names(names.value))
        hint = "With contacts and support polygon; red: outside the polygon, the robot falls"
        balance = gui.add_checkbox("Centre of mass", False, disabled=not has_mass, hint=hint)
        balance.on_update(lambda _: self._actions.show_balance(balance.value))
        self._toggles: dict[str, Any] = {"F": frames, "N": names, "C": balance}
        for layer in (*LAYERS, POINTS):
            self._add_layer_toggle(gui, layer.topic, layer.label)

    def _add_layer_toggle(self, gui: viser.GuiApi, topic: str, label: str) -> None:
        toggle = gui.add_checkbox(label, True)
        toggle.on_update(lambda _: self._actions.show_layer(topic, toggle.value))

    def _add_sliders(self, gui: viser.GuiApi) -> None:
        compiled = self._compiled
        self._hint = gui.add_html(
            block("<em>No node subscribes to <code>joint_trajectory</code>.</em>")
        )
        for slot, name in enumerate(compiled.position_names):
            if compiled.is_scalar[slot]:
                low, high = slider_range(compiled, slot)
                home = float(np.clip(compiled.home[slot], low, high))
                step = (high - low) / STEPS
                slider = gui.add_slider(name, low, high, step, home, disabled=True)
                slider.on_update(self._on_slider(name, slider))
                self._sliders[name] = slider, compiled.position_kinds[slot] == CIRCLE

    def _on_slider(self, name: str, slider: Any) -> Callable[[Any], None]:
        def moved(event: Any) -> None:
            value = float(slider.value)
            # Only by a user, not by ``follow``; a client can send any number.
            if event.client is not None and math.isfinite(value):
                self._moved[name] = time.monotonic()
                self._actions.move_joint(name, float(np.clip(value, slider.min, slider.max)))

        return moved

    def _add_target(self, gui: viser.GuiApi, tree: RigidBodyTree, tip: str) -> None:
        shown = gui.add_checkbox("Drag a target", False, hint="The robot follows the target")
        bodies = tree.body_names or (tree.base_name,)  # a robot may be its base only
        body: Any = gui.add_dropdown("Body", bodies, initial_value=tip)
        self._body = body
        plan = gui.add_button("Plan and execute", hint="To the target, around obstacles")
        again = gui.add_checkbox(
            "Plan again", False, hint="From where it has stopped, if the path is blocked"
        )
        stop = gui.add_button("Stop", color="red")
        self._message = gui.add_html("")
        shown.on_update(lambda _: self._actions.show_target(shown.value))
        body.on_update(lambda _: self._actions.choose_body(body.value))
        plan.on_click(lambda _: self._actions.plan(again.value))
        stop.on_click(lambda _: self._actions.stop())

    # -- called by the node ----------------------------------------------------------------------

    def follow(self, positions: Mapping[str, float]) -> None:
        """Set the sliders to the joints' positions, except those that a user moves."""
        now = time.monotonic()
        for name, (slider, circular) in self._sliders.items():
            if name in positions and now - self._moved.get(name, -HELD) >= HELD:
                at = positions[name]
                if circular:  # within one turn
                    at = math.remainder(at, 2.0 * math.pi)
                slider.value = float(np.clip(at, slider.min, slider.max))

    def enable_motion(self, allowed: bool) -> None:
        """Enable the sliders if a node follows their commands."""
        self._hint.visible = not allowed
        for slider, _ in self._sliders.values():
            if slider.disabled == allowed:
                slider.disabled = not allowed

    def show_status(self, parts: Mapping[str, bool]) -> None:
        """Show a light, on or off, for each part of the robot."""
        lights = (
            f'<span style="white-space: nowrap; margin-right: 0.8em">'
            f'<span style="color: {ON if on else OFF}">●</span> {text_of(name)}</span> '
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

    def select_body(self, body: str) -> None:
        """Select the target's body."""
        self._body.value = body

    def show_message(self, text: str) -> None:
        """Show a message about the last motion."""
        self._message.content = block(text_of(text))

    def show_postures(self, names: Sequence[str]) -> None:
        """Show a button for each posture; hide them without postures."""
        self._postures.visible = bool(names)
        if names and self._posture_buttons is None:
            with self._postures:
                self._posture_buttons = self._gui.add_button_group("Go to", names)
            self._posture_buttons.on_click(
                lambda event: self._actions.take_posture(event.target.value)
            )


def slider_range(compiled: CompiledTree, slot: int) -> tuple[float, float]:
    """Return the range of a position's slider (rad or m)."""
    reach = UNLIMITED_TURN if compiled.is_angle[slot] else UNLIMITED_LENGTH
    low, high = float(compiled.lower[slot]), float(compiled.upper[slot])
    return (low if np.isfinite(low) else -reach), (high if np.isfinite(high) else reach)
