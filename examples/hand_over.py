"""Two Pandas hand over a stick: one tree with two arms and an attached object.

python examples/hand_over.py
"""

import numpy as np

from rigid_tree_kinematics import Joint, RigidBody, RigidBodyTree, load_robot
from rigid_tree_kinematics.collision import CollisionChecker, Obstacle, Scene
from rigid_tree_kinematics.model import Box
from rigid_tree_kinematics.model.transforms import inverse, rpy_matrix, transform
from rigid_tree_kinematics.planning import MotionPlanner, PlanSettings, PoseGoal

STICK = Box((0.3, 0.03, 0.03))  # m
# Center of the stick in the flange's frame: each arm holds its own end.
T_LEFT_STICK = transform((0.1, 0.0, 0.06))
T_RIGHT_STICK = transform((0.1, 0.0, 0.06)) @ transform((0, 0, 0), rpy_matrix(0.0, 0.0, np.pi))


def add_arm(tree: RigidBodyTree, side: str, base_pose: np.ndarray) -> None:
    """Add a Panda; the side is the prefix of its names."""
    arm = load_robot("panda")
    mount = Joint(f"{side}_mount")
    mount.set_fixed_transform(base_pose)
    tree.add_body(RigidBody(f"{side}_{arm.base_name}", mount), tree.base_name)
    for body in arm.bodies:
        joint = body.joint.copy(f"{side}_{body.joint.name}")
        copy = body.copy(f"{side}_{body.name}", joint)
        tree.add_body(copy, f"{side}_{body.parent.name}")


def main() -> None:
    robot = RigidBodyTree("two_pandas", "world")
    add_arm(robot, "left", transform((0.0, 0.0, 0.0)))
    add_arm(robot, "right", transform((1.1, 0.0, 0.0), rpy_matrix(0.0, 0.0, np.pi)))
    arms = {s: [n for n in robot.joint_names if n.startswith(s)] for s in ("left", "right")}
    flange = {side: f"{side}_panda_link8" for side in arms}
    home = robot.home_configuration()

    scene = Scene()
    held = robot.get_transform(home, flange["left"]) @ T_LEFT_STICK
    scene.add(Obstacle.of("stick", STICK, held))
    scene.attach("stick", flange["left"], T_LEFT_STICK)
    checker = CollisionChecker(robot, scene)

    def move(side: str, start: np.ndarray, goal: object, what: str) -> np.ndarray:
        planner = MotionPlanner(robot, checker.with_scene(scene), moving_joints=arms[side])
        result = planner.plan(start, goal, PlanSettings(seed=1))
        if not result.success:
            raise SystemExit(f"{what}: {result.message}")
        print(f"{what}: {result.trajectory.times[-1]:.2f} s")
        return result.path[-1]

    # The stick is horizontal between the arms, along x; both flanges point down.
    middle = transform((0.55, 0.0, 0.45), np.diag([1.0, -1.0, -1.0]))
    q = move(
        "left", home, PoseGoal(flange["left"], middle @ inverse(T_LEFT_STICK)), "to the middle"
    )
    stick = robot.get_transform(q, flange["left"]) @ T_LEFT_STICK
    grasp = PoseGoal(flange["right"], stick @ inverse(T_RIGHT_STICK))
    q = move("right", q, grasp, "the other hand")

    scene.detach("stick", stick)
    scene.attach("stick", flange["right"], T_RIGHT_STICK, [flange["left"]])
    left_home = np.where([n in arms["left"] for n in robot.joint_names], home, q)
    q = move("left", q, left_home, "left home")
    q = move("right", q, home, "right home")
    stick = robot.get_transform(q, flange["right"]) @ T_RIGHT_STICK
    print(f"the stick is at {stick[:3, 3].round(2)} m, in the right hand")


if __name__ == "__main__":
    main()
