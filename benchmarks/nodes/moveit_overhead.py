"""Overhead of move_group: the latency of a plan request minus the planning time.

move_group runs in its own process and plans for the Panda with its hand between random
configurations of the arm, in an empty scene. The overhead is the time from the call of
plan_kinematic_path to the response, minus the response's planning_time.
"""

import time
from typing import Any

import numpy as np
from moveit_msgs.msg import Constraints, JointConstraint, MotionPlanRequest, MoveItErrorCodes
from moveit_msgs.srv import GetMotionPlan

from benchmarks.frame import Report, main, spread, timed
from benchmarks.nodes.network import network, running
from rigid_tree_kinematics import load_robot
from rigid_tree_kinematics.collision import CollisionChecker
from rigid_tree_kinematics.description.robots import bundled_folder

ROBOT, ARM = "panda_hand", [f"panda_joint{number}" for number in range(1, 8)]
WARM_UP = 5  # warm-up requests, not reported


def request_of(start: list[float], goal: list[float]) -> MotionPlanRequest:
    """Return a request for a plan of the arm."""
    request = MotionPlanRequest(group_name="panda_arm", allowed_planning_time=5.0)
    request.start_state.joint_state.name = ARM
    request.start_state.joint_state.position = start
    joints = [
        JointConstraint(joint_name=name, position=at, tolerance_above=1e-3, tolerance_below=1e-3)
        for name, at in zip(ARM, goal, strict=True)
    ]
    request.goal_constraints = [Constraints(joint_constraints=joints)]
    return request


def free_configurations(count: int) -> list[list[float]]:
    """Return random collision-free configurations of the arm."""
    robot = load_robot(ROBOT)
    checker = CollisionChecker(robot)
    generator = np.random.default_rng(1)
    found: list[list[float]] = []
    while len(found) < count:
        q = robot.random_configuration(generator)
        if checker.is_free(q):
            found.append(q[: len(ARM)].tolist())
    return found


def run(options: Any, report: Report) -> None:
    """Request the plans and report their times."""
    configurations = free_configurations(2 * (options.requests + WARM_UP))
    srdf = bundled_folder("robots") / f"{ROBOT}.srdf"
    arguments = ["--ros-args", "-p", f"robot:={ROBOT}", "-p", f"srdf:={srdf}"]
    overheads, plannings, sizes = [], [], []
    with network("moveit_overhead") as asker, running("move_group", *arguments):
        for start, goal in zip(configurations[::2], configurations[1::2], strict=True):
            request = request_of(start, goal)
            called = GetMotionPlan, "plan_kinematic_path"
            reply, seconds = timed(
                time.perf_counter, asker.call, *called, motion_plan_request=request
            )
            answer = reply.motion_plan_response
            if answer.error_code.val == MoveItErrorCodes.SUCCESS:
                overheads.append(1e3 * (seconds - answer.planning_time))
                plannings.append(1e3 * answer.planning_time)
                sizes.append(len(answer.trajectory.joint_trajectory.points))
    for name, values in (("overhead", overheads), ("planning", plannings)):
        figures = {"plans": len(sizes) - WARM_UP, "points": float(np.median(sizes[WARM_UP:]))}
        report.row("plan_kinematic_path", name, spread(values[WARM_UP:]) | figures)


if __name__ == "__main__":
    main(run, requests=200)
