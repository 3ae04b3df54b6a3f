"""A window with the curves of a robot's joints and their limits."""

from __future__ import annotations

import colorsys
import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.model import CompiledTree
from rigid_tree_web.panels.recording import Recording

if TYPE_CHECKING:
    import viser

WIDTH, HEIGHT = 560, 230  # pixels, of the window and of the chart in it
GAP = 15  # pixels to the corner of the scene
PERIOD = 0.25  # s, between updates
MOST_POINTS = 300  # of a curve
POSITION, VELOCITY, ACCELERATION = "Position", "Velocity", "Acceleration"
UNITS = {POSITION: ("rad", "m"), VELOCITY: ("rad/s", "m/s"), ACCELERATION: ("rad/s²", "m/s²")}
ALL = "All joints"
MOST_LIMITED = 12  # joints; the limits of more would hide their curves


class PlotPanel:
    """A window over the scene; ``motion`` returns what it shows.

    Methods are called in one thread, which runs the functions that the page's threads post.
    """

    def __init__(
        self,
        server: viser.ViserServer,
        compiled: CompiledTree,
        post: Callable[[Callable[[], None]], None],
        motion: Callable[[], Recording],
    ) -> None:
        self._server, self._compiled, self._post, self._motion = server, compiled, post, motion
        self._slots: list[int] = np.flatnonzero(compiled.is_scalar).tolist()
        self._panel: Any = None
        self._tab: Any = None
        self._chart: Any = None
        self._next = 0.0  # update, s
        self._shows_limits = len(self._slots) <= MOST_LIMITED
        self._quantity, self._joint = POSITION, ALL

    def show(self) -> None:
        """Open the window."""
        if self._panel is not None:
            return
        gui = self._server.gui
        self._panel = gui.add_panel()
        self._tab = self._panel.add_tab(f"Plot of {self._compiled.name}")
        with self._tab:
            quantity = gui.add_dropdown("Quantity", tuple(UNITS), initial_value=self._quantity)
            names = tuple(dict.fromkeys((ALL, *self._names)))
            joint = gui.add_dropdown("Joint", names, initial_value=self._joint)
            limits = gui.add_checkbox("Limits", self._shows_limits, hint="As dashed lines")
        self._panel.float(x=GAP, y=-GAP, width=WIDTH)
        self._panel.expand()  # on a phone it would start folded
        quantity.on_update(lambda event: self._choose(quantity=event.target.value))
        joint.on_update(lambda event: self._choose(joint=event.target.value))
        limits.on_update(lambda event: self._choose(limits=event.target.value))

    def hide(self) -> None:
        """Close the window."""
        if self._panel is not None:
            self._panel.remove()
            self._panel = self._tab = self._chart = None

    def _choose(
        self, quantity: str | None = None, joint: str | None = None, limits: bool | None = None
    ) -> None:
        """Show other curves; a client can send any value."""

        def choose() -> None:
            if quantity in UNITS:
                self._quantity = quantity
            if joint in (ALL, *self._names):
                self._joint = joint
            if limits is not None:
                self._shows_limits = limits
            if self._chart is not None:
                self._chart.remove()
                self._chart = None
            self._next = 0.0

        self._post(choose)

    @property
    def _names(self) -> list[str]:
        return [self._compiled.position_names[slot] for slot in self._slots]

    @property
    def _shown(self) -> list[int]:
        """The positions in a configuration that are shown."""
        names = self._compiled.position_names
        return [slot for slot in self._slots if self._joint in (ALL, names[slot])]

    def update(self, now: float) -> None:
        """Draw the motion up to now (s, of a steady clock)."""
        if self._panel is None or now < self._next:
            return
        self._next = now + PERIOD
        motion = self._motion()
        if len(motion.times) < 2 or not self._slots:  # no curves
            return
        curves = self._curves(motion)
        if self._chart is not None:
            self._chart.data = curves
            return
        from viser import uplot

        with self._tab:
            self._chart = self._server.gui.add_uplot(
                curves,
                self._series(),
                scales={"x": uplot.Scale(time=False)},
                axes=({"label": "s"}, {"label": self._unit, "size": 60}),
                cursor={"focus": {"prox": 16}},
                focus={"alpha": 0.3},
                height=HEIGHT,
            )

    @property
    def _unit(self) -> str:
        angle, length = UNITS[self._quantity]
        found = {angle if self._compiled.is_angle[slot] else length for slot in self._shown}
        return " or ".join(sorted(found, reverse=True))

    def _series(self) -> tuple[Any, ...]:
        series: list[dict[str, Any]] = [{"label": "s"}]
        colors = dict(zip(self._slots, colors_of(len(self._slots)), strict=True))
        for slot in self._shown:
            name = self._compiled.position_names[slot]
            series.append({"label": name, "stroke": colors[slot], "width": 1.5})
        for slot, _ in self._limits():
            # The styles of the document leave it out of the legend.
            style = {"stroke": colors[slot], "width": 1, "dash": (4, 4), "class": "limit"}
            series.append({"label": "limit", **style})
        return tuple(series)

    def _curves(self, motion: Recording) -> tuple[Array, ...]:
        names = {POSITION: "positions", VELOCITY: "velocities", ACCELERATION: "accelerations"}
        values: Array = getattr(motion, names[self._quantity])
        times = motion.times
        step = max(1, len(times) // MOST_POINTS)
        times = times[::step]
        columns = [np.ascontiguousarray(values[::step, slot]) for slot in self._shown]
        limits = [np.full(len(times), value) for _, value in self._limits()]
        return (times, *columns, *limits)

    def _limits(self) -> list[tuple[int, float]]:
        """Return the limits of the shown curves, by their position in a configuration."""
        compiled = self._compiled
        if not self._shows_limits:
            return []
        speed = compiled.by_position(compiled.velocity_limit)
        rate = compiled.by_position(compiled.acceleration_limit)
        bounds = {
            POSITION: (compiled.lower, compiled.upper),
            VELOCITY: (-speed, speed),
            ACCELERATION: (-rate, rate),
        }
        ends = bounds[self._quantity]
        return [(s, float(e[s])) for s in self._shown for e in ends if np.isfinite(e[s])]


def colors_of(count: int) -> list[str]:
    """Return colors with evenly spaced hues, as #rrggbb."""
    step = max(1, round(0.382 * count))
    while math.gcd(step, count) > 1:
        step += 1
    hues = ((number * step % count) / count for number in range(count))
    colors = []
    for number, hue in enumerate(hues):
        parts = colorsys.hls_to_rgb(hue, 0.34 + 0.08 * (number % 2), 0.8)
        colors.append("#" + "".join(f"{round(255 * part):02x}" for part in parts))
    return colors
