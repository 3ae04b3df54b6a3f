"""Arms of 2 to 26 joints between two pillars, for ``benchmarks.scaling.scenes``."""

import time
from typing import Any

import numpy as np

from benchmarks.frame import percent, spread, timed
from rigid_tree_kinematics.collision import CollisionChecker, Obstacle, Scene
from rigid_tree_kinematics.model import Box, Collision, Cylinder, Joint, RigidBody, RigidBodyTree
from rigid_tree_kinematics.model.configuration import random_configuration
from rigid_tree_kinematics.model.transforms import transform
from rigid_tree_kinematics.planning import MotionPlanner, PlanSettings

JOINTS = (2, 3, 4, 5, 6, 7, 9, 12, 16, 20, 26)
LENGTH = 1.2  # m, the whole arm
RADIUS = 0.03  # m, the largest radius of its links
PLANS = 30
# Size and center, m: a table, two pillars and a beam.
BOXES = (
    ((2.0, 2.0, 0.05), (0.0, 0.0, -0.12)),
    ((0.1, 0.1, 1.0), (0.45, 0.25, 0.4)),
    ((0.1, 0.1, 1.0), (0.45, -0.25, 0.4)),
    ((0.1, 0.8, 0.1), (-0.5, 0.0, 0.4)),
)


def arm(joints: int) -> RigidBodyTree:
    """Return an arm of equal links whose joints rotate about z and y alternately."""
    tree = RigidBodyTree(f"{joints} joints", "base")
    link = LENGTH / joints
    radius = min(RADIUS, 0.2 * link)
    above = "base"
    for number in range(joints):
        joint = Joint(f"joint{number}", "revolute", [0, 0, 1] if number % 2 == 0 else [0, 1, 0])
        joint.position_limits = (-2.6, 2.6) if joints < 10 else (-1.3, 1.3)
        # The first link is upright, so that the second joint swings the rest.
        joint.set_transforms(transform((0.0, 0.0, 0.0 if number == 0 else link)), np.eye(4))
        body = RigidBody(f"link{number}", joint)
        tube = Cylinder(radius, 0.8 * link)
        body.collisions = [Collision(tube, transform((0.0, 0.0, 0.5 * link)))]
        tree.add_body(body, above)
        above = body.name
    return tree


def joints_row(joints: int) -> dict[str, Any]:
    """Return the cost of an arm's paths between random collision-free configurations."""
    robot = arm(joints)
    begin = time.process_time()
    scene = Scene(
        Obstacle.of(str(k), Box(size), transform(at)) for k, (size, at) in enumerate(BOXES)
    )
    checker = CollisionChecker(robot, scene)
    checker.prepare()
    ready = time.process_time() - begin
    rng = np.random.default_rng(joints)
    free: list[np.ndarray] = []
    asked = 0
    while len(free) < 2 * PLANS:
        q = random_configuration(checker.compiled, rng)
        asked += 1
        if checker.is_free(q):
            free.append(q)
    planner = MotionPlanner(robot, checker)
    times, solved, nodes = [], 0, []
    for start, goal in zip(free[::2], free[1::2], strict=True):
        request = start, goal, PlanSettings(shorten=False)
        result, seconds = timed(time.thread_time, planner.plan, *request, timing=False)
        times.append(1e3 * seconds)
        solved += result.success
        nodes.append(result.nodes)
    return {
        "ready ms": 1e3 * ready,
        "free": percent(len(free), asked),
        "solved": f"{solved} of {PLANS}",
        **spread(times),
        "nodes": float(np.median(nodes)),
    }
