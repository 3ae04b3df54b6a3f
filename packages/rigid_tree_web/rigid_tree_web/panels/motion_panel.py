"""Recording and playback of a robot's motion, and a plot of it, in the robot's tab."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.errors import RigidTreeError
from rigid_tree_kinematics.model import CompiledTree
from rigid_tree_kinematics.needed_packages import MissingPackageError
from rigid_tree_web.panels.plot_panel import PlotPanel
from rigid_tree_web.panels.recording import (
    Recording,
    csv_bytes,
    mcap_bytes,
    read_csv,
    read_mcap,
)

if TYPE_CHECKING:
    import viser

LONGEST = 300.0  # s, of a recording
WINDOW = 10.0  # s, of the plot
HINTS = {
    "CSV": "The plotted positions, velocities and accelerations",
    "MCAP": "The plotted motion as rosbag2 joint states, for example for Foxglove",
}
WRITERS = {"CSV": csv_bytes, "MCAP": mcap_bytes}
SPEEDS = {"1/4": 0.25, "1/2": 0.5, "1": 1.0, "2": 2.0, "4": 4.0}

Post = Callable[[Callable[[], None]], None]


class MotionPanel:
    """Buttons, a time slider and a plot, at position ``order`` of the tab.

    All methods are called in one thread, which runs the functions that the page's threads post;
    ``report`` is called with messages for the user.
    """

    def __init__(
        self,
        server: viser.ViserServer,
        tab: viser.GuiTabHandle,
        compiled: CompiledTree,
        post: Post,
        order: float,
        report: Callable[[str], None],
    ) -> None:
        self._compiled = compiled
        self._post, self._report = post, report
        self._recording = Recording(compiled.position_count, LONGEST)
        self._seen = Recording(compiled.position_count, WINDOW)
        self._records = self._plays = self._shows_recording = False
        self._played_until = 0.0  # s of the recording
        self._last_update = 0.0
        self._plot = PlotPanel(server, compiled, post, lambda: self._shown)
        with tab:
            self.folder = server.gui.add_folder("Motion", order=order, expand_by_default=False)
        with self.folder:
            self._add_controls(server.gui)

    def _add_controls(self, gui: viser.GuiApi) -> None:
        post = self._post
        plotted = gui.add_checkbox("Plot", False, hint="The last 10 s, or the recording")
        self._record = gui.add_button("Record", hint="Key R")
        self._play = gui.add_button("Play back", hint="Key P", disabled=True)
        self._time: Any = gui.add_slider("Time (s)", 0.0, 1.0, 0.01, 0.0, disabled=True)
        self._speed: Any = gui.add_dropdown("Speed", tuple(SPEEDS), initial_value="1")
        self._loop = gui.add_checkbox("Loop", False)
        self._live = gui.add_button("Back to the robot", hint="Key B", disabled=True)
        plotted.on_update(lambda _: post(self._plot.show if plotted.value else self._plot.hide))
        self._record.on_click(lambda _: post(self.toggle_recording))
        self._play.on_click(lambda _: post(self.toggle_playing))
        self._live.on_click(lambda _: post(self.show_robot))
        self._time.on_update(lambda event: post(self._seek) if event.client else None)
        for kind, hint in HINTS.items():
            save = gui.add_button(f"Download {kind}", hint=hint)
            save.on_click(partial(self._on_download, kind))
        hint = "A downloaded file, or joint states that rosbag2 has recorded as MCAP"
        load = gui.add_upload_button("Load recording", mime_type=".csv,.mcap", hint=hint)
        load.on_upload(lambda event: self._load(event.target.value))

    @property
    def _shown(self) -> Recording:
        """The plotted motion: the recording while it is shown, or the robot's last seconds."""
        return self._recording if self._shows_recording else self._seen

    def _on_download(self, kind: str, event: viser.GuiEvent[Any]) -> None:
        self._post(lambda: self._download(event.client, kind))

    def _download(self, client: viser.ClientHandle | None, kind: str) -> None:
        if client is None or not len(self._shown.times):
            return
        try:
            data = WRITERS[kind](self._shown, self._compiled)
        except MissingPackageError as error:
            self._report(str(error))
            return
        name = self._compiled.name + time.strftime(f"_%Y%m%d_%H%M%S.{kind.lower()}")
        client.send_file_download(name, data, save_immediately=True)

    def _load(self, file: viser.UploadedFile) -> None:
        """Read a file in a thread of the page, and show it."""
        try:
            if file.name.lower().endswith(".mcap"):
                times, positions = read_mcap(file.content, self._compiled, file.name)
            else:
                times, positions = read_csv(file.content.decode(), self._compiled, file.name)
        except (RigidTreeError, UnicodeDecodeError) as error:
            reason = f"not a recording: {error}"
            self._post(lambda: self._report(reason))
            return

        def show() -> None:
            self.show(times, positions)
            self._report(f"loaded {len(times)} configurations, {times[-1] - times[0]:.1f} s")

        self._post(show)

    def show(self, times: Array, positions: Array) -> None:
        """Show configurations (n, nq) at increasing times (n,) (s) as the recording."""
        if self._records:
            self.toggle_recording()
        self._recording.replace(times, positions)
        self._played_until = 0.0
        self._plays, self._shows_recording = False, True
        self._update_controls()

    def toggle_recording(self) -> None:
        """Start or stop recording."""
        self._records = not self._records
        if self._records:
            self.show_robot()
            self._recording.clear()
            self._played_until = 0.0
        self._update_controls()

    def toggle_playing(self) -> None:
        """Play the recording, from the start if it has ended, or pause."""
        if self._records or not self._recording.duration:
            return
        self._plays = not self._plays
        self._shows_recording = True
        if self._plays and self._played_until >= self._recording.duration:
            self._played_until = 0.0
        self._update_controls()

    def show_robot(self) -> None:
        """Return to the robot's current configuration."""
        self._plays = self._shows_recording = False
        self._update_controls()

    def _seek(self) -> None:
        """Show the recording at the slider's time."""
        if self._recording.duration and not self._records:
            self._played_until = float(self._time.value)
            self._plays, self._shows_recording = False, True
            self._update_controls()

    def _update_controls(self) -> None:
        recorded = not self._records and self._recording.duration > 0.0
        self._record.label = "Stop recording" if self._records else "Record"
        self._play.label = "Pause" if self._plays else "Play back"
        self._play.disabled = self._time.disabled = not recorded
        self._live.disabled = not self._shows_recording
        if recorded:
            self._time.max = round(self._recording.duration, 2)
            self._time.value = round(self._played_until, 2)

    def update(self, now: float, measured: float, q: Array) -> Array | None:
        """Add the robot's configuration (nq,); return the one to show instead, or None.

        ``now`` is the time of a steady clock, ``measured`` the configuration's own (s).
        """
        since, self._last_update = now - self._last_update, now
        self._seen.add(measured, q)
        if self._records:
            self._recording.add(measured, q)
        self._plot.update(now)
        if not self._shows_recording:
            return None
        if self._plays:
            self._play_on(since * SPEEDS.get(self._speed.value, 1.0))
        return self._recording.at(self._played_until)

    def _play_on(self, seconds: float) -> None:
        end, loops = self._recording.duration, bool(self._loop.value)
        self._played_until += seconds
        if self._played_until >= end:
            self._played_until = self._played_until % end if loops else end
            self._plays = loops
            self._update_controls()
        self._time.value = round(self._played_until, 2)

    def remove(self) -> None:
        """Remove the panel from the page."""
        self._plot.hide()
        self.folder.remove()
