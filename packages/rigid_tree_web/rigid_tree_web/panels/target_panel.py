"""The target of a robot, and plans to it."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.model import RigidBodyTree
from rigid_tree_kinematics.model.transforms import matrix_rpy, transform_from_xyz_rpy
from rigid_tree_kinematics.text import html_line
from rigid_tree_web.panels.actions import KEPT, NOTHING, Actions, PlanOptions
from rigid_tree_web.panels.markup import block

if TYPE_CHECKING:
    import viser

CURRENT, HOME, RANDOM = "Current", "Home", "Random"
STATES = (CURRENT, HOME, RANDOM)
DEFAULT = "default"  # of the planner's parameters
SCALES = {DEFAULT: 0.0, "10 %": 0.1, "25 %": 0.25, "50 %": 0.5, "100 %": 1.0}
TIMES = {DEFAULT: 0.0, "1 s": 1.0, "5 s": 5.0, "20 s": 20.0}
PLANNERS = (DEFAULT, "rrt_connect", "aorrtc", "optimize", "rrt")
FARTHEST = 1e3  # m, of a position by numbers
ONE_TURN = 360.0  # deg, of an angle by numbers
NO_TARGET = "no goal: drag a target or a ghost first"


class TargetPanel:
    """A folder with the target and the goal ghost, and one with plans."""

    def __init__(self, gui: viser.GuiApi, tree: RigidBodyTree, tip: str, actions: Actions) -> None:
        self._actions = actions
        self._target = gui.add_folder("Target")
        self._plans = gui.add_folder("Plan", visible=False)
        self.folders = self._target, self._plans
        with self._target:
            self._add_target(gui, tree, tip)
        with self._plans:
            self._add_plans(gui)

    def _add_target(self, gui: viser.GuiApi, tree: RigidBodyTree, tip: str) -> None:
        actions = self._actions
        hint = "The robot follows it"
        self._follow: Any = gui.add_checkbox("Drag a target", False, hint=hint, visible=False)
        self._ghost: Any = gui.add_checkbox(
            "Drag a ghost", False, hint="The goal of a plan; the robot stays", visible=False
        )
        bodies = tree.body_names or (tree.base_name,)  # a robot may be its base only
        self._body: Any = gui.add_dropdown("Body", bodies, initial_value=tip)
        self._xyz = _position(gui, "x, y, z (m)")
        self._xyz.visible, self._xyz.disabled = True, True
        hint = "Roll, pitch, yaw about the fixed axes of the base"
        self._rpy: Any = gui.add_vector3(
            "r, p, y (deg)",
            (0.0,) * 3,
            min=(-ONE_TURN,) * 3,
            max=(ONE_TURN,) * 3,
            step=1.0,
            disabled=True,
            hint=hint,
        )
        self._rpy.precision = 1
        hint = "The target only translates"
        self._hold: Any = gui.add_checkbox("Hold orientation", False, hint=hint, visible=False)
        hint = "The body's z axis points at a point"
        self._aim: Any = gui.add_checkbox("Aim at", False, hint=hint, visible=False)
        self._point = _position(gui, "Point (m)")
        self._follow.on_update(lambda _: actions.follow(self._follow.value))
        self._ghost.on_update(lambda _: actions.show_ghost(self._ghost.value))
        self._body.on_update(lambda _: actions.choose_body(self._body.value))
        for field in (self._hold, self._aim, self._point):
            field.on_update(lambda event: self._constrain() if event.client else None)
        for field in (self._xyz, self._rpy):
            field.on_update(lambda event: self._typed() if event.client else None)

    def _add_plans(self, gui: viser.GuiApi) -> None:
        actions = self._actions
        self._start: Any = gui.add_dropdown("Start", STATES, initial_value=CURRENT)
        self._goal: Any = gui.add_button_group("Goal", STATES, hint="Moves the ghost there")
        self._goal.on_click(lambda event: actions.choose_goal(event.target.value))
        self._planner: Any = gui.add_dropdown("Planner", PLANNERS)
        self._limit: Any = gui.add_dropdown("Time limit", tuple(TIMES))
        self._velocity: Any = gui.add_dropdown("Velocity", tuple(SCALES))
        self._acceleration: Any = gui.add_dropdown("Acceleration", tuple(SCALES))
        hint = "The body moves along a straight line"
        self._line = gui.add_checkbox("Cartesian path", False, hint=hint)
        hint = "Along the path: the body's orientation, or only where its z axis points"
        self._kept: Any = gui.add_dropdown("Keep", KEPT, hint=hint, visible=False)
        options = self._start, self._planner, self._limit, self._velocity, self._acceleration
        for field in (*options, self._line, self._kept):
            field.on_update(lambda event: actions.change_options() if event.client else None)
        hint = "From where it has stopped, if the path is blocked"
        self._again = gui.add_checkbox("Plan again", False, hint=hint)
        self._plan: Any = gui.add_button("Plan", hint="A ghost shows the path")
        self._time: Any = gui.add_slider("Path (s)", 0.0, 1.0, 0.01, 0.0, visible=False)
        self._play: Any = gui.add_checkbox("Play the path", True, visible=False)
        self._time.on_update(lambda event: self._scrub() if event.client else None)
        self._play.on_update(lambda event: self._replay() if event.client else None)
        self._execute = gui.add_button("Execute", disabled=True, hint="The planned path")
        hint = "To the target, around obstacles"
        self._both: Any = gui.add_button("Plan and execute", hint=hint)
        self._reason: Any = gui.add_html("")
        self.allow_plans(NO_TARGET)
        self._plan.on_click(lambda _: actions.plan(self.options, False))
        self._execute.on_click(lambda _: actions.execute(self.options))
        self._both.on_click(lambda _: actions.plan(self.options, True))

    @property
    def options(self) -> PlanOptions:
        """The chosen options; a client can send any text."""
        planner = str(self._planner.value)
        return PlanOptions(
            start=str(self._start.value),
            planner=planner if planner in PLANNERS[1:] else "",
            time_limit=TIMES.get(self._limit.value, 0.0),
            velocity_scale=SCALES.get(self._velocity.value, 0.0),
            acceleration_scale=SCALES.get(self._acceleration.value, 0.0),
            straight_line=bool(self._line.value),
            plan_again=bool(self._again.value),
            kept=str(self._kept.value) if self._kept.visible else NOTHING,
        )

    def _scrub(self) -> None:
        """Show the path at the slider's time."""
        self._play.value = False
        self._actions.scrub(float(self._time.value))

    def _replay(self) -> None:
        self._actions.play(bool(self._play.value))

    def _constrain(self) -> None:
        aims, point = bool(self._aim.value), np.array(self._point.value, dtype=float)
        self._allow_angles()
        self._point.visible = aims
        if (np.abs(point) <= FARTHEST).all():
            self._actions.constrain(bool(self._hold.value), point if aims else None)

    def _allow_angles(self) -> None:
        fixed = self._aim.value or self._hold.value
        self._rpy.disabled = bool(self._xyz.disabled or fixed)

    def _typed(self) -> None:
        """Move the target to the numbers that a user has typed."""
        numbers = [float(value) for value in (*self._xyz.value, *self._rpy.value)]
        if all(abs(number) <= FARTHEST for number in numbers):  # also no NaN
            rpy = [math.radians(value) for value in numbers[3:]]
            self._actions.set_pose(transform_from_xyz_rpy(numbers[:3], rpy))

    def show_pose(self, T: Array) -> None:
        """Show the pose of the target, or else of the body, in the base frame as numbers."""
        self._xyz.value = tuple(round(float(value), 3) for value in T[:3, 3])
        rpy = matrix_rpy(T[:3, :3])
        self._rpy.value = tuple(round(math.degrees(angle), 1) for angle in rpy)

    def show_mode(self, follows: bool, ghost: bool) -> None:
        """Tick what is dragged; numbers can be typed while there is a target."""
        self._follow.value, self._ghost.value = follows, ghost
        for field in (self._hold, self._aim):
            field.visible = follows or ghost
        self._xyz.disabled = not (follows or ghost)
        self._allow_angles()
        self._point.visible = bool(self._aim.value) and (follows or ghost)

    def show_states(self, names: Iterable[str]) -> None:
        """Show named states beside the others."""
        self._start.options = self._goal.options = tuple(dict.fromkeys((*STATES, *names)))

    def allow_plans(self, reason: str) -> None:
        """Enable the buttons that plan, or show the reason why they are disabled."""
        self._plan.disabled = self._both.disabled = bool(reason)
        self._reason.content, self._reason.visible = block(html_line(reason)), bool(reason)

    def show_body(self, body: str) -> None:
        """Show the body of the target."""
        self._body.value = body

    def show_path(self, seconds: float) -> None:
        """Show the controls of a planned path of a duration, or none for 0 s."""
        is_planned = seconds > 0.0
        self._time.visible = self._play.visible = is_planned
        self._execute.disabled = not is_planned
        if is_planned:
            self._time.max, self._play.value = round(seconds, 2), True

    def show_time(self, seconds: float) -> None:
        """Show the time of the path that is shown."""
        self._time.value = min(round(seconds, 1), self._time.max)

    def show_controls(self, ik: bool, planner: bool, constraints: bool) -> None:
        """Show the controls that work with these nodes."""
        self._follow.visible = ik or planner
        self._plans.visible = self._ghost.visible = planner
        self._kept.visible = constraints


def _position(gui: viser.GuiApi, label: str) -> Any:
    """Add a hidden field for a position (m)."""
    far = (FARTHEST,) * 3
    field: Any = gui.add_vector3(
        label, (0.0,) * 3, min=(-FARTHEST,) * 3, max=far, step=0.01, visible=False
    )
    field.precision = 3
    return field
