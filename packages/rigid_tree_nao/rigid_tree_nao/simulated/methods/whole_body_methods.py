"""ALMotion's whole-body control, for a robot without dynamics.

With the balance constraint, or in wbGoToBalance, the torso moves over fixed feet until the center
of mass is above the middle of the support. A controlled effector follows its target, and the torso
compensates for the motion of the center of mass. The feet never move.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.model.transforms import inverse
from rigid_tree_nao import model as nao
from rigid_tree_nao.errors import NaoError, unknown_name
from rigid_tree_nao.simulated.methods.cartesian_methods import CartesianMethods, solving
from rigid_tree_nao.simulated.robot import (
    Curve,
    Late,
    SimulatedRobot,
    Task,
    checked_times,
    smooth_curve,
)

FOOT_STATES = ("Fixed", "Plane", "Free")
SUPPORTS = ("Legs", *nao.FEET)
MASKS = {"Head": 56, "LArm": 7, "RArm": 7}  # orientation of the head, position of a hand
OPTIMIZED = ("All", "Arms", "Legs", *nao.CHAINS, "Torso", "Com")
WHOLE_POSE = 63
SPEED = 0.3  # fraction, at which an effector follows its target
BALANCED = 1e-4  # m between the center of mass and the middle of the support, on the ground
TRIALS = 12


class WholeBodyMethods:
    """ALMotion's methods of whole-body control, by their names in ``methods``."""

    def __init__(self, robot: SimulatedRobot, cartesian: CartesianMethods) -> None:
        self._robot = robot
        self._model = robot.model
        self._cartesian = cartesian
        self._is_enabled = False
        self._feet = dict.fromkeys(nao.FEET, FOOT_STATES[0])
        self._support = ""  # of the balance constraint; empty: none
        self._controlled: set[str] = set()
        self.methods: dict[str, Callable[..., Any]] = {
            "wbEnable": self._enable,
            "wbFootState": self._set_foot_state,
            "wbEnableBalanceConstraint": self._enable_balance,
            "wbGoToBalance": Late(solving, self._go_to_balance),
            "wbGoToBalanceWithSpeed": Late(solving, self._go_to_balance_with_speed),
            "wbEnableEffectorControl": self._enable_effector,
            "wbSetEffectorControl": Late(solving, self._set_effector),
            "wbEnableEffectorOptimization": self._enable_optimization,
        }

    def _enable(self, enable: Any) -> None:
        self._is_enabled = bool(enable)
        if not self._is_enabled:
            self._support = ""
            self._controlled.clear()

    def _set_foot_state(self, state: str, leg: str) -> None:
        self._check_enabled()
        _check("foot state", state, FOOT_STATES)
        _check("support leg", leg, SUPPORTS)
        for name in nao.FEET if leg == SUPPORTS[0] else (leg,):
            self._feet[name] = state

    def _enable_balance(self, enable: Any, leg: str) -> None:
        self._check_enabled()
        _check("support leg", leg, SUPPORTS)
        self._support = leg if enable else ""

    def _enable_effector(self, name: str, enable: Any) -> None:
        """Switch the control of an effector, which also enables whole-body control."""
        _check("effector", name, MASKS)
        self._is_enabled |= bool(enable)
        (self._controlled.add if enable else self._controlled.discard)(name)

    def _enable_optimization(self, name: str, enable: Any) -> None:  # without effect
        self._check_enabled()
        _check("effector", name, OPTIMIZED)

    def _go_to_balance(self, leg: str, duration: float) -> Task:
        (seconds,) = checked_times([duration])
        return self._balance("wbGoToBalance", leg, lambda angles: seconds)

    def _go_to_balance_with_speed(self, leg: str, fraction: float) -> Task:
        def seconds(angles: dict[str, float]) -> float:
            return self._robot.seconds_to(angles, fraction)

        return self._balance("wbGoToBalanceWithSpeed", leg, seconds)

    def _balance(self, name: str, leg: str, duration: Callable[[dict[str, float]], float]) -> Task:
        """Add a task that balances on a leg; ``duration`` takes the legs' angles (rad)."""
        self._check_enabled()
        _check("support leg", leg, SUPPORTS)
        body = self._robot.body

        def make() -> tuple[dict[str, Curve], float]:
            commands = self._model.commands
            angles = self._balanced(leg, commands.copy())
            seconds = duration(angles)
            return {
                joint: smooth_curve(float(commands[body.index[joint]]), [angle], [seconds])
                for joint, angle in angles.items()
            }, seconds

        task = self._robot.follow(name, body.joints(nao.FEET), make)
        task.outcome = lambda: task.is_complete
        return task

    def _set_effector(self, name: str, target: Sequence[float]) -> None:
        self._check_enabled()
        _check("effector", name, MASKS)
        if name not in self._controlled:
            raise NaoError(f"call wbEnableEffectorControl('{name}', True) first")
        numbers = nao.finite_numbers(target).tolist()
        if len(numbers) not in (3, 6):
            raise NaoError(f"a target must have 3 or 6 numbers, not {len(numbers)}")
        pose = numbers if len(numbers) == 6 else [0.0] * 3 + numbers
        if len(numbers) == 3 and name != "Head":
            pose = numbers + [0.0] * 3
        body, commands = self._robot.body, self._model.commands.copy()
        angles = self._cartesian.solver.angles(
            name, nao.SPACE_ROBOT, nao.pose_of(pose), MASKS[name], commands
        )
        if self._support:
            commands[body.places(angles)] = list(angles.values())
            angles |= self._balanced(self._support, commands)
        self._robot.drives.aim(angles, SPEED)

    def _balanced(self, leg: str, commands: Array) -> dict[str, float]:
        """Return the leg angles (rad) that place the center of mass above one foot or both.

        ``commands`` are the future angles of all joints. Raises NaoError if the legs cannot reach
        such a pose.
        """
        model, body = self._model, self._robot.body
        before = model.commands.copy()
        feet = [model.pose(foot, nao.SPACE_WORLD, False) for foot in nao.FEET]
        supports = feet if leg == SUPPORTS[0] else [feet[nao.FEET.index(leg)]]
        middle = np.mean([foot[:2, 3] for foot in supports], axis=0)
        T_world_torso = model.pose("Torso", nao.SPACE_WORLD, False)
        # Upright: with an inclined torso, the common hip motor cannot keep both feet flat.
        target = nao.planar(*nao.place_of(T_world_torso))
        target[2, 3] = T_world_torso[2, 3]
        angles: dict[str, float] = {}
        try:
            for _ in range(TRIALS):
                angles = self._cartesian.solver.angles(
                    "Torso", nao.SPACE_WORLD, target, WHOLE_POSE, before
                )
                model.commands[:] = commands
                model.commands[body.places(angles)] = list(angles.values())
                # The torso's frame relative to the ground follows from the fixed feet.
                T = target @ inverse(model.pose("Torso", nao.SPACE_WORLD, False))
                com = T @ np.array([*model.get_com("Body", nao.SPACE_WORLD, False), 1.0])
                model.commands[:] = before
                miss = middle - com[:2]
                if np.hypot(*miss) < BALANCED:
                    return angles
                target[:2, 3] += miss
        finally:
            model.commands[:] = before
        raise NaoError("the legs do not reach a balanced posture")

    def _check_enabled(self) -> None:
        if not self._is_enabled:
            raise NaoError("whole body control is not enabled: call wbEnable(True) first")


def _check(what: str, name: str, known: Any) -> None:
    if name not in known:
        raise unknown_name(what, name, known)
