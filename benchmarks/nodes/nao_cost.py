"""What nao_bridge takes at rest and in motion, and how soon it acts.

    python -m benchmarks.nodes.nao_cost [--seconds 10]

A simulated robot and a bridge are started. Processor time is that of the bridge with its guards,
and of the robot, in percent of a core: at rest, while the head moves, and while the robot walks.
Gaps are those between joint states as they arrive here; delays go from a call of set_angles to its
reply, and from a joint_angles message until libqi's own client sees the command change, which
the robot's cycle of 20 ms delays by 10 ms on average.
"""

from __future__ import annotations

import argparse
import math
import os
import sys
import time
from collections.abc import Callable
from typing import Any

import nao_motion_interfaces.srv as srv
import numpy as np
import rclpy
from naoqi_bridge_msgs.msg import JointAnglesWithSpeed
from sensor_msgs.msg import JointState

from benchmarks.nodes.footprint import TICK, memory
from benchmarks.nodes.nao_stops import DOMAIN, Stage

DELAYS = 40
PAUSE = 0.05  # s between two of them


def processor(pids: list[int]) -> float:
    """Return the processor time of processes (s)."""
    ticks = 0
    for pid in pids:
        with open(f"/proc/{pid}/stat") as file:
            fields = file.read().rpartition(")")[2].split()
        ticks += int(fields[11]) + int(fields[12])
    return ticks / TICK


def observed(stage: Stage, name: str, seconds: float, act: Callable[[float], None]) -> None:
    """Print what the processes take and how the joint states come for some seconds (s)."""
    stamps: list[float] = []
    states = stage.node.create_subscription(
        JointState, f"/{stage.name}/joint_states", lambda _: stamps.append(time.monotonic()), 100
    )
    stage.until(lambda: len(stamps) > 10, "joint states")
    stamps.clear()
    groups = {"bridge": [stage.bridge.pid, *stage.guards()], "robot": [stage.robot.pid]}
    before = {group: processor(pids) for group, pids in groups.items()}
    begin = time.monotonic()
    while (now := time.monotonic()) < begin + seconds:
        act(now - begin)
        stage.executor.spin_once(timeout_sec=0.02)
    taken = {group: processor(pids) - before[group] for group, pids in groups.items()}
    gaps = 1000.0 * np.diff(stamps)
    middle, late = np.percentile(gaps, [50, 99])
    rss, pss = memory(groups["bridge"])
    percents = ", ".join(
        f"{group} {100.0 * t / (now - begin):.1f} %" for group, t in taken.items()
    )
    print(
        f"{name:8} {percents}; {len(stamps) / (now - begin):.1f} joint states/s, gaps p50 "
        f"{middle:.1f} p99 {late:.1f} max {gaps.max():.1f} ms; "
        f"bridge and guards {rss:.0f} MB RSS, {pss:.0f} MB PSS",
        flush=True,
    )
    stage.node.destroy_subscription(states)


def delays(stage: Stage) -> None:
    """Print how long set_angles takes, as a service and as a topic."""
    by_service, by_topic = [], []
    client: Any = stage.node.create_client(srv.SetAngles, f"/{stage.name}/set_angles")
    stage.until(client.service_is_ready, "set_angles")
    for number in range(DELAYS):
        angle = 0.2 * (-1) ** number
        request = srv.SetAngles.Request(names=["HeadYaw"], angles=[angle], fraction_max_speed=1.0)
        begin = time.monotonic()
        stage.executor.spin_until_future_complete(client.call_async(request))
        by_service.append(1000.0 * (time.monotonic() - begin))
        time.sleep(PAUSE)
    for number in range(DELAYS):
        time.sleep(0.3)
        message = JointAnglesWithSpeed(joint_names=["HeadYaw"], speed=1.0)
        message.joint_angles = [0.2 * (-1) ** number]
        before = stage.motion.getAngles("HeadYaw", False)
        begin = time.monotonic()
        stage.publish(JointAnglesWithSpeed, "joint_angles", message)
        while stage.motion.getAngles("HeadYaw", False) == before:
            if time.monotonic() > begin + 1.0:
                break
        by_topic.append(1000.0 * (time.monotonic() - begin))
    for name, values in (("service to its reply", by_service), ("topic to the command", by_topic)):
        p50, p95 = np.percentile(values, [50, 95])
        print(f"set_angles, {name}: median {p50:.1f} ms, p95 {p95:.1f} ms", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description="What nao_bridge takes.")
    parser.add_argument("--seconds", type=float, default=10.0)
    options = parser.parse_args()
    os.environ["ROS_DOMAIN_ID"] = str(DOMAIN)
    rclpy.init()
    stage = Stage()
    stage.motion.wakeUp()
    stage.start_bridge()
    try:
        stage.until(lambda: stage.call(srv.GetFlag, "move_is_active").success, "robot")
        time.sleep(3.0)
        observed(stage, "at rest", options.seconds, lambda _: None)

        def nod(at: float) -> None:
            stage.motion.setAngles("HeadYaw", 0.5 * math.sin(2.0 * at), 0.5)

        observed(stage, "moving", options.seconds, nod)
        stage.motion.move(0.02, 0.0, 0.0)
        observed(stage, "walking", options.seconds, lambda _: None)
        stage.motion.stopMove()
        delays(stage)
    finally:
        stage.end_bridge()
        stage.close()
    sys.stdout.flush()
    os._exit(0)  # libqi's threads outlive the interpreter


if __name__ == "__main__":
    main()
