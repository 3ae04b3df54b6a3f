"""NAO reaches with its left hand; both feet stay, and the center of mass stays over them.

python packages/rigid_tree_nao/examples/nao_reach.py
"""

import numpy as np

from rigid_tree_kinematics import Joint, RigidBody, RigidBodyTree, load_robot
from rigid_tree_kinematics.ik import ComTask, DifferentialIK, FrameTask, PostureTask
from rigid_tree_kinematics.kinematics import center_of_mass
from rigid_tree_kinematics.model.transforms import transform

DT = 0.01  # s


def floating(robot: RigidBodyTree) -> RigidBodyTree:
    """Return the robot on a floating joint."""
    tree = RigidBodyTree(robot.name, "world")
    base = tree.add_body(RigidBody(robot.base_name, Joint("root", "floating")), "world")
    base.inertia = robot.base.inertia
    tree.add_subtree(robot, robot.base_name)
    return tree


def main() -> None:
    robot = floating(load_robot("nao"))
    feet = [FrameTask(foot, priority=0) for foot in ("l_sole", "r_sole")]
    balance = ComTask((1.0, 1.0, 0.0))  # free in height
    hand = FrameTask("l_gripper", orientation_cost=0.0, priority=2)
    posture = PostureTask(priority=3)
    ik = DifferentialIK(robot, [*feet, balance, hand, posture])
    q = ik.configuration
    center = center_of_mass(robot, q)
    soles = [robot.get_transform(q, foot.frame) for foot in feet]

    hand.set_target(transform((0.08, 0.02, 0.06)) @ robot.get_transform(q, "l_gripper"))
    for _ in range(300):
        step = ik.step(DT)
    q = step.configuration
    moved = max(
        np.abs(robot.get_transform(q, foot.frame) - sole).max()
        for foot, sole in zip(feet, soles, strict=True)
    )
    swayed = np.linalg.norm((center_of_mass(robot, q) - center)[:2])
    print(f"hand {1e3 * np.linalg.norm(hand.error[:3]):.2f} mm from its target, {step.message}")
    print(f"feet moved {1e3 * moved:.3f} mm, center of mass {1e3 * swayed:.3f} mm")


if __name__ == "__main__":
    main()
