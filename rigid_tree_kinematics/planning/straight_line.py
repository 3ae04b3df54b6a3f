"""A body's way along straight lines between poses, joint by joint."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rigid_tree_kinematics.collision import CollisionChecker
from rigid_tree_kinematics.ik import InverseKinematics
from rigid_tree_kinematics.kinematics import body_transform
from rigid_tree_kinematics.model import CompiledTree
from rigid_tree_kinematics.model.transforms import Array, axis_angle_matrix, rotation_log
from rigid_tree_kinematics.planning.deadline import Deadline

TURN_STEP = 0.1  # rad, longest turn between two configurations
LONGEST_JUMP = 0.5  # rad or m, of a joint between two neighbours: more is another branch


@dataclass(frozen=True, eq=False)
class StraightLine:
    """How far a body comes along its way.

    Args:
        path: the configurations (k, nq), the start first.
        fraction: of the way, 0 to 1.
        trouble: what stopped it; empty at the end of the way.
    """

    path: Array
    fraction: float
    trouble: str


def follow_straight_line(
    compiled: CompiledTree,
    body: str,
    start: Array,
    poses: Sequence[Array],
    step: float,
    *,
    locked: Sequence[str] = (),
    checker: CollisionChecker | None = None,
    longest_jump: float = LONGEST_JUMP,
    deadline: Deadline,
) -> StraightLine:
    """Lead a body from where it is at ``start`` along straight lines through ``poses``.

    Args:
        compiled: the robot.
        body: the body.
        start: a configuration (nq,).
        poses: 4x4 each, in the base's frame.
        step: m, longest way between two configurations.
        locked: joints that stay where they are.
        checker: what must not be touched on the way; None: anything may.
        longest_jump: rad or m, of a joint between two configurations.
        deadline: until when to go on.

    Raises UnknownNameError and ModelError for names that make no sense.
    """
    solver = InverseKinematics(compiled, body, locked=locked, random_seed=0)
    path = [np.array(start, dtype=np.float64)]
    ways = _samples(body_transform(compiled, path[0], body), poses, step)
    for number, pose in enumerate(ways, start=1):
        trouble = ""
        if deadline.over:
            trouble = "the time is over"
        else:
            found = solver.solve(pose, path[-1], max_step=longest_jump, max_restarts=0)
            if not found.success:
                at = found.joints_at_limits
                limit = f" ({', '.join(at)} at a limit)" if at else ""
                trouble = f"no joint positions near the last ones{limit}"
            elif checker is not None:
                contact = checker.motion_contact(path[-1], found.configuration)
                if contact is not None:
                    trouble = f"'{contact.first}' touches '{contact.second}'"
        if trouble:
            done = (number - 1) / len(ways)
            where = ", ".join(f"{value:.3f}" for value in pose[:3, 3])
            return StraightLine(
                np.array(path), done, f"{trouble} at {100.0 * done:.1f} % of the way, ({where}) m"
            )
        path.append(np.array(found.configuration))
    return StraightLine(np.array(path), 1.0, "")


def _samples(start: Array, poses: Sequence[Array], step: float) -> list[Array]:
    """Return poses along the way, the start left out: straight, turning about one axis each."""
    samples = []
    for end in poses:
        shift = end[:3, 3] - start[:3, 3]
        turn = rotation_log(start[:3, :3].T @ end[:3, :3])
        angle = float(np.linalg.norm(turn))
        length = float(np.linalg.norm(shift))
        count = max(1, math.ceil(length / step), math.ceil(angle / TURN_STEP))
        for k in range(1, count):
            pose = start.copy()
            pose[:3, 3] += (k / count) * shift
            if angle > 0.0:
                pose[:3, :3] = start[:3, :3] @ axis_angle_matrix(turn / angle, k / count * angle)
            samples.append(pose)
        samples.append(end)
        start = end
    return samples
