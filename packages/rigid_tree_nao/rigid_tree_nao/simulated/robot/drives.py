"""NAO's joint drives: commands move at limited speed; sensors of stiff joints follow."""

from collections.abc import Mapping, Sequence

import numpy as np

from rigid_tree_kinematics.arrays import Array
from rigid_tree_nao.errors import NaoError
from rigid_tree_nao.model import (
    NaoMotionModel,
    couple_hips,
    per_joint,
    with_both_hips,
    within_limits,
)

# Motor currents of holding and of lagging; invented, of a realistic magnitude.
HOLDING_CURRENT = 0.1  # A at full stiffness
CURRENT_PER_LAG = 5.0  # A/rad


class JointDrives:
    """Moves the model's commands towards targets, and its sensors towards commands."""

    def __init__(self, model: NaoMotionModel) -> None:
        self._model = model
        count = len(model.commands)
        self._targets: Array = np.full(count, np.nan)  # rad; nan: none
        self._speeds: Array = np.zeros(count)  # rad/s
        self.currents: Array = np.zeros(count)  # A
        self.are_moving = True  # commands or sensors changed in the last cycle

    def aim(self, angles: Mapping[str, float], fraction: float | Sequence[float]) -> None:
        """Set targets (joint -> rad), clamped, for a fraction of the maximum speed.

        It is one fraction for all joints, or one each. Raises NaoError outside [0, 1].
        """
        body = self._model.body
        fractions = dict(zip(angles, per_joint(tuple(angles), fraction, "fraction"), strict=True))
        for value in fractions.values():
            if not 0.0 <= value <= 1.0:
                raise NaoError(f"the fraction of the maximum speed must be in [0, 1], not {value}")
        fractions = couple_hips(body, fractions)
        for name, angle in couple_hips(body, dict(angles)).items():
            place = body.index[name]
            self._targets[place] = np.clip(angle, body.lower[place], body.upper[place])
            self._speeds[place] = fractions[name] * body.velocity[place]

    def remove(self, names: set[str]) -> None:
        """Remove the targets of these joints; their commands are unchanged."""
        self._targets[self._model.body.places(with_both_hips(names))] = np.nan

    def aims(self) -> Array:
        """Return the targets, or the commands of joints without one (rad, order of "Body")."""
        return np.where(np.isnan(self._targets), self._model.commands, self._targets)

    def step(self, seconds: float, held: set[str]) -> None:
        """Move for a cycle of ``seconds`` (s); tasks command the ``held`` joints."""
        model, body = self._model, self._model.body
        moving = ~np.isnan(self._targets)
        moving[body.places(held & body.index.keys())] = False
        if moving.any():
            before = model.commands.copy()
            reach = self._speeds[moving] * seconds
            ahead = self._targets[moving] - model.commands[moving]
            model.commands[moving] += np.clip(ahead, -reach, reach)
            model.commands[:] = within_limits(body, model.commands)
            # At the target, or at a coupled limit that does not move either.
            self._targets[moving & (model.commands == before)] = np.nan

        stiff = model.stiffnesses > 0.0
        lag = model.commands - model.sensors
        fastest = np.where(stiff, body.velocity * seconds, 0.0)
        model.sensors += np.clip(lag, -fastest, fastest)
        self.are_moving = bool(moving.any() or (fastest @ np.abs(lag)) > 0.0)
        self.currents = model.stiffnesses * (HOLDING_CURRENT + CURRENT_PER_LAG * np.abs(lag))
