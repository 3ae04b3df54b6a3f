"""Two Pandas carry a stick together: differential inverse kinematics with several tasks.

python examples/carry_together.py
python examples/carry_together.py carry.gif  # also writes an animation
"""

import sys

import numpy as np

from rigid_tree_kinematics import Joint, RigidBody, RigidBodyTree, load_robot
from rigid_tree_kinematics.collision import CollisionChecker, Obstacle, Scene
from rigid_tree_kinematics.figures import animate
from rigid_tree_kinematics.ik import (
    CollisionBarrier,
    DifferentialIK,
    FrameTask,
    PostureTask,
    RelativeFrameTask,
)
from rigid_tree_kinematics.model import Box, Sphere, Visual
from rigid_tree_kinematics.model.transforms import inverse, transform

DT = 0.005  # s
STEPS = 1600
READY = [0.0, -0.785, 0.0, -2.356, 0.0, 1.571, 0.785]
STICK = Box((0.03, 0.6, 0.03))  # m, from hand to hand


def add_arm(tree: RigidBodyTree, side: str, y: float) -> str:
    """Add a Panda beside the others; the side is the prefix of its names. Return its flange."""
    arm = load_robot("panda")
    mount = Joint(f"{side}_mount")
    mount.set_fixed_transform(transform((0.0, y, 0.0)))
    tree.add_body(RigidBody(f"{side}_{arm.base_name}", mount), tree.base_name)
    for body in arm.bodies:
        joint = body.joint.copy(f"{side}_{body.joint.name}")
        tree.add_body(body.copy(f"{side}_{body.name}", joint), f"{side}_{body.parent.name}")
    return f"{side}_panda_link8"


def main(file: str = "") -> None:
    robot = RigidBodyTree("two_pandas", "world")
    left, right = add_arm(robot, "left", 0.3), add_arm(robot, "right", -0.3)
    home = [*READY, *READY]
    flange = robot.get_transform(home, left)
    stick = transform(flange[:3, 3] + (0.0, -0.3, -0.08))

    scene, ball = Scene(), stick @ transform((0.1, 0.0, -0.15))
    scene.add(Obstacle.of("ball", Sphere(0.1), ball))
    scene.add(Obstacle.of("stick", STICK, stick))
    scene.attach("stick", left, inverse(flange) @ stick)
    checker = CollisionChecker(robot, scene)

    # The right hand stays where it is relative to the left one: both hold the stick.
    grip = RelativeFrameTask(right, left, priority=0)
    lead = FrameTask(left)
    posture = PostureTask(priority=2)
    ik = DifferentialIK(
        robot,
        [grip, lead, posture],
        start=home,
        barriers=[CollisionBarrier(checker, 0.03)],
        acceleration_limits=dict.fromkeys(robot.joint_names, 10.0),
    )
    held = robot.get_transform(home, right, left)

    # The target moves the stick through the ball; the robot slides it around the ball.
    nearest, loosest, path = np.inf, 0.0, []
    for k in range(STEPS):
        angle = 2.0 * np.pi * k / STEPS
        shift = transform((0.12 * np.sin(angle), 0.0, 0.12 * (np.cos(angle) - 1.0)))
        lead.set_target(shift @ flange)
        step = ik.step(DT)
        if k % 20 == 0:
            path.append(step.configuration)
            nearest = min(nearest, checker.distance(step.configuration).distance)
            grasp = robot.get_transform(step.configuration, right, left)
            loosest = max(loosest, float(np.abs(grasp - held).max()))
        if k % 200 == 0:
            print(f"{k * DT:4.1f} s: {step.message}")
    print(f"smallest distance {1e3 * nearest:.1f} mm, grasp within {1e3 * loosest:.3f} mm")
    if file:
        robot.base.visuals.append(Visual(Sphere(0.1), ball))
        robot.get_body(left).visuals.append(Visual(STICK, inverse(flange) @ stick))
        times = np.linspace(0.0, 0.5 * STEPS * DT, len(path))  # twice as fast
        animate(robot, path, file, times=times, trace=left)


if __name__ == "__main__":
    main(*sys.argv[1:])
