"""ALMotion's joint and stiffness control, and ALRobotPosture."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from rigid_tree_nao.errors import NaoError, unknown_name
from rigid_tree_nao.model import FAMILIES, POSTURES, finite_numbers, per_joint
from rigid_tree_nao.simulated import robot as simulated
from rigid_tree_nao.simulated.robot import Curve, SimulatedRobot, Step, Task

HAND_SPEED = 0.5  # fraction
WAKING_SPEED = 0.3
POSTURE_METHODS = ("goToPosture", "applyPosture")
Names = str | Sequence[str]


class JointMethods:
    """ALMotion's methods of joint and stiffness control, by their names in ``methods``."""

    def __init__(self, robot: SimulatedRobot) -> None:
        self._robot = robot
        self._model = robot.model
        self._body = robot.body
        self.methods: dict[str, Callable[..., Any]] = {
            "wakeUp": self._wake_up,
            "rest": self._rest,
            "robotIsWakeUp": lambda: robot.is_awake,
            "setStiffnesses": self._set_stiffnesses,
            "getStiffnesses": self._model.get_stiffnesses,
            "stiffnessInterpolation": self._interpolate_stiffness,
            "setAngles": self._set_angles,
            "changeAngles": self._change_angles,
            "getAngles": self._model.get_angles,
            "angleInterpolation": self._interpolate,
            "angleInterpolationWithSpeed": self._interpolate_with_speed,
            "angleInterpolationBezier": self._interpolate_bezier,
            "openHand": lambda hand: self._move_hand("openHand", hand, 1.0),
            "closeHand": lambda hand: self._move_hand("closeHand", hand, 0.0),
        }

    def _wake_up(self) -> Task:
        self._robot.soften("wakeUp", 1.0)
        motors = simulated.stiffness_of(self._body.joint_names)
        task = self._robot.go_to_posture("wakeUp", "StandInit", WAKING_SPEED, *motors)
        return self._announce("wakeUp", task)

    def _rest(self, chain: str = "Body") -> Task:
        robot, joints = self._robot, self._body.joints(chain)
        motors = simulated.stiffness_of(joints)
        if chain == "Body":
            robot.walk.stop()
            robot.board.kill(lambda task: True)
        if robot.is_awake:
            robot.go_to_posture("rest", "Crouch", WAKING_SPEED, *motors, chains=[chain])
        return self._announce("rest", robot.soften("rest", 0.0, joints))

    def _announce(self, method: str, task: Task) -> Task:
        """Raise the events of the start, and of the end unless the task is killed."""
        event = f"ALMotion/Stiffness/{method}"
        self._robot.raise_event(f"{event}Started", True)
        task.add_done_callback(
            lambda _: task.is_complete and self._robot.raise_event(f"{event}Finished", True)
        )
        return task

    def _set_stiffnesses(self, names: Names, values: Any) -> None:
        joints = self._body.joints(names)
        numbers = finite_numbers(per_joint(joints, values, "stiffness value"))
        self._model.stiffnesses[self._body.places(joints)] = np.clip(numbers, 0.0, 1.0)

    def _interpolate_stiffness(self, names: Names, values: Any, times: Any) -> Task:
        joints = self._body.joints(names)
        places = self._body.places(joints)
        value_lists = lists_for(joints, values)
        knots = _times_for(joints, value_lists, times)
        end = max(row[-1] for row in knots)

        def begin() -> Step:
            start = self._model.stiffnesses[places]

            def step(at: float) -> bool:
                for place, first, row, row_values in zip(
                    places, start, knots, value_lists, strict=True
                ):
                    value = np.interp(at, [0.0, *row], [first, *row_values])
                    self._model.stiffnesses[place] = np.clip(value, 0.0, 1.0)
                return at >= end

            return step

        return self._robot.task("stiffnessInterpolation", simulated.stiffness_of(joints), begin)

    def _by_joint(self, names: Names, values: Any) -> dict[str, float]:
        """Return joint -> angle or change (rad), from one number for all joints or one each."""
        joints = self._body.joints(names)
        numbers = finite_numbers(per_joint(joints, values, "angle")).tolist()
        return dict(zip(joints, numbers, strict=True))

    def _set_angles(self, names: Names, angles: Any, fraction: Any) -> None:
        self._robot.drives.aim(self._by_joint(names, angles), fraction)

    def _change_angles(self, names: Names, changes: Any, fraction: float) -> None:
        aims, index = self._robot.drives.aims(), self._body.index
        by_joint = self._by_joint(names, changes).items()
        angles = {name: float(aims[index[name]]) + change for name, change in by_joint}
        self._robot.drives.aim(angles, fraction)

    def _interpolate(self, names: Names, angles: Any, times: Any, is_absolute: Any = True) -> Task:
        def curve(start: float, heights: Sequence[float], knots: Sequence[float]) -> Curve:
            base = 0.0 if is_absolute else start
            return simulated.smooth_curve(start, [base + height for height in heights], knots)

        joints = self._body.joints(names)
        rows = lists_for(joints, angles)
        return self._follow("angleInterpolation", joints, rows, times, curve)

    def _interpolate_with_speed(self, names: Names, angles: Any, fraction: float) -> Task:
        goals = self._by_joint(names, angles)
        return self._robot.go_to("angleInterpolationWithSpeed", goals, fraction)

    def _interpolate_bezier(self, names: Names, times: Any, points: Any) -> Task:
        joints = self._body.joints(names)
        rows = [
            # A point without handles can be its angle alone.
            [[point] if isinstance(point, (int, float)) else point for point in row]
            for row in (points if len(points) == len(joints) else [points])
        ]
        for point in (point for row in rows for point in row):
            finite_numbers(np.hstack(point).tolist())
        return self._follow(
            "angleInterpolationBezier", joints, rows, times, simulated.bezier_curve
        )

    def _follow(
        self, name: str, joints: Sequence[str], rows: Any, times: Any, curve: Callable[..., Curve]
    ) -> Task:
        """Add a task that moves each joint along ``curve(start, row, times)``."""
        knots = _times_for(joints, rows, times)

        def make() -> tuple[Mapping[str, Curve], float]:
            starts = self._model.commands[self._body.places(joints)].tolist()
            curves = map(curve, starts, rows, knots)
            return dict(zip(joints, curves, strict=True)), max(row[-1] for row in knots)

        return self._robot.follow(name, joints, make)

    def _move_hand(self, method: str, hand: str, opening: float) -> Task:
        if hand not in self._body.hands:
            raise unknown_name("hand", hand, self._body.hands)
        return self._robot.go_to(method, {hand: opening}, HAND_SPEED)


class PostureMethods:
    """ALRobotPosture's methods, by their names in ``methods``."""

    def __init__(self, robot: SimulatedRobot, stop_walk: Callable[[], None]) -> None:
        self._robot = robot
        self._stop_walk = stop_walk
        self.methods: dict[str, Callable[..., Any]] = {
            **{name: partial(self._go, name) for name in POSTURE_METHODS},
            "stopMove": lambda: robot.board.kill(lambda t: t.name in POSTURE_METHODS) and None,
            "getPostureList": lambda: list(POSTURES),
            "getPosture": lambda: robot.posture,
            "getPostureFamily": lambda: robot.family,
            "getPostureFamilyList": lambda: sorted(set(FAMILIES.values())),
            "setMaxTryNumber": self._set_tries,
        }

    def _set_tries(self, count: int) -> None:
        if not (isinstance(count, int) and count > 0):
            raise NaoError(f"the number of tries must be a positive integer, not {count}")
        # Without effect: the first try takes every posture.

    def _go(self, name: str, posture: str, speed: float) -> Task | bool:
        task = self._robot.go_to_posture(name, posture, speed)
        self._stop_walk()
        if not self._robot.is_awake:
            task.end()  # motors without stiffness do not move
        return task


def lists_for(joints: Sequence[str], values: Any) -> list[list[float]]:
    """Return one list of numbers for each of n joints, from any of ALMotion's forms.

    These are one number for all joints, a list of n numbers, a list of any length for a single
    joint, and n lists. Raises NaoError for other lengths, and numbers that are not finite.
    """
    if isinstance(values, (int, float)):
        return [[float(values)] for _ in joints]
    rows = list(values)
    if all(isinstance(row, (int, float)) for row in rows):
        finite_numbers(rows)
        if len(joints) == 1:
            return [[float(value) for value in rows]]
        return [[value] for value in per_joint(joints, rows, "number")]
    if len(rows) != len(joints):
        raise NaoError(f"{len(rows)} lists for {len(joints)} joints")
    return [finite_numbers(row).tolist() for row in rows]


def _times_for(
    joints: Sequence[str], values: Sequence[Sequence[Any]], times: Any
) -> list[list[float]]:
    """Return one list of checked times (s) for each joint, as many as it has values."""
    rows = [simulated.checked_times(row) for row in lists_for(joints, times)]
    for joint, row, row_times in zip(joints, values, rows, strict=True):
        if len(row) != len(row_times):
            raise NaoError(f"{len(row)} values for {len(row_times)} times of {joint}")
    return rows
