"""What a plan costs beside its planning, asked over the network as MoveIt's clients ask.

    python -m benchmarks.nodes.moveit_overhead [--json FILE] [--requests 200]

A node move_group in a process of its own plans for the Panda with its hand from random starts to
random goals of the arm, in an empty scene. The overhead is the time from the call to the answer of
plan_kinematic_path, without what the answer gives as planning_time.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import rclpy
from moveit_msgs.msg import Constraints, JointConstraint, MotionPlanRequest, MoveItErrorCodes
from moveit_msgs.srv import GetMotionPlan
from rclpy.client import Client
from rclpy.executors import SingleThreadedExecutor

from benchmarks.nodes.footprint import be_alone
from rigid_tree_kinematics import load_robot
from rigid_tree_kinematics.collision import CollisionChecker
from rigid_tree_kinematics.description.robots import bundled_folder

ROBOT, ARM = "panda_hand", [f"panda_joint{number}" for number in range(1, 8)]
PATIENCE = 30.0  # s
WARM_UP = 5  # requests that do not count


def request_of(start: list[float], goal: list[float]) -> GetMotionPlan.Request:
    """Return a request for a plan of the arm."""
    request = MotionPlanRequest(group_name="panda_arm", allowed_planning_time=5.0)
    request.start_state.joint_state.name = ARM
    request.start_state.joint_state.position = start
    joints = [
        JointConstraint(joint_name=name, position=at, tolerance_above=1e-3, tolerance_below=1e-3)
        for name, at in zip(ARM, goal, strict=True)
    ]
    request.goal_constraints = [Constraints(joint_constraints=joints)]
    return GetMotionPlan.Request(motion_plan_request=request)


def free_configurations(count: int) -> list[list[float]]:
    """Return random configurations of the arm at which nothing touches."""
    robot = load_robot(ROBOT)
    checker = CollisionChecker(robot)
    generator = np.random.default_rng(1)
    found: list[list[float]] = []
    while len(found) < count:
        q = robot.random_configuration(generator)
        if checker.is_free(q):
            found.append(q[: len(ARM)].tolist())
    return found


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", type=Path, help="write the figures there, too")
    parser.add_argument("--requests", type=int, default=200)
    chosen = parser.parse_args()
    be_alone()
    configurations = free_configurations(2 * (chosen.requests + WARM_UP))
    srdf = bundled_folder("robots") / f"{ROBOT}.srdf"
    arguments = ["--ros-args", "-p", f"robot:={ROBOT}", "-p", f"srdf:={srdf}"]
    program = [sys.executable, "-m", "rigid_tree_kinematics.nodes.move_group"]
    node_process = subprocess.Popen([*program, *arguments], stderr=subprocess.DEVNULL)
    rclpy.init()
    node = rclpy.create_node("moveit_overhead")
    executor = SingleThreadedExecutor()
    executor.add_node(node)
    client: Client = node.create_client(GetMotionPlan, "plan_kinematic_path")
    overheads, plannings, sizes = [], [], []
    try:
        if not client.wait_for_service(PATIENCE):
            raise SystemExit("move_group does not answer")
        for start, goal in zip(configurations[::2], configurations[1::2], strict=True):
            request = request_of(start, goal)
            begin = time.perf_counter()
            future = client.call_async(request)
            executor.spin_until_future_complete(future, PATIENCE)
            seconds = time.perf_counter() - begin
            reply = future.result()
            if reply is None:
                raise SystemExit("move_group did not answer in time")
            answer = reply.motion_plan_response
            if answer.error_code.val == MoveItErrorCodes.SUCCESS:
                overheads.append(1e3 * (seconds - answer.planning_time))
                plannings.append(1e3 * answer.planning_time)
                sizes.append(len(answer.trajectory.joint_trajectory.points))
    finally:
        node_process.terminate()
        node_process.wait()
        node.destroy_node()
        rclpy.shutdown()
    figures = {"requests": len(overheads) - WARM_UP, "points": float(np.median(sizes[WARM_UP:]))}
    for name, values in (("overhead", overheads), ("planning", plannings)):
        middle, high = np.percentile(values[WARM_UP:], (50, 95))
        figures |= {f"{name}_median_ms": float(middle), f"{name}_p95_ms": float(high)}
    print(json.dumps(figures, indent=2))
    if chosen.json:
        chosen.json.write_text(json.dumps(figures, indent=2) + "\n")


if __name__ == "__main__":
    main()
