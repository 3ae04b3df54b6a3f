"""NAO's walk by velocities or places, as measured by odometry; the legs do not move."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.model.transforms import inverse
from rigid_tree_nao.errors import NaoError, unknown_name
from rigid_tree_nao.model import NaoMotionModel, along_arc, place_of, planar

# Gait parameters: default, lowest, highest (Aldebaran, NAOqi documentation, "Locomotion control").
GAIT = {
    "MaxStepX": (0.040, 0.001, 0.080),
    "MaxStepY": (0.140, 0.101, 0.160),
    "MaxStepTheta": (0.349, 0.001, 0.524),
    "MaxStepFrequency": (1.0, 0.0, 1.0),
    "StepHeight": (0.020, 0.005, 0.040),
    "TorsoWx": (0.0, -0.122, 0.122),
    "TorsoWy": (0.0, -0.122, 0.122),
}
PREFERRED = "Frequency"  # of move and moveToward: the step frequency, a part of the highest one
SETTABLE = {**GAIT, PREFERRED: (1.0, 0.0, 1.0)}
ROUNDED = 5e-4  # the limits in the documentation have three decimals
FEET_APART = 0.100  # m, of which MaxStepY is the rest
STEP_PERIOD = 0.42  # s, at the highest step frequency
LONGEST_PERIOD = 0.6  # s, at the lowest one


def move_config(config: Any, foot: str = "") -> list[tuple[str, float]]:
    """Return the checked (name, value) of a move configuration; names get the prefix ``foot``.

    Raises NaoError for another form than a list of [name, value], for unknown names, and for
    values out of range.
    """
    checked = []
    for pair in config if isinstance(config, (list, tuple)) else [config]:
        if not (isinstance(pair, (list, tuple)) and len(pair) == 2):
            raise NaoError(
                "a move configuration must be a list of [name, value], such as "
                f'[["MaxStepX", 0.02]], not {config}'
            )
        name, value = str(pair[0]), pair[1]
        parameter = name.removeprefix("Left").removeprefix("Right")
        if parameter not in SETTABLE:
            raise unknown_name("gait parameter", name, SETTABLE)
        _, lowest, highest = SETTABLE[parameter]
        is_number = isinstance(value, (int, float))
        if not (is_number and lowest - ROUNDED <= value <= highest + ROUNDED):
            raise NaoError(f"{name} must be in [{lowest:g}, {highest:g}], not {value}")
        checked.append((foot + name, float(np.clip(value, lowest, highest))))
    return checked


def highest_velocity(config: Any = ()) -> Array:
    """Return the maximum velocity (m/s, m/s, rad/s) of a gait with these [name, value].

    The prefix "Left" or "Right" selects one foot. The velocity is the sum of both feet's steps
    over the sum of their periods ("Locomotion control", "Velocity control"). Raises NaoError as
    ``move_config`` does.
    """
    defaults = {name: default for name, (default, _, _) in SETTABLE.items()}
    feet = {"Left": dict(defaults), "Right": dict(defaults)}
    for name, value in move_config(config):
        parameter = name.removeprefix("Left").removeprefix("Right")
        for foot in [name.removesuffix(parameter)] if name != parameter else feet:
            feet[foot][parameter] = value
    steps, seconds = np.zeros(3), 0.0
    for gait in feet.values():
        frequency = gait[PREFERRED] * gait["MaxStepFrequency"]
        seconds += LONGEST_PERIOD + frequency * (STEP_PERIOD - LONGEST_PERIOD)
        steps += [gait["MaxStepX"], gait["MaxStepY"] - FEET_APART, gait["MaxStepTheta"]]
    return steps / seconds


HIGHEST: Array = highest_velocity()  # m/s, m/s, rad/s
ACCELERATION: Array = HIGHEST / 0.4  # full speed, or a stop, within a step


class Walk:
    """Moves the model over the ground; sets its ``velocity`` and ``next_position``."""

    def __init__(self, model: NaoMotionModel) -> None:
        self._model = model
        self.target: Array = np.zeros(3)  # velocity

    @property
    def is_active(self) -> bool:
        """Whether the robot walks or is about to."""
        return bool(np.any(self.target)) or any(self._model.velocity)

    def go(self, velocity: Sequence[float], highest: Array = HIGHEST) -> None:
        """Set the target velocity (m/s, m/s, rad/s, in FRAME_ROBOT), clamped to the maximum."""
        self.target = np.clip(np.asarray(velocity, dtype=float), -highest, highest)

    def stop(self) -> None:
        """Set the target velocity to 0."""
        self.target = np.zeros(3)

    def step(self, seconds: float) -> None:
        """Walk for a cycle of ``seconds`` (s), with limited acceleration."""
        model = self._model
        change = ACCELERATION * seconds
        velocity = np.asarray(model.velocity)
        velocity = velocity + np.clip(self.target - velocity, -change, change)
        model.velocity = [float(value) for value in velocity]
        if not np.any(velocity):
            model.next_position = None
            return
        here = planar(*model.get_robot_position(False))
        model.place_robot(*place_of(here @ along_arc(model.velocity, seconds)))
        # The robot could stop after the present step.
        model.next_position = place_of(here @ along_arc(model.velocity, STEP_PERIOD))


class WalkTrajectory:
    """A walk through places (m, m, rad; in FRAME_ROBOT at the start) at increasing times (s)."""

    def __init__(
        self, model: NaoMotionModel, places: Sequence[Sequence[float]], times: Sequence[float]
    ) -> None:
        self._model = model
        self._start = planar(*model.get_robot_position(False))
        self._places = np.array([(0.0, 0.0, 0.0), *places], dtype=float)
        self._times = np.array([0.0, *times], dtype=float)
        model.next_position = place_of(self._start @ planar(*self._places[-1]))

    def step(self, time: float) -> bool:
        """Move the model to its place at ``time`` (s); return whether the walk has ended."""
        model = self._model
        before = planar(*model.get_robot_position(False))
        after = self._start @ planar(*self._at(min(time, self._times[-1])))
        model.place_robot(*place_of(after))
        ended = bool(time >= self._times[-1])
        cycle = 0.02
        moved = place_of(inverse(before) @ after)
        model.velocity = [0.0] * 3 if ended else [value / cycle for value in moved]
        if ended:
            model.next_position = None
        return ended

    def _at(self, time: float) -> Array:
        """Return the place at a time; a walk to a single place accelerates and slows down."""
        right = min(int(np.searchsorted(self._times, time, side="right")), len(self._times) - 1)
        span = self._times[right] - self._times[right - 1]
        part = min((time - self._times[right - 1]) / span, 1.0)
        if len(self._times) == 2:
            part = part * part * (3.0 - 2.0 * part)
        before, after = self._places[right - 1 : right + 1]
        return np.asarray(before + part * (after - before))


def seconds_for(place: Sequence[float], highest: Array = HIGHEST) -> float:
    """Return the duration (s) of the walk to x, y (m), theta (rad) in FRAME_ROBOT."""
    # The cubic profile of WalkTrajectory is 1.5 times as fast in the middle as on average.
    return float(max(1.5 * np.max(np.abs(place) / highest), STEP_PERIOD))
