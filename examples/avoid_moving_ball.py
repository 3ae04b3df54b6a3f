"""A Panda moves to a goal while a ball comes into its way; it plans anew whenever it has to.

python examples/avoid_moving_ball.py
"""

import numpy as np

from rigid_tree_kinematics import load_robot
from rigid_tree_kinematics.collision import CollisionChecker, Obstacle, Scene
from rigid_tree_kinematics.model import Sphere
from rigid_tree_kinematics.model.transforms import transform
from rigid_tree_kinematics.planning import MotionPlanner, PlanSettings

PERIOD = 0.05  # s between two looks at the ball
RADIUS = 0.1  # m
START = np.array([1.0, 0.4, 0.0, -1.8, 0.0, 2.1, 0.785])
GOAL = np.array([-1.0, *START[1:]])


def ball_at(time: float) -> Obstacle:
    """Return the ball: it comes down from above and stops in front of the robot."""
    height = max(1.4 - 0.8 * time, 0.45)
    return Obstacle.of("ball", Sphere(RADIUS), transform((0.55, 0.0, height)))


def main() -> None:
    robot = load_robot("panda")
    scene = Scene([ball_at(0.0)])
    checker = CollisionChecker(robot, scene)
    time, q, plans, nearest = 0.0, START, 0, np.inf
    path, speeds = [], robot.compiled().velocity_limit
    while not np.allclose(q, GOAL):
        scene.add(ball_at(time))  # replaces the one before
        checker = checker.with_scene(scene)
        ahead = [q, *path]
        if not path or not all(map(checker.motion_free, ahead[:-1], ahead[1:])):
            result = MotionPlanner(robot, checker).plan(q, GOAL, PlanSettings(seed=plans))
            if not result.success:
                raise SystemExit(f"{time:.2f} s: {result.message}")
            plans += 1
            path = list(result.path[1:])
            print(f"{time:.2f} s: planned a way of {len(path)} straight parts")
        # A quarter of the joints' speed limits, straight towards the next corner of the path.
        way = path[0] - q
        share = min(1.0, (0.25 * PERIOD * speeds / np.maximum(np.abs(way), 1e-9)).min())
        q = path[0] if share == 1.0 else q + share * way
        path = path[1:] if share == 1.0 else path
        time += PERIOD
        nearest = min(nearest, checker.distance(q).distance)
    print(f"arrived after {time:.2f} s and {plans} plans; nearest to the ball: {nearest:.3f} m")


if __name__ == "__main__":
    main()
