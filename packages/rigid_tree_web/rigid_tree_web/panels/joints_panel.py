"""The sliders of a robot's joints."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from rigid_tree_kinematics.description.srdf import Semantics
from rigid_tree_kinematics.model import CompiledTree, RigidBodyTree
from rigid_tree_kinematics.model.joints import CIRCLE
from rigid_tree_web.panels.markup import block

if TYPE_CHECKING:
    import viser


UNLIMITED_TURN, UNLIMITED_LENGTH = np.pi, 1.0  # range of sliders of joints without limits
HELD = 1.0  # s during which a slider does not follow the robot after a user has moved it
MOST_OPEN = 12  # joints; the sliders of more are folded
RADIANS, DEGREES = "rad", "deg"
HOME, RANDOM = "Home", "Random"
ALL = "all joints"
DIGITS = {RADIANS: 3, DEGREES: 1}  # of a slider's number
LENGTH_DIGITS = 4  # of a position in m


@dataclass
class _Slider:
    """A slider and its position's place in a configuration."""

    handle: Any
    slot: int
    shown: float  # the value that was set last, here or by a user whose command is sent
    moved: float = -HELD  # when a user has moved it

    def show(self, value: float) -> None:
        self.shown = self.handle.value = value

    def is_used(self, now: float) -> bool:
        """Return whether a user moves it; viser reports that only some time after its value."""
        value = float(self.handle.value)
        return now - self.moved < HELD or (value != self.shown and math.isfinite(value))


class JointsPanel:
    """A folder with a slider for each scalar position, in radians or degrees.

    ``move`` is called with positions by name (rad, m) that a user has set, in a thread of the
    page; ``go_to`` with the name of a state.
    """

    def __init__(
        self,
        server: viser.ViserServer,
        tree: RigidBodyTree,
        move: Callable[[Mapping[str, float]], None],
        go_to: Callable[[str], None],
    ) -> None:
        self._server, self._move = server, move
        self._compiled = compiled = tree.compiled()
        self._unit = RADIANS
        self._lock = threading.Lock()  # no value in the old unit after the unit has changed
        self._semantics = Semantics({})
        slots = np.flatnonzero(compiled.is_scalar).tolist()
        gui = server.gui
        self.folder = gui.add_folder("Joints", expand_by_default=len(slots) <= MOST_OPEN)
        with self.folder:
            self._hint = gui.add_html(
                block("<em>No node subscribes to <code>joint_trajectory</code>.</em>")
            )
            hint = "Around obstacles with a planner; else straight, at half the velocity limits"
            self._go = gui.add_button_group("Go to", (HOME, RANDOM), visible=False, hint=hint)
            self._go.on_click(lambda event: go_to(event.target.value))
            self._group: Any = gui.add_dropdown("Group", (ALL,), visible=False)
            self._group.on_update(lambda _: self._show_group(self._group.value))
            if compiled.is_angle[slots].any():
                unit: Any = gui.add_dropdown("Angles", (RADIANS, DEGREES))
                unit.on_update(lambda _: self._set_unit(unit.value))
            self._sliders = {
                compiled.position_names[slot]: self._add_slider(gui, slot) for slot in slots
            }

    def _add_slider(self, gui: viser.GuiApi, slot: int) -> _Slider:
        name = self._compiled.position_names[slot]
        low, high, step = self._range(slot)
        at = self._shown(slot, float(self._compiled.home[slot]))
        handle = gui.add_slider(name, low, high, step, at, disabled=True)
        slider = _Slider(handle, slot, at)
        handle.on_update(lambda event: self._moved(name, slider, event.client is not None))
        return slider

    def show_semantics(self, semantics: Semantics) -> None:
        """Show the groups and states of an SRDF."""
        self._semantics = semantics
        self._go.options = tuple(dict.fromkeys((HOME, RANDOM, *semantics.states)))
        # A list with duplicates would empty the page.
        self._group.options = tuple(dict.fromkeys((ALL, *semantics.groups)))
        self._group.visible = True

    def _show_group(self, name: str) -> None:
        """Show the sliders of a group's joints; all for other names."""
        group = self._semantics.groups.get(name)
        for joint, slider in self._sliders.items():
            slider.handle.visible = group is None or joint in group.joints

    def _moved(self, name: str, slider: _Slider, by_user: bool) -> None:
        value = float(slider.handle.value)
        # Only by a user, not by ``follow``; a client can send any number.
        if by_user and math.isfinite(value):
            slider.shown, slider.moved = value, time.monotonic()
            low, high = position_range(self._compiled, slider.slot)
            self._move({name: float(np.clip(value / self._factor(slider.slot), low, high))})

    def _set_unit(self, unit: str) -> None:
        if unit not in DIGITS:
            return
        with self._lock, self._server.atomic():
            turned = [s for s in self._sliders.values() if self._compiled.is_angle[s.slot]]
            now = [float(slider.handle.value) / self._factor(slider.slot) for slider in turned]
            self._unit = unit
            for slider, position in zip(turned, now, strict=True):
                handle = slider.handle
                handle.min, handle.max, handle.step = self._range(slider.slot)
                handle.precision = DIGITS[unit]
                slider.show(self._shown(slider.slot, position))

    def _factor(self, slot: int) -> float:
        """Return the factor from a position (rad, m) to its slider."""
        in_degrees = self._unit == DEGREES and self._compiled.is_angle[slot]
        return 180.0 / math.pi if in_degrees else 1.0

    def _digits(self, slot: int) -> int:
        return DIGITS[self._unit] if self._compiled.is_angle[slot] else LENGTH_DIGITS

    def _range(self, slot: int) -> tuple[float, float, float]:
        """Return the minimum, maximum and step of a slider: within the limits, with few digits."""
        low, high = position_range(self._compiled, slot)
        digits, factor = self._digits(slot), self._factor(slot)
        scale = 10.0**digits
        least = math.ceil(low * factor * scale - 1e-6) / scale
        most = math.floor(high * factor * scale + 1e-6) / scale
        return least, max(least, most), 1.0 / scale

    def _shown(self, slot: int, position: float) -> float:
        """Return a position (rad, m) in its slider's unit."""
        if self._compiled.position_kinds[slot] == CIRCLE:  # within one turn
            position = math.remainder(position, 2.0 * math.pi)
        low, high, _ = self._range(slot)
        rounded = round(position * self._factor(slot), self._digits(slot))
        return float(np.clip(rounded, low, high))

    def follow(self, positions: Mapping[str, float]) -> None:
        """Set the sliders to the joints' positions, except those that a user moves."""
        now = time.monotonic()
        with self._lock:
            for name, slider in self._sliders.items():
                if name in positions and not slider.is_used(now):
                    slider.show(self._shown(slider.slot, positions[name]))

    def enable(self, allowed: bool) -> None:
        """Enable the sliders and buttons if a node follows their commands."""
        if self._go.visible == allowed:
            return
        with self._server.atomic():
            self._hint.visible, self._go.visible = not allowed, allowed
            for slider in self._sliders.values():
                slider.handle.disabled = not allowed


def position_range(compiled: CompiledTree, slot: int) -> tuple[float, float]:
    """Return the range of a position (rad or m), also without limits."""
    reach = UNLIMITED_TURN if compiled.is_angle[slot] else UNLIMITED_LENGTH
    low, high = float(compiled.lower[slot]), float(compiled.upper[slot])
    return (low if np.isfinite(low) else -reach), (high if np.isfinite(high) else reach)
