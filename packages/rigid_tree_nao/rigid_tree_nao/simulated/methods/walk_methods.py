"""ALMotion's locomotion control."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.model.transforms import inverse
from rigid_tree_nao import model as nao
from rigid_tree_nao.errors import NaoError, unknown_name
from rigid_tree_nao.simulated import robot as simulated
from rigid_tree_nao.simulated.robot import GAIT, WALK, SimulatedRobot, Step, Task

STANDING_UP_SPEED = 0.3  # fraction
CONFIGURATIONS = {"Default": 0, "Min": 1, "Max": 2}  # columns of GAIT
OLDER_NAMES = {
    "moveTo": "walkTo",
    "moveInit": "walkInit",
    "moveIsActive": "walkIsActive",
    "waitUntilMoveIsFinished": "waitUntilWalkIsFinished",
    "getMoveConfig": "getFootGaitConfig",
    "setMoveArmsEnabled": "setWalkArmsEnabled",
    "setWalkArmsEnabled": "setWalkArmsEnable",
}


class WalkMethods:
    """ALMotion's methods of locomotion control, by their names in ``methods``."""

    def __init__(self, robot: SimulatedRobot) -> None:
        self._robot = robot
        self._model = robot.model
        self._arms = {"LArm": True, "RArm": True}
        self._steps: dict[Task, list[list[Any]]] = {}  # to come: leg, time, place
        self._feet_then: dict[str, Array] = {}  # after these steps, in FRAME_ROBOT
        self.methods: dict[str, Callable[..., Any]] = {
            "move": self._move,
            "moveToward": self._move_toward,
            "moveTo": self._move_to,
            "moveInit": lambda: self._take_posture("moveInit"),
            "waitUntilMoveIsFinished": self._wait,
            "moveIsActive": self._is_active,
            "stopMove": self.stop,
            "setFootSteps": self._set_steps,
            "setFootStepsWithSpeed": self._set_steps_with_speed,
            "getFootSteps": self._get_steps,
            "getMoveConfig": self._gait,
            "getRobotPosition": self._model.get_robot_position,
            # An example of NAOqi's documentation passes useSensors.
            "getNextRobotPosition": lambda *_: self._model.get_next_robot_position(),
            "getRobotVelocity": self._model.get_robot_velocity,
            "getMoveArmsEnabled": self._arms_enabled,
            "setMoveArmsEnabled": self._enable_arms,
            "setWalkTargetVelocity": self._set_walk_velocity,
            "stopWalk": self.stop,
            "getWalkArmsEnabled": lambda: list(self._arms.values()),
        }
        # Names of NAOqi 1.14, and setWalkArmsEnable of 1.12.
        for name, old in OLDER_NAMES.items():
            self.methods[old] = self.methods[name]

    def stop(self) -> None:
        """End all walks; a walk by velocity slows down first."""
        self._robot.walk.stop()
        self._robot.board.kill(lambda task: WALK in task.resources)

    def _move(self, x: float, y: float, theta: float, *config: Any) -> None:
        velocity = nao.finite_numbers((x, y, theta)).tolist()
        highest = simulated.highest_velocity(*config)
        self._robot.board.kill(lambda task: WALK in task.resources and task.name != "standUp")
        if any(velocity):
            self._stand_up()
        self._robot.walk.go(velocity, highest)

    def _move_toward(self, x: float, y: float, theta: float, *config: Any) -> None:
        fractions = nao.finite_numbers((x, y, theta))
        if any(abs(fraction) > 1.0 for fraction in fractions):
            raise NaoError(
                f"the fractions of the maximum velocity must be in [-1, 1]: {fractions}"
            )
        self._move(*(float(f) for f in fractions * simulated.highest_velocity(*config)), *config)

    def _set_walk_velocity(
        self, x: float, y: float, theta: float, frequency: float, *configs: Any
    ) -> None:
        """Walk with step lengths, and a frequency, as fractions of the highest ones.

        A single configuration is for both feet, the first of two for the left one.
        """
        if len(configs) > 2:
            raise NaoError(f"{len(configs)} move configurations for 2 feet")
        feet = ("Left", "Right") if len(configs) == 2 else ("",)
        rows = [
            row
            for foot, config in zip(feet, configs, strict=False)
            for row in simulated.move_config(config, foot)
        ]
        self._move_toward(x, y, theta, [(simulated.PREFERRED, frequency), *rows])

    def _is_active(self) -> bool:
        return self._robot.walk.is_active or self._robot.board.waiting_for((WALK,))

    def _wait(self) -> Task:
        name = "waitUntilMoveIsFinished"
        return self._robot.task(name, (), lambda: lambda at: not self._is_active())

    def _move_to(self, *arguments: Any) -> Task:
        """Walk to (x, y, theta) in FRAME_ROBOT, or along a list of such moves.

        A time (s) for a single move, and a move configuration, can follow.
        """
        if isinstance(arguments[0], (list, tuple)):
            listed, others = arguments[0], arguments[1:]
        else:
            listed, others = [arguments[:3]], arguments[3:]
        moves = [nao.finite_numbers(move).tolist() for move in listed]
        if not moves or any(len(move) != 3 for move in moves):
            raise NaoError("a place must be [x, y, theta]")
        given = 0.0
        if len(moves) == 1 and others and isinstance(others[0], (int, float)):
            (given,), others = simulated.checked_times([others[0]]), others[1:]
        highest = simulated.highest_velocity(*others)
        self.stop()
        self._stand_up()
        # If the given time is too short, the walk takes the shortest possible one.
        seconds = [max(simulated.seconds_for(move, highest), given) for move in moves]
        return self._walk("moveTo", nao.places_along(moves), np.cumsum(seconds).tolist())

    def _walk(self, name: str, places: Sequence[Sequence[float]], times: Sequence[float]) -> Task:
        def begin() -> Step:
            trajectory = simulated.WalkTrajectory(self._model, places, times)

            def step(at: float) -> bool:
                if not self._robot.can_walk:
                    self._model.next_position = None
                    self._robot.report_failed_move(at > 0.0)
                    return True
                return trajectory.step(at)

            return step

        task = self._robot.task(name, (WALK,), begin)
        task.outcome = lambda: task.is_complete and self._robot.can_walk
        return task

    def _stand_up(self) -> None:
        """Stand up if necessary: a walk starts in a standing posture."""
        robot = self._robot
        stands_up = any(task.name == "standUp" for task in robot.board.listed())
        if robot.family != "Standing" and robot.can_walk and not stands_up:
            self._take_posture("standUp", WALK)

    def _take_posture(self, name: str, *also: str) -> Task:
        """Move the legs, and the arms that the walk controls, to the posture of the walk."""
        arms = [arm for arm, is_enabled in self._arms.items() if is_enabled]
        return self._robot.go_to_posture(
            name, "StandInit", STANDING_UP_SPEED, *also, chains=["Legs", *arms]
        )

    def _set_steps(self, legs: Any, steps: Any, times: Any, clear: Any) -> None:
        legs, steps = _listed(legs, steps)
        knots = [float(time) for time in ([times] if isinstance(times, (int, float)) else times)]
        if len(knots) != len(legs):
            raise NaoError(f"{len(knots)} times for {len(legs)} foot steps")
        self._step_along("setFootSteps", legs, steps, knots, clear)

    def _set_steps_with_speed(self, legs: Any, steps: Any, fractions: Any, clear: Any) -> Task:
        legs, steps = _listed(legs, steps)
        speeds = nao.per_joint(legs, fractions, "speed")
        if not all(0.0 < speed <= 1.0 for speed in speeds):
            raise NaoError(f"the speeds of foot steps must be in (0, 1], not {speeds}")
        times = np.cumsum([simulated.STEP_PERIOD / speed for speed in speeds]).tolist()
        return self._step_along("setFootStepsWithSpeed", legs, steps, times, clear)

    def _step_along(
        self, name: str, legs: list[str], steps: list[Any], times: list[float], clear: Any
    ) -> Task:
        times = simulated.checked_times(times)
        if clear:
            self.stop()
        self._stand_up()
        robot = nao.planar(*self._model.get_robot_position(False))
        feet = {leg: inverse(robot) @ T for leg, T in self._feet().items()}
        if self._steps:
            feet = self._feet_then
        places = []
        for leg, step in zip(legs, steps, strict=True):
            other = nao.FEET[1 - nao.FEET.index(leg)]
            feet[leg] = feet[other] @ nao.planar(*_limited(leg, step))
            places.append(nao.place_of(nao.robot_frame(*(feet[leg] for leg in nao.FEET))))
        end = nao.planar(*places[-1])
        self._feet_then = {leg: inverse(end) @ T for leg, T in feet.items()}
        task = self._walk(name, places, times)
        self._steps[task] = [
            [leg, time, [float(value) for value in step]]
            for leg, step, time in zip(legs, steps, times, strict=True)
        ]
        task.add_done_callback(lambda _: self._steps.pop(task))
        return task

    def _get_steps(self) -> list[Any]:
        feet = [nao.place_of(T) for T in self._feet().values()]
        return [feet, [], [step for steps in self._steps.values() for step in steps]]

    def _feet(self) -> dict[str, Any]:
        return {
            leg: nao.planar(*nao.place_of(self._model.pose(leg, nao.SPACE_WORLD, False)))
            for leg in nao.FEET
        }

    def _gait(self, config: str) -> list[list[Any]]:
        if config not in CONFIGURATIONS:
            raise unknown_name("move configuration", config, CONFIGURATIONS)
        column = CONFIGURATIONS[config]
        return [[name, values[column]] for name, values in GAIT.items()]

    def _arms_enabled(self, chain: str) -> bool:
        if chain == "Arms":
            return all(self._arms.values())
        if chain not in self._arms:
            raise unknown_name("arm", chain, ("LArm", "RArm", "Arms"))
        return self._arms[chain]

    def _enable_arms(self, left: Any, right: Any) -> None:
        self._arms = {"LArm": bool(left), "RArm": bool(right)}


def _listed(legs: Any, steps: Any) -> tuple[list[str], list[Any]]:
    legs = [legs] if isinstance(legs, str) else list(legs)
    steps = [steps] if steps and isinstance(steps[0], (int, float)) else list(steps)
    unknown = [leg for leg in legs if leg not in nao.FEET]
    if unknown or not legs or len(legs) != len(steps) or any(len(step) != 3 for step in steps):
        raise NaoError("a foot step must be LLeg or RLeg, with [x, y, theta]")
    for step in steps:
        nao.finite_numbers(step)
    return legs, steps


def _limited(leg: str, step: Sequence[float]) -> tuple[float, float, float]:
    """Return a foot step clamped to the limits of the gait: x, y (m), theta (rad)."""
    side = 1.0 if leg == nao.FEET[0] else -1.0
    _, nearest, farthest = GAIT["MaxStepY"]
    longest, widest = GAIT["MaxStepX"][2], GAIT["MaxStepTheta"][2]
    x, y, theta = step
    return (
        float(np.clip(x, -longest, longest)),
        side * float(np.clip(side * y, nearest - 0.001, farthest)),
        float(np.clip(theta, -widest, widest)),
    )
