"""Processor time of nao_bridge at rest and in motion, and its latency.

A simulated robot and a bridge are started. The processor times of the bridge with its guards, and
of the robot, are measured at rest, while the head moves, and while the robot walks. Gaps are the
times between joint states on arrival. Latencies are the times from a call of set_angles to the
reply, and from a joint_angles message until a libqi client reads the changed command. The robot's
cycle of 20 ms adds 10 ms on average.
"""

import math
import os
import sys
import time
from collections.abc import Callable
from typing import Any

import nao_motion_interfaces.srv as srv
import numpy as np
from naoqi_bridge_msgs.msg import JointAnglesWithSpeed
from sensor_msgs.msg import JointState

from benchmarks.frame import Report, main, spread
from benchmarks.nodes.nao_stops import Stage
from benchmarks.nodes.network import core_share, memory, network

PAUSE = 0.05  # s, between two calls
REST = 0.3  # s, between two messages


def observed(stage: Stage, seconds: float, act: Callable[[float], None]) -> dict[str, float]:
    """Return the processes' costs and the joint states' timing over a time (s)."""
    stamps: list[float] = []
    node, topic = stage.asker.node, f"/{stage.name}/joint_states"
    states = node.create_subscription(
        JointState, topic, lambda _: stamps.append(time.monotonic()), 100
    )
    stage.asker.expect(lambda: len(stamps) > 10, "joint states")
    stamps.clear()
    bridge = [stage.bridge, *stage.guards()]
    begin = time.monotonic()
    with core_share(bridge) as bridge_share, core_share([stage.robot]) as robot_share:
        while (now := time.monotonic()) < begin + seconds:
            act(now - begin)
            stage.asker.executor.spin_once(timeout_sec=0.02)
    node.destroy_subscription(states)
    shares = {"bridge": bridge_share, "robot": robot_share}
    return {
        **{f"{name}: {head}": v for name, share in shares.items() for head, v in share.items()},
        **memory(bridge),
        "joint states per second": len(stamps) / (now - begin),
        **spread(1e3 * np.diff(stamps), (50, 99, 100), "gap ms"),
    }


def by_service(stage: Stage, count: int) -> list[float]:
    """Return the response times of set_angles, ms."""
    found = []
    for number in range(count):
        angle = 0.2 * (-1) ** number
        begin = time.monotonic()
        stage.call(
            srv.SetAngles, "set_angles", names=["HeadYaw"], angles=[angle], fraction_max_speed=1.0
        )
        found.append(1e3 * (time.monotonic() - begin))
        time.sleep(PAUSE)
    return found[1:]  # without the warm-up call


def by_topic(stage: Stage, count: int) -> list[float]:
    """Return the times from a message to the change of the robot's command, ms."""
    found = []
    for number in range(count):
        time.sleep(REST)
        message = JointAnglesWithSpeed(joint_names=["HeadYaw"], speed=1.0)
        message.joint_angles = [0.2 * (-1) ** number]
        before = stage.motion.getAngles("HeadYaw", False)
        begin = time.monotonic()
        stage.publish(JointAnglesWithSpeed, "joint_angles", message)
        while stage.motion.getAngles("HeadYaw", False) == before:
            if time.monotonic() > begin + 1.0:
                break
        found.append(1e3 * (time.monotonic() - begin))
    return found[1:]


def run(options: Any, report: Report) -> None:
    """Measure the bridge at rest, while the head moves, and while the robot walks."""
    with network("nao_cost") as asker:
        stage = Stage(asker)
        stage.start_bridge()

        def nod(at: float) -> None:
            stage.motion.setAngles("HeadYaw", 0.5 * math.sin(2.0 * at), 0.5)

        try:
            time.sleep(3.0)
            for name, act in (("at rest", lambda _: None), ("head moves", nod)):
                report.row("nao_bridge", name, observed(stage, options.seconds, act))
            stage.motion.move(0.02, 0.0, 0.0)
            walking = observed(stage, options.seconds, lambda _: None)
            report.row("nao_bridge", "robot walks", walking)
            stage.motion.stopMove()
            for name, delays in (("service, to its response", by_service), ("topic", by_topic)):
                report.row("set_angles", name, spread(delays(stage, options.delays + 1)))
        finally:
            stage.end_bridge()
            stage.close()


if __name__ == "__main__":
    main(run, seconds=10.0, delays=40)
    sys.stdout.flush()
    os._exit(0)  # libqi's threads outlive the interpreter
