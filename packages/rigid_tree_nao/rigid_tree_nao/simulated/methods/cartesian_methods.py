"""ALMotion's Cartesian control."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, partial
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

from rigid_tree_nao.errors import NaoError
from rigid_tree_nao.model import changed_pose, per_joint, pose_of
from rigid_tree_nao.simulated import robot as simulated
from rigid_tree_nao.simulated.robot import Curve, Late, SimulatedRobot, Task

if TYPE_CHECKING:
    from rigid_tree_nao.simulated.methods.cartesian import CartesianSolver

Names = str | Sequence[str]

SAMPLE = 0.04  # s between two solutions along a path
MOST_SAMPLES = 500  # of one path: the cycle pauses while they are computed


class CartesianMethods:
    """ALMotion's methods of Cartesian control, by their names in ``methods``."""

    def __init__(self, robot: SimulatedRobot) -> None:
        self._robot = robot
        self._model = robot.model
        self.methods: dict[str, Callable[..., Any]] = {
            "getPosition": self._model.get_position,
            "getTransform": self._model.get_transform,
        }
        for kind in ("Position", "Transform"):
            for name in (f"set{kind}", f"set{kind}s"):
                self.methods[name] = Late(solving, self._set_poses)
            self.methods[f"change{kind}"] = Late(solving, self._change_pose)
            for name in (f"{kind.lower()}Interpolation", f"{kind.lower()}Interpolations"):
                self.methods[name] = Late(solving, self._interpolation(name))

    @cached_property
    def solver(self) -> CartesianSolver:
        """The solver; call ``solving`` before."""
        solver: CartesianSolver = solving().CartesianSolver(self._model)
        return solver

    def _set_poses(
        self, names: Names, spaces: Any, poses: Any, fraction: float, masks: Any
    ) -> None:
        effectors = _listed(names)
        rows = [poses] if isinstance(poses[0], (int, float)) else list(poses)
        if len(rows) != len(effectors):
            raise NaoError(f"{len(rows)} poses for {len(effectors)} effectors")
        goals = [
            (effector, space, pose_of(row), mask)
            for effector, space, row, mask in zip(
                effectors, _each(spaces, effectors), rows, _each(masks, effectors), strict=True
            )
        ]
        self._aim(goals, fraction)

    def _change_pose(
        self, name: str, space: int, change: Sequence[float], fraction: float, mask: int
    ) -> None:
        present = self._model.pose(name, int(space), False)
        goal = changed_pose(present, pose_of(change))
        self._aim([(name, int(space), goal, int(mask))], fraction)

    def _aim(self, goals: list[tuple[str, int, Any, int]], fraction: float) -> None:
        start = self._model.commands.copy()
        for effector, space, goal, mask in goals:
            angles = self.solver.angles(effector, space, goal, mask, start)
            self._robot.drives.aim(angles, fraction)

    def _interpolation(self, method: str) -> Callable[..., Task]:
        def interpolate(
            names: Names, spaces: Any, paths: Any, masks: Any, times: Any, is_absolute: Any = True
        ) -> Task:
            effectors = _listed(names)
            if isinstance(names, str) or len(effectors) == 1:
                paths, times = [_path(paths)], [_numbers(times)]
            columns = (
                effectors,
                _each(spaces, effectors),
                [[pose_of(pose) for pose in _path(path)] for path in paths],
                _each(masks, effectors),
                [simulated.checked_times(_numbers(row)) for row in times],
            )
            motions = list(zip(*columns, strict=True))
            for effector, space, poses, mask, knots in motions:
                if len(poses) != len(knots):
                    raise NaoError(f"{len(poses)} poses for {len(knots)} times of {effector}")
                self.solver.angles(effector, space, poses[0], mask, self._model.commands)
            moved = ["Legs" if effector == "Torso" else effector for effector in effectors]
            joints = {joint for name in moved for joint in self._model.body.joints(name)}
            return self._robot.follow(
                method, joints, lambda: self._curves(motions, bool(is_absolute))
            )

        return interpolate

    def _curves(self, motions: list[Any], absolute: bool) -> tuple[Mapping[str, Curve], float]:
        """Solve each path from the effector's current pose."""
        curves: dict[str, Curve] = {}
        end = 0.0
        for effector, space, poses, mask, knots in motions:
            present = self._model.pose(effector, space, False)
            goals = poses if absolute else [changed_pose(present, pose) for pose in poses]
            count = int(np.clip(np.ceil(knots[-1] / SAMPLE), 1, MOST_SAMPLES))
            times = np.linspace(0.0, knots[-1], count + 1)
            start = self._model.commands.copy()
            samples: dict[str, list[float]] = {}
            for T in solving().path_poses([present, *goals], [0.0, *knots], times.tolist()):
                angles = self.solver.angles(effector, space, T, mask, start)
                for joint, angle in angles.items():
                    start[self._model.body.index[joint]] = angle
                    samples.setdefault(joint, []).append(angle)
            curves |= {name: partial(_curve, times, row) for name, row in samples.items()}
            end = max(end, knots[-1])
        return curves, end


def solving() -> ModuleType:
    """Import and return the solver's module, which loads the compiled kernels."""
    return importlib.import_module("rigid_tree_nao.simulated.methods.cartesian")


def _curve(times: Any, values: list[float], at: float) -> float:
    return float(np.interp(at, times, values))


def _listed(names: Names) -> list[str]:
    listed = [names] if isinstance(names, str) else list(names)
    if not listed:
        raise NaoError("no effector was given")
    return listed


def _each(values: Any, effectors: Sequence[str]) -> list[int]:
    return [int(value) for value in per_joint(effectors, values, "number")]


def _path(path: Any) -> list[Any]:
    """Return a list of poses from one pose or a path."""
    if path and isinstance(path[0], (int, float)):
        return [path]
    if path and path[0] and not isinstance(path[0][0], (int, float)):
        return list(path[0])
    return list(path)


def _numbers(values: Any) -> list[float]:
    if isinstance(values, (int, float)):
        return [float(values)]
    if values and not isinstance(values[0], (int, float)):
        return [float(value) for value in values[0]]
    return [float(value) for value in values]
