"""Random steps of differential IK into limits, singularities and obstacles, judged on the way.

Five robots chase random targets, in and out of reach, among random boxes; each episode has its
own scene, start and time step. Pinocchio and coal check every configuration: the robot may not be
in collision with a box or itself. The largest excess of a limit (rad, m and s) may be 1e-9, all
numbers are finite, and every step has an answer. ``--steps`` are those of each robot.
"""

import time
from typing import Any

import coal
import numpy as np
import pinocchio as pin

from benchmarks.frame import Report, main
from benchmarks.planning.pillars_scene import Judge
from rigid_tree_kinematics import RigidBodyTree, load_robot
from rigid_tree_kinematics.collision import CollisionChecker, Obstacle, Scene
from rigid_tree_kinematics.description import write_urdf
from rigid_tree_kinematics.errors import RigidTreeError
from rigid_tree_kinematics.ik.differential import (
    CollisionBarrier,
    DifferentialIK,
    FrameTask,
    PostureTask,
    StepStatus,
)
from rigid_tree_kinematics.model import Box
from rigid_tree_kinematics.model.joints.mimic import resolve_mimic
from rigid_tree_kinematics.model.transforms import transform

ROBOTS = ["panda", "ur5", "panda_hand", "puma560", "nao"]
ACCELERATION = 8.0  # rad/s^2 or m/s^2
OF_EPISODE, OF_TARGET = 1000, 100  # steps
CLEAR = 0.35  # m, around the robot's base


class Attack:
    """Random steps of one robot."""

    def __init__(self, robot: str, seed: int) -> None:
        self.tree, self._rng = load_robot(robot), np.random.default_rng(seed)
        self.reference = Reference(self.tree)
        self.seconds, self.excess = 0.0, 0.0
        self.found = dict.fromkeys(("steps", "in collision", "not finite", "unanswered"), 0)
        self.found |= {status.value: 0 for status in StepStatus}

    def run(self, steps: int) -> dict[str, Any]:
        """Take steps, in episodes; return the figures."""
        while self.found["steps"] < steps:
            self._episode(min(OF_EPISODE, steps - self.found["steps"]))
        each = {"us a step": 1e6 * self.seconds / max(self.found["steps"], 1)}
        return self.found | {"excess": self.excess} | each

    def _episode(self, steps: int) -> None:
        tree, rng, found = self.tree, self._rng, self.found
        compiled, tip, dt = (
            tree.compiled(),
            tree.body_names[-1],
            float(10.0 ** rng.uniform(-3, -2)),
        )
        boxes = self.random_boxes()
        scene = Scene(Obstacle.of(f"box{k}", *box) for k, box in enumerate(boxes))
        checker = CollisionChecker(tree, scene)
        touches = self.reference.judge(boxes, checker).touches
        start = tree.random_configuration(rng)
        while not checker.is_free(start):
            start = tree.random_configuration(rng)
        hand, limits = FrameTask(tip), dict.fromkeys(compiled.joint_names, ACCELERATION)
        ik = DifferentialIK(
            tree,
            [hand, PostureTask(0.1, priority=2)],
            start=start,
            barriers=[CollisionBarrier(checker)],
            acceleration_limits=limits,
        )
        before = ik.velocity
        for number in range(steps):
            if number % OF_TARGET == 0:
                T = tree.get_transform(tree.random_configuration(rng), tip)
                hand.set_target(transform(rng.choice([0.0, 0.5]) * rng.normal(size=3)) @ T)
            found["steps"] += 1
            started = time.process_time()
            try:
                step = ik.step(dt)
            except RigidTreeError:
                found["unanswered"] += 1
                continue
            self.seconds += time.process_time() - started
            q, v = step.configuration, step.velocity
            found[step.status.value] += 1
            found["not finite"] += not np.isfinite(step.numbers).all()
            over = np.concatenate(
                (
                    compiled.lower - q,
                    q - compiled.upper,
                    np.abs(v) - compiled.velocity_limit,
                    np.abs(v - before) - ACCELERATION * dt,
                )
            )
            self.excess = max(self.excess, float(over.max()))
            found["in collision"] += touches(self.reference.positions(q))
            before = v

    def random_boxes(self) -> list[tuple[Box, np.ndarray]]:
        """Return boxes with their poses."""
        boxes, rng = [], self._rng
        for _ in range(4):
            place = rng.uniform((-0.8, -0.8, -0.3), (0.8, 0.8, 1.0))
            if np.linalg.norm(place[:2]) > CLEAR:
                boxes.append((Box(tuple(rng.uniform(0.05, 0.3, 3))), transform(place)))
        return boxes


class Reference:
    """Pinocchio's model of a tree, with coal's shapes."""

    def __init__(self, tree: RigidBodyTree) -> None:
        urdf, kind = write_urdf(tree), pin.GeometryType.COLLISION
        self.model = pin.buildModelFromXML(urdf)
        self._shapes = pin.buildGeomFromUrdfString(self.model, urdf, kind, None, [])
        joints, compiled = {joint.name: joint for joint in tree.joints}, tree.compiled()
        self._rows = []  # the place of each joint's position, and how it follows from ours
        for name in list(self.model.names)[1:]:
            source, multiplier, offset = resolve_mimic(joints[name], joints, tree.name)
            at = self.model.joints[self.model.getJointId(name)].idx_q
            self._rows.append((at, compiled.slot_of(source.name)[0], multiplier, offset))

    def positions(self, q: np.ndarray) -> np.ndarray:
        """Return Pinocchio's configuration."""
        result: np.ndarray = pin.neutral(self.model)
        for at, ours, multiplier, offset in self._rows:
            result[at] = multiplier * q[ours] + offset
        return result

    def judge(self, boxes: list[tuple[Box, np.ndarray]], checker: CollisionChecker) -> Judge:
        """Return a checker of the boxes and of the pairs of bodies that ``checker`` has."""
        shapes, model = self._shapes.copy(), self.model
        bodies = [model.frames[shape.parentFrame].name for shape in shapes.geometryObjects]
        pairs = {frozenset(pair) for pair in checker.self_pairs}
        for b, second in enumerate(bodies):
            for a in range(b):
                if frozenset((bodies[a], second)) in pairs:
                    shapes.addCollisionPair(pin.CollisionPair(a, b))
        for k, (box, T) in enumerate(boxes):
            shape = pin.GeometryObject(f"box{k}", 0, pin.SE3(T), coal.Box(*box.size))
            row = shapes.addGeometryObject(shape)
            for a in range(len(bodies)):
                if shapes.geometryObjects[a].parentJoint > 0:
                    shapes.addCollisionPair(pin.CollisionPair(a, row))
        return Judge(model, (shapes, shapes.createData()))


def run(options: Any, report: Report) -> None:
    """Attack with each robot."""
    for robot in options.robots:
        report.row("random steps", robot, Attack(robot, options.seed).run(options.steps))


if __name__ == "__main__":
    main(run, steps=20_000, robots=ROBOTS, seed=7)
