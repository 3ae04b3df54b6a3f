"""A Panda moves to a goal and replans whenever a moving ball blocks its path.

python examples/avoid_moving_ball.py
"""

import numpy as np

from rigid_tree_kinematics import load_robot
from rigid_tree_kinematics.collision import CollisionChecker, Obstacle, Scene
from rigid_tree_kinematics.model import Sphere
from rigid_tree_kinematics.model.transforms import transform
from rigid_tree_kinematics.planning import MotionPlanner, PlanSettings

PERIOD = 0.05  # s between two updates of the ball
RADIUS = 0.1  # m
START = np.array([1.0, 0.4, 0.0, -1.8, 0.0, 2.1, 0.785])
GOAL = np.array([-1.0, *START[1:]])


def ball_at(time: float) -> Obstacle:
    """Return the ball, which descends and stops in front of the robot."""
    height = max(1.4 - 0.8 * time, 0.45)
    return Obstacle.of("ball", Sphere(RADIUS), transform((0.55, 0.0, height)))


def main() -> None:
    robot = load_robot("panda")
    scene = Scene([ball_at(0.0)])
    checker = CollisionChecker(robot, scene)
    time, q, plans, clearance = 0.0, START, 0, np.inf
    path, speeds = [], robot.compiled().velocity_limit
    while not np.allclose(q, GOAL):
        scene.add(ball_at(time))  # replaces the previous one
        checker = checker.with_scene(scene)
        ahead = [q, *path]
        if not path or not all(map(checker.motion_free, ahead[:-1], ahead[1:])):
            result = MotionPlanner(robot, checker).plan(q, GOAL, PlanSettings(seed=plans))
            if not result.success:
                raise SystemExit(f"{time:.2f} s: {result.message}")
            plans += 1
            path = list(result.path[1:])
            print(f"{time:.2f} s: planned a path of {len(path)} segments")
        # Move to the next waypoint at a quarter of the velocity limits.
        motion = path[0] - q
        share = min(1.0, (0.25 * PERIOD * speeds / np.maximum(np.abs(motion), 1e-9)).min())
        q = path[0] if share == 1.0 else q + share * motion
        path = path[1:] if share == 1.0 else path
        time += PERIOD
        clearance = min(clearance, checker.distance(q).distance)
    print(f"arrived after {time:.2f} s and {plans} plans; smallest clearance: {clearance:.3f} m")


if __name__ == "__main__":
    main()
