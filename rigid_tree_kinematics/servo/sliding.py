"""Joint velocities that slide along joint limits and obstacles: a step of differential IK."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from rigid_tree_kinematics.arrays import Array, Mask
from rigid_tree_kinematics.collision import CollisionChecker
from rigid_tree_kinematics.ik.differential import (
    CollisionBarrier,
    DifferentialIK,
    FrameTask,
    JointVelocityTask,
)
from rigid_tree_kinematics.kinematics import body_transform, geometric_jacobian
from rigid_tree_kinematics.model import CompiledTree
from rigid_tree_kinematics.model.transforms import axis_angle_matrix
from rigid_tree_kinematics.servo.kernels import JointArrays, StepTiming, limit
from rigid_tree_kinematics.servo.obstacles import nothing_near
from rigid_tree_kinematics.servo.settings import ServoSettings

WITHIN = 0.15  # m; nearer bodies have a barrier
Velocities = tuple[Array, tuple[str, ...]]


class Sliding:
    """The steps of a servo that slides, for one checker and one set of limits."""

    def __init__(
        self,
        compiled: CompiledTree,
        joints: tuple[str, ...],
        tip: str,
        arrays: JointArrays,
        settings: ServoSettings,
        checker: CollisionChecker | None,
    ) -> None:
        self.checker, self._joints, self._tip = checker, joints, tip
        self._arrays, self._timing = arrays, StepTiming(settings.period, False)
        columns: NDArray[np.int64] = compiled.velocity_of_position[arrays.slots]
        lower, upper = compiled.lower.copy(), compiled.upper.copy()
        accelerations = compiled.acceleration_limit.copy()
        lower[arrays.slots], upper[arrays.slots] = arrays.low, arrays.high
        accelerations[columns] = arrays.acceleration
        self._compiled = replace(
            compiled, lower=lower, upper=upper, acceleration_limit=accelerations
        )
        self._columns = columns
        self._distances = settings.self_distance, settings.scene_distance
        self._of_tip: tuple[DifferentialIK, FrameTask] | None = None
        self._of_joints: tuple[DifferentialIK, JointVelocityTask] | None = None

    def like_tip(self, q: Array, v: Array, wanted: Array, bound: Mask) -> Velocities:
        """Return velocities (k,) that move the tip as wanted ones do, if nothing is in the way.

        They are those at the end of a step that starts at ``q`` (nq,) with ``v`` (k,), and can
        follow these. Also returns the bodies along which the robot slides. ``bound`` (k,) becomes
        whether a joint's limit slows it down.
        """
        if self._of_tip is None:
            tip = FrameTask(self._tip)
            self._of_tip = self._engine(tip), tip
        engine, task = self._of_tip
        ahead = self._moved(q, 0.5 * v)
        J = geometric_jacobian(self._compiled, ahead, self._tip)
        moved = self._timing.period * (J @ self._of_all(wanted))
        T = np.array(body_transform(self._compiled, ahead, self._tip))
        if angle := float(np.linalg.norm(moved[3:])):
            T[:3, :3] = axis_angle_matrix(moved[3:] / angle, angle) @ T[:3, :3]
        T[:3, 3] += moved[:3]
        task.set_target(T)
        return self._step(engine, q, v, bound)

    def like_joints(self, q: Array, v: Array, wanted: Array, bound: Mask) -> Velocities:
        """Return velocities (k,) that are as near to wanted ones as possible, likewise."""
        if self._of_joints is None:
            joints = JointVelocityTask(dict.fromkeys(self._joints, 1.0))
            self._of_joints = self._engine(joints), joints
        engine, task = self._of_joints
        task.set_target(self._of_all(wanted))
        return self._step(engine, q, v, bound)

    def _engine(self, task: FrameTask | JointVelocityTask) -> DifferentialIK:
        barriers = []
        if self.checker is not None:
            barriers.append(CollisionBarrier(self.checker, self._distances, within=WITHIN))
        others = [name for name in self._compiled.joint_names if name not in self._joints]
        return DifferentialIK(self._compiled, [task], barriers=barriers, locked=others)

    def _step(self, engine: DifferentialIK, q: Array, v: Array, bound: Mask) -> Velocities:
        # The middle of the engine's step, where it has its velocities, is the end of the servo's.
        engine.place(self._moved(q, 0.5 * v), self._of_all(v))
        step = engine.step(self._timing.period)
        found = step.velocity[self._columns]
        # All joints stop together, so that joints near their limits slow down earlier.
        near = nothing_near(q, len(v))
        limit(self._arrays, self._timing, q, found, near.pairs, np.zeros(len(v)), bound)
        return found, step.active_barriers

    def _moved(self, q: Array, velocities: Array) -> Array:
        """Return the configuration (nq,) after a period with velocities (k,)."""
        moved: Array = q.copy()
        moved[self._arrays.slots] += self._timing.period * velocities
        return moved

    def _of_all(self, velocities: Array) -> Array:
        """Return velocities (nv,) of all joints, 0 for those outside the group."""
        of_all = np.zeros(self._compiled.velocity_count)
        of_all[self._columns] = velocities
        return of_all
