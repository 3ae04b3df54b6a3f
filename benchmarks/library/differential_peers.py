"""Other libraries of differential inverse kinematics: a step of each, on the same robot."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

# One step: targets (4, 4) of the tips -> the new configuration (nq,).
Step = Callable[[Sequence[np.ndarray]], np.ndarray]


@dataclass(frozen=True)
class Arms:
    """Arms to move: URDF, SRDF and what they share with all libraries."""

    urdf: str
    srdf: Path
    packages: Path
    group: str
    tips: tuple[str, ...]
    start: np.ndarray  # (nq,)
    free: np.ndarray  # (nq,) whether a joint moves
    acceleration: float  # rad/s^2
    dt: float  # s


def pink(arms: Arms, posture: bool, barrier: float) -> Step:
    """pink with quadprog."""
    import pinocchio as pin
    from pink import Configuration, solve_ik
    from pink.limits import AccelerationLimit, ConfigurationLimit, VelocityLimit
    from pink.tasks import FrameTask, PostureTask

    if barrier:
        raise NotImplementedError
    model = pin.buildModelFromXML(arms.urdf)
    fingers = [model.getJointId(name) for name in model.names if "finger" in name]
    model = pin.buildReducedModel(model, fingers, pin.neutral(model))
    configuration = Configuration(model, model.createData(), arms.start[arms.free])
    tasks: list[Any] = [FrameTask(tip, 1.0, 1.0) for tip in arms.tips]
    if posture:  # without strict priorities: a small cost
        tasks.append(PostureTask(1e-3))
        tasks[-1].set_target(arms.start[arms.free])
    accelerations = AccelerationLimit(model, np.full(model.nv, arms.acceleration))
    limits = [ConfigurationLimit(model), VelocityLimit(model), accelerations]
    whole = arms.start.copy()

    def step(targets: Sequence[np.ndarray]) -> np.ndarray:
        for task, target in zip(tasks, targets, strict=False):
            task.set_target(pin.SE3(target))
        v = solve_ik(configuration, tasks, arms.dt, solver="quadprog", limits=limits)
        configuration.integrate_inplace(v, arms.dt)
        accelerations.set_last_integration(v, arms.dt)
        whole[arms.free] = configuration.q
        return np.asarray(whole)

    return step


def oink(arms: Arms, posture: bool, barrier: float) -> Step:
    """RoboPlan's OInK; its barrier is of meshes, ours of hulls, so they are not compared."""
    if barrier:
        raise NotImplementedError
    from roboplan import core
    from roboplan import optimal_ik as library

    xml = core.loadUrdfSceneDescriptionFromXml(arms.urdf, [str(arms.packages)])
    scene = core.Scene("arms", xml)
    scene.importSrdf(core.loadTextFile(str(arms.srdf)))
    solver = library.Oink(scene, arms.group)
    q = np.array(scene.toFullJointPositions(arms.group, arms.start[arms.free]))
    scene.setJointPositions(q)
    tasks: list[Any] = []
    for tip in arms.tips:
        goal = core.CartesianConfiguration()
        goal.base_frame, goal.tip_frame = "", tip
        goal.tform = np.asfortranarray(scene.forwardKinematics(q, tip))
        tasks.append(library.FrameTask(solver, scene, goal, library.FrameTaskOptions()))
    if posture:
        options = library.ConfigurationTaskOptions(priority=2)
        weights = np.ones(solver.num_variables)
        tasks.append(library.ConfigurationTask(solver, arms.start[arms.free], weights, options))
    dt, count = arms.dt, solver.num_variables
    speeds = np.array(scene.getVelocityLimitVectors(arms.group)[1])
    accelerations = library.AccelerationLimit(solver, dt, np.full(count, arms.acceleration))
    limits = [
        library.PositionLimit(solver),
        library.VelocityLimit(solver, dt, speeds),
        accelerations,
    ]
    moved, own, whole = np.zeros(count), np.array(solver.q_indices), arms.start.copy()

    def step(targets: Sequence[np.ndarray]) -> np.ndarray:
        for task, target in zip(tasks, targets, strict=False):
            task.setTargetFrameTransform(np.asfortranarray(target))
        accelerations.setLastVelocity(moved / dt)
        solver.solveIk(q, tasks, limits, [], moved, 1e-6)
        q[own] += moved
        whole[arms.free] = q[own]
        return np.asarray(whole)

    return step
