"""A robot on the page without ROS: sliders, a target with inverse kinematics, motions."""

from __future__ import annotations

import atexit
import html
import logging
import os
import queue
import threading
import time
import webbrowser
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.collision import CollisionChecker, Scene
from rigid_tree_kinematics.errors import ModelError
from rigid_tree_kinematics.figures import sample_motion
from rigid_tree_kinematics.figures.screen import in_notebook
from rigid_tree_kinematics.ik import InverseKinematics
from rigid_tree_kinematics.kinematics import body_transforms
from rigid_tree_kinematics.model import RigidBodyTree
from rigid_tree_kinematics.model.chains import longest_chain_end
from rigid_tree_kinematics.text import html_line
from rigid_tree_web import drawn, web
from rigid_tree_web.panels import RANDOM, MotionPanel
from rigid_tree_web.panels.joints_panel import JointsPanel
from rigid_tree_web.panels.markup import block
from rigid_tree_web.panels.pose_panel import PosePanel

if TYPE_CHECKING:
    import viser

HOST = "127.0.0.1"
PERIOD = 1 / 30  # s
CONTROLS_PERIOD = 0.1  # s
HELD = 1.0  # s after a drag in which the target does not return to its body
RANDOM_TRIES = 20  # for a configuration without collisions
FRAME_HEIGHT = 600  # pixels in a notebook
POSITION_ONLY = (0, 0, 0, 1, 1, 1)
DIRECTIONS = 6  # of a pose

log = logging.getLogger(__name__)


def view(
    robot: RigidBodyTree,
    scene: Scene | None = None,
    configuration: ArrayLike | Mapping[str, Any] | None = None,
    *,
    port: int = 0,
) -> RobotPage:
    """Open a page with a robot in a browser, or in a notebook; return the page.

    In a notebook, the page is displayed if this call is the last line of a cell. The page can be
    opened on this machine only, and ends with the program.

    Args:
        robot: the robot; later changes of it are not shown.
        scene: obstacles; collisions with them and with itself are shown too. None: no checks.
        configuration: joint positions in order or by name; None is the home configuration.
        port: port of the page; 0: a free one.

    Raises ConfigurationError, CollisionError and DescriptionError for what cannot be shown, and
    PageError for a port in use.

    Example:
        >>> page = view(load_robot("panda"))  # and page.wait(), at the end of a script
        the page is at http://localhost:...
        >>> page.play([page.configuration, load_robot("panda").random_configuration(1)])
        >>> page.close()
    """
    page = RobotPage(robot, scene, configuration, port)
    print(f"the page is at {page.address}")
    if not {"DISPLAY", "WAYLAND_DISPLAY"}.isdisjoint(os.environ) and not in_notebook():
        webbrowser.open(page.address)
    return page


class RobotPage:
    """A page with one robot, which ``view`` returns; methods may be called in any thread.

    Example:
        >>> page = view(load_robot("ur5"))
        the page is at http://localhost:...
        >>> page.show([0.0, -1.2, 1.5, -0.8, 0.9, 0.2])
        >>> page.close()
    """

    def __init__(
        self,
        robot: RigidBodyTree,
        scene: Scene | None,
        configuration: ArrayLike | Mapping[str, Any] | None,
        port: int,
    ) -> None:
        self._tree = tree = robot.copy()
        self._q = tree.home_configuration()
        if configuration is not None:
            self._q = tree.configuration(configuration)
        self._checker = None if scene is None else CollisionChecker(tree, scene)
        self._body = ""  # of the target
        self._shown: Array | None = None  # by the scene
        self._in_controls: Array | None = None
        self._was_released = True
        self._dragged, self._dragged_at = False, -HELD
        self._next_controls = 0.0  # when they are updated, s
        self._posted: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        self._closed = threading.Event()
        guard = replace(web.AccessGuard.of(HOST), in_frames=True)
        self._server = server = web.open_page(HOST, port, guard, log.warning)
        self.address = guard.address("localhost", server.get_port())
        try:
            self._fill(server, scene or Scene())
        except Exception:
            web.close_page(server)
            raise
        self._thread = threading.Thread(target=self._run, name="robot page", daemon=True)
        self._thread.start()
        atexit.register(self.close)  # before viser's own end, which prints a line

    def _fill(self, server: viser.ViserServer, scene: Scene) -> None:
        tree, gui = self._tree, server.gui
        self._model = drawn.DrawnRobot(server, "/robot", tree, log.warning, self._choose_clicked)
        paths, base = self._model.paths, tree.base_name
        self._scene = drawn.DrawnScene(server, paths, base, scene)
        self._views = web.Views(server, self._fit)
        web.PageTitle(server).show([tree.name])
        gui.add_button("Fit").on_click(lambda event: self._fit(event.client))
        tab = gui.add_tab_group().add_tab(tree.name)
        with tab:
            self._message: Any = gui.add_html("", visible=False)
            body = longest_chain_end(tree)
            bodies = tree.body_names or (base,)  # a robot may be its base only
            self._pose = PosePanel(gui, bodies, body, self._choose, self._type)
            self._joints = JointsPanel(server, tree, self._slide, self._go_to)
        self._joints.enable(True)
        self._motion = MotionPanel(
            server, tab, tree.compiled(), self._posted.put, self._joints.folder.order, self._say
        )
        self._gizmo = drawn.TargetGizmo(server, paths[base], self._on_drag)
        self._set_body(body)

    # -- for the program --------------------------------------------------------------------------

    @property
    def configuration(self) -> Array:
        """The joint positions (nq,) that the program or the user has set last (a copy)."""
        return np.array(self._q)

    def show(self, configuration: ArrayLike | Mapping[str, Any]) -> None:
        """Show joint positions, in order or by name; raises ConfigurationError."""
        q = self._tree.configuration(configuration)
        self._posted.put(lambda: self._set(q))

    def play(self, motion: Any, times: ArrayLike | None = None) -> None:
        """Play a motion; *Motion* on the page has its time as a slider.

        Args:
            motion: a plan's ``trajectory``, a simulation, or configurations (N, nq).
            times: of configurations (N,), s; None: one second per rad or m.

        Raises ConfigurationError, see ``figures.sample_motion``.
        """
        at, positions = sample_motion(self._tree, motion, times)
        self._posted.put(lambda: self._play(at, positions))

    def wait(self) -> None:
        """Keep the page open until Ctrl-C or ``close``."""
        try:
            while not self._closed.wait(1.0):
                pass
        except KeyboardInterrupt:
            self.close()

    def close(self) -> None:
        """Close the page."""
        if not self._closed.is_set():
            self._closed.set()
            atexit.unregister(self.close)
            self._thread.join()
            web.close_page(self._server)

    def _repr_html_(self) -> str:
        address = html.escape(self.address)
        return f'<iframe src="{address}" width="100%" height="{FRAME_HEIGHT}"></iframe>'

    # -- by the page, in its threads --------------------------------------------------------------

    def _fit(self, client: viser.ClientHandle | None) -> None:
        """Fit a user's view to the robot and its obstacles."""
        if client is not None:
            q = self._q if self._shown is None else self._shown
            robot = self._model.corners(body_transforms(self._tree, q))
            self._views.fit(client, np.concatenate((robot, self._scene.corners)))

    def _on_drag(self) -> None:
        self._dragged = True

    def _slide(self, positions: Mapping[str, float]) -> None:
        self._posted.put(lambda: self._move(positions))

    def _go_to(self, name: str) -> None:
        self._posted.put(lambda: self._set(self._named(name)))

    def _choose(self, body: str, position_only: bool) -> None:
        self._posted.put(lambda: self._set_body(body, position_only))

    def _choose_clicked(self, body: str) -> None:
        self._posted.put(lambda: self._say(body))

    def _type(self, T: Array) -> None:
        self._posted.put(lambda: self._reach(T))

    # -- in one thread ----------------------------------------------------------------------------

    def _run(self) -> None:
        while not self._closed.wait(PERIOD):
            try:
                self._tick(time.monotonic())
            except Exception as error:  # the page stays open
                log.exception("the page was not updated")
                self._say(str(error))

    def _tick(self, now: float) -> None:
        while not self._posted.empty():
            self._posted.get()()
        if self._dragged:
            self._dragged, self._dragged_at = False, now
            self._reach(self._gizmo.pose)
        played = self._motion.update(now, now, self._q)
        q = self._q if played is None else played
        if self._shown is None or (q != self._shown).any():
            self._draw(q)
        if now >= self._next_controls:
            self._next_controls = now + CONTROLS_PERIOD
            self._show_controls(q, now - self._dragged_at > HELD)

    def _draw(self, q: Array) -> None:
        """Show a configuration (nq,) and what is in collision."""
        self._shown = q
        with self._server.atomic():
            self._model.show(q)
            if self._checker is None:
                self._say("")
                return
            report = self._checker.check(q)
            self._scene.mark([name for c in report.contacts for name in (c.first, c.second)])
            self._say("" if report.free else f"in collision: {report.message}")

    def _show_controls(self, q: Array, released: bool) -> None:
        """Show the configuration in the controls; a released target is at its body."""
        if q is self._in_controls and released == self._was_released:
            return
        self._in_controls, self._was_released = q, released
        T = self._tree.get_transform(q, self._body)
        with self._server.atomic():
            self._joints.follow(dict(zip(self._tree.position_names, q.tolist(), strict=True)))
            self._pose.show(T, self._position_only)
            if released:
                self._gizmo.pose = T

    def _say(self, text: str) -> None:
        self._message.content, self._message.visible = block(html_line(text)), bool(text)

    def _set(self, q: Array) -> None:
        """Show a configuration (nq,) from now on, and no motion."""
        self._motion.show_robot()
        self._q = q

    def _play(self, times: Array, positions: Array) -> None:
        self._q = positions[-1]
        self._motion.show(times, positions)
        self._motion.toggle_playing()

    def _move(self, positions: Mapping[str, float]) -> None:
        """Change positions by name, from what is shown."""
        q = (self._q if self._shown is None else self._shown).copy()
        for name, value in positions.items():
            q[self._tree.position_names.index(name)] = value
        self._set(q)

    def _named(self, name: str) -> Array:
        """Return the home configuration, or a random one, without collisions if possible."""
        if name != RANDOM:
            return self._tree.home_configuration()
        for _ in range(RANDOM_TRIES):
            q = self._tree.random_configuration()
            if self._checker is None or self._checker.is_free(q):
                break
        return q

    def _set_body(self, body: str, position_only: bool | None = None) -> None:
        """Choose the target's body; only its position matters if it has less than six joints."""
        try:
            ik = InverseKinematics(self._tree, body)
            if position_only is None or body != self._body:
                position_only = ik.chain.free_count < DIRECTIONS
            if position_only:
                ik = InverseKinematics(self._tree, body, weights=POSITION_ONLY)
            self._ik: InverseKinematics | None = ik
        except ModelError as error:  # no joint moves it
            self._ik = None
            self._say(str(error))
        self._gizmo.visible = self._ik is not None
        self._body, self._position_only = body, bool(position_only)
        self._in_controls = None

    def _reach(self, T: Array) -> None:
        """Move the body to T_base_body, or show why it does not get there."""
        self._in_controls = None
        if self._ik is None:
            return
        result = self._ik.solve(T, seed=self._q if self._shown is None else self._shown)
        if result.success:
            self._set(result.configuration)
        else:
            self._say(result.message)
