"""Recording and playback of a robot's motion, and a plot of its joints, in the robot's tab."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.model import CompiledTree
from rigid_tree_kinematics.viewer.recording import Recording

if TYPE_CHECKING:
    import viser

LONGEST = 300.0  # s, of a recording
WINDOW = 10.0  # s, of the plot
PLOT_PERIOD = 0.2  # s
MOST_POINTS = 250  # of a curve
COLORS = ("#1c7ed6", "#f76707", "#2f9e44", "#e03131", "#7048e8", "#0c8599", "#e8590c", "#868e96")


class MotionPanel:
    """Buttons, a time slider and a plot, at position ``order`` of the tab.

    All methods are called in one thread, which runs the functions that the page's threads post.
    """

    def __init__(
        self,
        server: viser.ViserServer,
        tab: viser.GuiTabHandle,
        compiled: CompiledTree,
        post: Callable[[Callable[[], None]], None],
        order: float,
    ) -> None:
        self._gui = gui = server.gui
        self._compiled = compiled
        self._recording = Recording(compiled.position_count, LONGEST)
        self._seen = Recording(compiled.position_count, WINDOW)
        self._records = self._plays = False
        self._shows_recording = False
        self._played_until = 0.0  # s of the recording
        self._last_update = 0.0
        self._next_plot = 0.0
        self._plot: Any = None
        with tab:
            self.folder = gui.add_folder("Motion", order=order, expand_by_default=False)
        with self.folder:
            self._record = gui.add_button("Record", hint="Key R")
            self._play = gui.add_button("Play back", hint="Key P", disabled=True)
            self._time: Any = gui.add_slider("Time (s)", 0.0, 1.0, 0.01, 0.0, disabled=True)
            self._live = gui.add_button("Back to the robot", disabled=True)
            plotted = gui.add_checkbox("Plot", False, hint="Joint positions, the last 10 s")
        self._record.on_click(lambda _: post(self.toggle_recording))
        self._play.on_click(lambda _: post(self.toggle_playing))
        self._live.on_click(lambda _: post(self.show_robot))
        self._time.on_update(lambda event: post(self._seek) if event.client else None)
        plotted.on_update(lambda _: post(lambda: self._show_plot(plotted.value)))

    def toggle_recording(self) -> None:
        """Start or stop recording."""
        self._records = not self._records
        if self._records:
            self.show_robot()
            self._recording.clear()
            self._played_until = 0.0
        recorded = not self._records and self._recording.duration > 0.0
        self._record.label = "Stop recording" if self._records else "Record"
        self._play.disabled = self._time.disabled = not recorded
        if recorded:
            self._time.max = round(self._recording.duration, 2)

    def toggle_playing(self) -> None:
        """Play the recording, from the start if it has ended, or pause."""
        if self._records or not self._recording.duration:
            return
        self._plays = not self._plays
        self._shows_recording = True
        if self._plays and self._played_until >= self._recording.duration:
            self._played_until = 0.0
        self._update_buttons()

    def show_robot(self) -> None:
        """Return to the robot's current configuration."""
        self._plays = self._shows_recording = False
        self._update_buttons()

    def _seek(self) -> None:
        """Show the recording at the slider's time."""
        if self._recording.duration and not self._records:
            self._played_until = float(self._time.value)
            self._plays, self._shows_recording = False, True
            self._update_buttons()

    def _update_buttons(self) -> None:
        self._play.label = "Pause" if self._plays else "Play back"
        self._live.disabled = not self._shows_recording

    def update(self, now: float, q: Array) -> Array | None:
        """Add the robot's configuration (nq,); return the one to show instead, or None.

        ``now`` is the time of a steady clock (s).
        """
        since, self._last_update = now - self._last_update, now
        self._seen.add(now, q)
        if self._records:
            self._recording.add(now, q)
        if self._plot is not None and now >= self._next_plot:
            self._next_plot = now + PLOT_PERIOD
            self._plot.data = self._curves()
        if not self._shows_recording:
            return None
        if self._plays:
            self._played_until = min(self._played_until + since, self._recording.duration)
            self._time.value = round(self._played_until, 2)
            if self._played_until >= self._recording.duration:
                self._plays = False
                self._update_buttons()
        return self._recording.at(self._played_until)

    def _curves(self) -> tuple[Array, ...]:
        times, positions = self._seen.times, self._seen.positions
        step = max(1, len(times) // MOST_POINTS)
        shown = positions[::step, self._compiled.is_scalar]
        return (times[::step] - self._seen.duration, *np.ascontiguousarray(shown.T))

    def _show_plot(self, shown: bool) -> None:
        if self._plot is not None:
            self._plot.remove()
            self._plot = None
        if not shown:
            return
        from viser import uplot

        names = np.array(self._compiled.position_names)[self._compiled.is_scalar]
        series = [uplot.Series(label="s")]
        for number, name in enumerate(names):
            color = COLORS[number % len(COLORS)]
            series.append(uplot.Series(label=str(name), stroke=color, width=1.5))
        with self.folder:
            self._plot = self._gui.add_uplot(
                self._curves(),
                tuple(series),
                scales={"x": uplot.Scale(time=False)},
                legend=uplot.Legend(show=len(names) <= 8),
                aspect=1.4,
            )

    def remove(self) -> None:
        """Remove the panel from the page."""
        self.folder.remove()
