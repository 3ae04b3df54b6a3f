"""Attacks on running nodes: results, slowest response and memory afterwards.

The attacks are foreign origins at the page, stamps far in the future, large clouds, a large mesh
and many obstacles, more goals and constraints than the time limit allows, a long trajectory, and a
planted kernel cache. A node that drops a cloud shows the memory that Fast DDS keeps.
"""

import math
import os
import random
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from builtin_interfaces.msg import Duration
from control_msgs.action import FollowJointTrajectory
from geometry_msgs.msg import Point, Pose, PoseStamped, Quaternion
from moveit_msgs.msg import (
    BoundingVolume,
    Constraints,
    JointConstraint,
    MotionPlanRequest,
    PositionConstraint,
)
from moveit_msgs.srv import GetMotionPlan
from psutil import Popen
from rclpy.action import ActionClient
from rigid_tree_interfaces.msg import Obstacle, PlanRequest, SceneChange
from rigid_tree_interfaces.srv import PlanMotion, SolveIK, UpdateScene
from sensor_msgs.msg import JointState
from shape_msgs.msg import SolidPrimitive
from trajectory_msgs.msg import JointTrajectoryPoint
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect
from websockets.typing import Origin

from benchmarks.frame import Report, main, timed
from benchmarks.nodes.network import Asker, free_port, network, resident, running
from rigid_tree_kinematics import RigidBodyTree, load_robot
from rigid_tree_kinematics.collision import Triangles
from rigid_tree_kinematics.description.robots import bundled_folder
from rigid_tree_kinematics.nodes.scene.clouds import cloud_message
from rigid_tree_kinematics.nodes.scene.messages import mesh_message

TABLE = "attack"
ATTEMPTS, FOREIGN = 200, Origin("http://evil.example")  # at the page
WRONG_STATES = 500  # joint states with wrong stamps
FUTURE = 2**31 - 1  # s
TIP, FRAME = "panda_link8", "panda_link7"
ARM = [f"panda_joint{number}" for number in range(1, 8)]
READY = [0.0, 0.0, 0.0, -1.5, 0.0, 1.5, 0.0]
CONSTRAINTS = 200  # the most that move_group accepts
WAYPOINTS = 100_000
MODULE = "rigid_tree_kinematics.perception.point_kernels"  # with few kernels
PLANTED = b"cos\nsystem\n(S'touch %s'\ntR."  # a pickle that runs a command
SETTLE = 15.0  # s, until a node has freed memory; rclpy keeps goals for 10 s


def row(
    report: Report, name: str, victim: Popen, calls: int, attack: Callable[[], tuple[str, float]]
) -> None:
    """Attack a node and report the result."""
    before = resident(victim)
    happened, slowest = attack()
    time.sleep(SETTLE)
    after = math.nan
    if victim.poll() is None:
        after = resident(victim)
    else:
        happened = f"the node exited with code {victim.returncode}"
    figures = {"calls": calls, "result": happened, "slowest s": slowest}
    report.row(TABLE, name, figures | {"MB before": before, "MB after": after})


def asked(asker: Asker, kind: Any, service: str, **fields: Any) -> tuple[Any, float]:
    """Call a service; return the response and the time, s."""
    return timed(time.monotonic, asker.call, kind, service, **fields)


# -- the page ------------------------------------------------------------------------------------


def status(port: int, host: str) -> int:
    """Open the page's websocket like other web pages would; return the HTTP status."""
    address = socket.create_connection(("127.0.0.1", port))
    try:
        with connect(f"ws://{host}", sock=address, origin=FOREIGN, proxy=None) as line:
            return line.response.status_code if line.response else 0
    except InvalidStatus as error:
        return error.response.status_code


def foreign_origins(port: int) -> tuple[str, float]:
    """Open the page's websocket from a foreign page, with its own and a foreign host name."""
    hosts = ("evil.example", f"localhost:{port}")
    calls = [timed(time.monotonic, status, port, hosts[k % 2]) for k in range(ATTEMPTS)]
    rejected = sum(found == 403 for found, _ in calls)
    return f"{rejected} rejected with 403", max(seconds for _, seconds in calls)


def attack_page(asker: Asker, report: Report) -> None:
    """Attack web_viewer."""
    port = free_port()
    options = ("--ros-args", "-p", "robot:=panda", "-p", f"port:={port}")
    with running("web_viewer", *options) as victim:
        asker.expect(lambda: listening(port), "page")
        row(report, "foreign origins", victim, ATTEMPTS, partial(foreign_origins, port))


def listening(port: int) -> bool:
    """Return whether the page responds."""
    try:
        return status(port, f"localhost:{port}") > 0
    except OSError:
        return False


# -- stamps --------------------------------------------------------------------------------------


def attack_stamps(asker: Asker, report: Report) -> None:
    """Attack ik_server with joint states whose stamps are in the future."""
    robot = load_robot("panda")
    publisher = asker.node.create_publisher(JointState, "joint_states", 10)
    with running("ik_server", "--ros-args", "-p", "robot:=panda") as victim:
        asker.call(SolveIK, "inverse_kinematics", target=target_in(FRAME), body=TIP)
        publish = partial(publish_wrong_states, asker, publisher, robot)
        row(report, "stamps in the future", victim, WRONG_STATES, publish)


def target_in(frame: str) -> PoseStamped:
    """Return a pose 0.1 m in front of a frame."""
    target = PoseStamped(pose=pose_at(0.0, 0.0, 0.1))
    target.header.frame_id = frame
    return target


def pose_at(x: float, y: float, z: float) -> Pose:
    """Return a pose without rotation."""
    return Pose(position=Point(x=x, y=y, z=z), orientation=Quaternion(w=1.0))


def publish_wrong_states(asker: Asker, publisher: Any, robot: RigidBodyTree) -> tuple[str, float]:
    """Publish wrong joint states with wrong stamps, then true ones; return the IK error."""
    names = robot.position_names
    truth = robot.home_configuration()
    chance = random.Random(0)
    for _ in range(WRONG_STATES):
        wrong = JointState(name=names[:1], position=[chance.uniform(-2.0, 2.0)])
        wrong.header.stamp.sec = chance.choice([FUTURE, FUTURE // 2, int(time.time()) + 3600])
        publisher.publish(wrong)
        asker.executor.spin_once(timeout_sec=0.002)
    end = time.monotonic() + 1.0
    while time.monotonic() < end:
        state = JointState(name=names, position=[float(value) for value in truth])
        state.header.stamp = asker.node.get_clock().now().to_msg()
        publisher.publish(state)
        asker.executor.spin_once(timeout_sec=0.02)
    reply, took = asked(asker, SolveIK, "inverse_kinematics", target=target_in(FRAME), body=TIP)
    if not reply.success:
        return f"failed: {reply.message[:40]}", took
    solution = dict(zip(reply.solutions[0].name, reply.solutions[0].position, strict=True))
    wanted = robot.get_transform(truth, FRAME) @ np.array([0.0, 0.0, 0.1, 1.0])
    error = np.linalg.norm(robot.get_transform(solution, TIP)[:3, 3] - wanted[:3])
    return f"solved to within {1e3 * error:.2g} mm", took


# -- scenes and goals ----------------------------------------------------------------------------


def cloud(count: int) -> SceneChange:
    """Return a change that adds points in a cube of 2 m next to the robot."""
    points = np.random.default_rng(0).uniform((1.0, -1.0, -1.0), (3.0, 1.0, 1.0), (count, 3))
    obstacle = Obstacle(name="cloud", point_radius=0.01, pose=pose_at(0.0, 0.0, 0.0))
    obstacle.points = cloud_message(points)
    return SceneChange(operation=SceneChange.ADD, obstacle=obstacle)


def mesh(count: int) -> SceneChange:
    """Return a change that adds a mesh of about ``count`` triangles next to the robot."""
    side = math.isqrt(count // 2) + 1
    x, y = (axis.ravel() for axis in np.mgrid[0:side, 0:side] * (2.0 / side))
    corner = np.arange(side * (side - 1)).reshape(-1, side)[:, :-1].ravel()
    faces = np.concatenate(
        [
            np.stack([corner, corner + 1, corner + side], axis=1),
            np.stack([corner + 1, corner + side + 1, corner + side], axis=1),
        ]
    )
    sheet = mesh_message(Triangles(np.stack([x, y, 0.1 * np.sin(9.0 * x)], axis=1), faces))
    obstacle = Obstacle(name="mesh", meshes=[sheet], pose=pose_at(1.0, 0.0, 0.0))
    return SceneChange(operation=SceneChange.ADD, obstacle=obstacle)


def boxes(count: int) -> Iterator[SceneChange]:
    """Yield changes that add boxes next to the robot."""
    places = np.random.default_rng(0).uniform((1.0, -1.0, -1.0), (3.0, 1.0, 1.0), (count, 3))
    for number, place in enumerate(places.tolist()):
        shape = SolidPrimitive(type=SolidPrimitive.BOX, dimensions=[0.02, 0.02, 0.02])
        obstacle = Obstacle(name=f"box {number}", pose=pose_at(*place), primitives=[shape])
        yield SceneChange(operation=SceneChange.ADD, obstacle=obstacle)


def added_and_cleared(asker: Asker, changes: list[SceneChange]) -> tuple[str, float]:
    """Add obstacles, then clear the scene."""
    reply, took = asked(asker, UpdateScene, "update_scene", changes=changes)
    clear = SceneChange(operation=SceneChange.CLEAR)
    cleared = asker.call(UpdateScene, "update_scene", changes=[clear])
    answer = "accepted" if reply.success else f"rejected: {reply.message[:40]}"
    return f"{answer}, {'cleared' if cleared.success else cleared.message[:40]}", took


def many_goals(asker: Asker, count: int) -> tuple[str, float]:
    """Request a plan to unreachable goals, with a time limit of 1 s."""
    far = target_in("")
    far.pose.position.x = 5.0
    start = JointState(name=ARM, position=READY)
    request = PlanRequest(
        start=start, body=TIP, goal_poses=[far] * count, time_limit=Duration(sec=1)
    )
    reply, took = asked(asker, PlanMotion, "plan_motion", request=request)
    return reply.reply.message[:60], took


def attack_planner(asker: Asker, report: Report) -> None:
    """Attack rrt_planner with large scenes and many goals."""
    with running("rrt_planner", "--ros-args", "-p", "robot:=panda") as victim:
        added_and_cleared(asker, [*boxes(10)])
        many_goals(asker, 1)
        for count in (1_000_000, 5_000_000, 5_000_001):
            add = partial(added_and_cleared, asker, [cloud(count)])
            row(report, f"cloud of {count:,} points", victim, 1, add)
        add = partial(added_and_cleared, asker, [mesh(1_000_000)])
        row(report, "mesh of 1,000,000 triangles", victim, 1, add)
        add = partial(added_and_cleared, asker, [*boxes(10_000)])
        row(report, "10,000 boxes", victim, 1, add)
        for count in (1_000, 10_000):
            ask = partial(many_goals, asker, count)
            row(report, f"{count:,} goals, limit 1 s", victim, 1, ask)


def attack_dropping_node(asker: Asker, report: Report) -> None:
    """Send a cloud to a node that drops it, to measure Fast DDS's buffer."""
    with running("benchmarks.robustness.dropping_node") as victim:
        asker.call(UpdateScene, "drop", changes=[cloud(10)])
        changes = [cloud(5_000_000)]

        def drop() -> tuple[str, float]:
            return "dropped", asked(asker, UpdateScene, "drop", changes=changes)[1]

        row(report, "5,000,000 points to a node that drops them", victim, 1, drop)


# -- motions -------------------------------------------------------------------------------------


def many_constraints(asker: Asker) -> tuple[str, float]:
    """Request a plan with many position constraints, with a time limit of 1 s."""
    region = PositionConstraint(link_name=TIP, weight=1.0)
    region.header.frame_id = "panda_link0"
    shape = SolidPrimitive(type=SolidPrimitive.SPHERE, dimensions=[3.0])
    region.constraint_region = BoundingVolume(primitives=[shape], primitive_poses=[Pose()])
    goal = [
        JointConstraint(joint_name=name, position=position + 0.3, weight=1.0)
        for name, position in zip(ARM, READY, strict=True)
    ]
    request = MotionPlanRequest(group_name="panda_arm", allowed_planning_time=1.0)
    request.goal_constraints = [Constraints(joint_constraints=goal)]
    request.path_constraints = Constraints(position_constraints=[region] * CONSTRAINTS)
    request.start_state.joint_state = JointState(name=ARM, position=READY)
    reply, took = asked(asker, GetMotionPlan, "plan_kinematic_path", motion_plan_request=request)
    return f"error code {reply.motion_plan_response.error_code.val}", took


def long_trajectory(asker: Asker, count: int) -> tuple[str, float]:
    """Send a trajectory of many waypoints to the simulator's controller."""
    action = "follow_joint_trajectory"
    client: Any = ActionClient(asker.node, FollowJointTrajectory, action)
    asker.expect(client.server_is_ready, action)
    goal = FollowJointTrajectory.Goal()
    goal.trajectory.joint_names = ARM
    goal.trajectory.points = [
        JointTrajectoryPoint(
            positions=[at + 0.1 * math.sin(0.01 * number) for at in READY],
            time_from_start=Duration(sec=1 + number // 100, nanosec=number % 100 * 10_000_000),
        )
        for number in range(count)
    ]

    def send() -> Any:
        future = client.send_goal_async(goal)
        asker.expect(future.done, "response to the goal")
        return future.result()

    handle, took = timed(time.monotonic, send)
    if not handle.accepted:
        return "rejected", took
    handle.cancel_goal_async()
    result = handle.get_result_async()
    asker.expect(result.done, "result")
    return "accepted, canceled", took


def attack_motions(asker: Asker, report: Report) -> None:
    """Attack move_group and robot_simulator."""
    srdf = bundled_folder("robots") / "panda_hand.srdf"
    robot = ("--ros-args", "-p", "robot:=panda_hand", "-p", f"srdf:={srdf}")
    with running("move_group", *robot) as victim:
        many_constraints(asker)
        name = f"{CONSTRAINTS} path constraints, limit 1 s"
        row(report, name, victim, 1, partial(many_constraints, asker))
    with running("robot_simulator", "--ros-args", "-p", "robot:=panda") as victim:
        long_trajectory(asker, 10)
        name = f"trajectory of {WAYPOINTS:,} points"
        row(report, name, victim, 1, partial(long_trajectory, asker, WAYPOINTS))


# -- caches --------------------------------------------------------------------------------------


def attack_cache(report: Report) -> None:
    """Load kernels without a compiler from a world-writable cache whose pickles run a command."""
    with tempfile.TemporaryDirectory() as folder:
        cache, mark = Path(folder) / "cache", Path(folder) / "mark"
        cache.mkdir(mode=0o700)
        environment = os.environ | {"NUMBA_CACHE_DIR": str(cache), "PATH": folder}
        command = [sys.executable, "-c", f"import {MODULE}"]
        load = partial(subprocess.run, command, env=environment, capture_output=True)
        load(check=True)
        planted = list(cache.rglob("*.nbi"))
        for file in planted:
            file.write_bytes(PLANTED % os.fsencode(mark))
        cache.chmod(0o777)
        done, took = timed(time.monotonic, load, check=False)
        happened = "the planted command ran" if mark.exists() else "ignored, kernels compiled"
        if done.returncode:
            happened = "not loaded"
        figures = {"calls": len(planted), "result": happened, "slowest s": took}
        nothing = {"MB before": math.nan, "MB after": math.nan}
        report.row(TABLE, "planted kernel cache", figures | nothing)


def run(options: Any, report: Report) -> None:
    """Run the attacks."""
    with network("attacker") as asker:
        attack_page(asker, report)
        attack_stamps(asker, report)
        attack_planner(asker, report)
        attack_dropping_node(asker, report)
        attack_motions(asker, report)
    attack_cache(report)


if __name__ == "__main__":
    main(run)
