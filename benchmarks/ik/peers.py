"""Other solvers as functions (target, start) -> joint positions, with tight tolerances."""

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.ik.problem import Problem
from rigid_tree_kinematics import InverseKinematics
from rigid_tree_kinematics.ik.branches import screws_at_zero
from rigid_tree_kinematics.ik.chain.layout import BEFORE, SLIDES, STEP_MULTIPLIER

PINK_STEPS = 100
PINK_RESTARTS = 100


class NotForThisRobotError(Exception):
    """The solver does not support this robot."""


def roboticstoolbox(problem: Problem) -> Callable[[np.ndarray, np.ndarray], Any]:
    """The C solver ik_LM of roboticstoolbox: Chan's damping, tolerance 1e-9, 100 restarts."""
    from roboticstoolbox import ET, ETS

    chain = InverseKinematics(problem.tree, problem.tip, problem.base).chain
    parts: list[Any] = []
    for number, row in enumerate(chain.steps):
        T = np.eye(4)
        T[:3] = row[BEFORE : BEFORE + 12].reshape(3, 4)
        parts.append(ET.SE3(T))
        if number < len(chain.steps) - 1:
            limits = [problem.lower[number], problem.upper[number]]
            kind = ET.tz if row[SLIDES] else ET.Rz
            parts.append(kind(qlim=limits, flip=bool(row[STEP_MULTIPLIER] < 0)))
    arm = ETS(parts)
    return lambda target, start: arm.ik_LM(target, q0=start, tol=1e-9, k=0.1, slimit=100).q


def optik(problem: Problem) -> Callable[[np.ndarray, np.ndarray], Any]:
    """optik with one thread; its default tolerance is looser than 0.1 mm."""
    import optik as library

    arm = library.Robot.from_urdf_file(str(problem.file), problem.base, problem.tip)
    arm.set_parallelism(1)
    config = library.SolverConfig(solution_mode="speed", max_time=0.5, tol_f=1e-12)

    def solve(target: np.ndarray, start: np.ndarray) -> Any:
        answer = arm.ik(config, target, start)
        return None if answer is None else np.array(answer[0])

    return solve


def pink(problem: Problem) -> Callable[[np.ndarray, np.ndarray], Any]:
    """pink: differential IK on Pinocchio until convergence, with random restarts."""
    import pink as library
    import pinocchio as pin

    model, data = problem.model, problem.model.createData()
    task = library.tasks.FrameTask(problem.tip, position_cost=1.0, orientation_cost=1.0)
    rng = np.random.default_rng(0)
    T_world_base = pin.SE3.Identity()

    def solve(target: np.ndarray, start: np.ndarray) -> Any:
        task.set_target(T_world_base * pin.SE3(target))
        q = start
        for _ in range(PINK_RESTARTS):
            configuration = library.Configuration(model, data, q)
            for _ in range(PINK_STEPS):
                error = task.compute_error(configuration)
                if np.linalg.norm(error) < 1e-6:
                    return configuration.q
                velocity = library.solve_ik(
                    configuration, [task], 1.0, solver="quadprog", damping=1e-8, safety_break=False
                )
                moved = configuration.integrate(velocity, 1.0)
                q = np.clip(moved, problem.lower, problem.upper)
                configuration.update(q)
                if np.linalg.norm(velocity) < 1e-7:
                    break
            q = rng.uniform(problem.lower, problem.upper)
        return None

    pin.framesForwardKinematics(model, data, problem.middle)
    T_world_base = data.oMf[model.getFrameId(problem.base)].copy()
    return solve


def eaik(problem: Problem) -> Callable[[np.ndarray, np.ndarray], Any]:
    """EAIK's closed form; selects the nearest branch within the limits."""
    from eaik.IK_HP import HPRobot

    chain = InverseKinematics(problem.tree, problem.tip, problem.base).chain
    if chain.free_count != 6 or chain.steps[:, SLIDES].any():
        raise NotForThisRobotError("supports only arms with six revolute joints")
    screws, T_zero = screws_at_zero(chain, np.zeros(6))
    points = np.vstack([screws.points, T_zero[:3, 3]])
    arm = HPRobot(screws.axes, np.diff(points, axis=0, prepend=np.zeros((1, 3))))
    if not arm.hasKnownDecomposition():
        raise NotForThisRobotError("has no closed form for this arm")
    R_zero = np.eye(4)
    R_zero[:3, :3] = T_zero[:3, :3].T

    def solve(target: np.ndarray, start: np.ndarray) -> Any:
        turned = target @ R_zero
        turned[:3, 3] = target[:3, 3]
        answer = arm.IK(turned)
        Q = np.array(answer.Q)
        exact = ~np.array(answer.is_LS, dtype=bool)
        inside = exact & (problem.lower <= Q).all(1) & (problem.upper >= Q).all(1)
        return Q[inside][np.abs(Q[inside] - start).max(1).argmin()] if inside.any() else None

    return solve
