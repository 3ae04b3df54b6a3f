"""The flange of a Panda follows a circle; two figures show the result.

python examples/follow_circle.py
"""

import numpy as np
from matplotlib import pyplot as plt

from rigid_tree_kinematics import InverseKinematics, load_robot
from rigid_tree_kinematics.model.transforms import transform

POINTS, RADIUS = 200, 0.12  # m
DOWN = np.diag([1.0, -1.0, -1.0])  # the z axis of the flange points down


def main() -> None:
    robot = load_robot("panda")
    ik = InverseKinematics(robot, "panda_link8")
    angles = np.linspace(0.0, 2.0 * np.pi, POINTS)
    circle = [(0.45 + RADIUS * np.cos(a), RADIUS * np.sin(a), 0.4) for a in angles]

    q = robot.home_configuration()
    joints, reached = [], []
    for point in circle:
        result = ik.solve(transform(point, DOWN), seed=q)  # nearest to the previous solution
        if not result.success:
            raise SystemExit(f"{np.round(point, 3)}: {result.message}")
        q = result.configuration
        joints.append(q)
        reached.append(robot.get_transform(q, "panda_link8")[:3, 3])

    error = np.linalg.norm(np.array(reached) - circle, axis=1).max()
    step = np.abs(np.diff(joints, axis=0)).max()
    print(f"largest distance from the circle: {1e6 * error:.2f} micrometers")
    print(f"largest step of a joint: {step:.4f} rad")

    axes = robot.show(joints[0], meshes=True, frames=False)
    axes.plot(*np.transpose(reached), color="tab:red")
    axes.figure.savefig("circle.png")
    figure, axes = plt.subplots()
    axes.plot(np.degrees(angles), joints, label=robot.joint_names)
    axes.set(xlabel="angle on the circle (degrees)", ylabel="joint position (rad)")
    axes.legend()
    figure.savefig("circle_joints.png")


if __name__ == "__main__":
    main()
