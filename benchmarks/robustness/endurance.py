"""What lasts: joint states at 1 kHz, ten robots in one network, and requests nobody should send.

    python -m benchmarks.robustness.endurance [--minutes 10] [--only rate|robots|hostile]

Each of the first two parts takes so many minutes; the third sends 10,000 requests and messages for
each minute. Everything runs in a ROS domain of its own on this machine only.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import rclpy
from rclpy.executors import SingleThreadedExecutor
from rigid_tree_interfaces.srv import ComputeFK
from tf2_msgs.msg import TFMessage

from benchmarks.nodes.footprint import be_alone, processor_seconds
from benchmarks.nodes.state_publisher import commands, measure, resident_megabytes, sixty_links
from benchmarks.robustness.hostile import MANY, PATIENCE, VICTIMS, Attacker, victim_parameters
from rigid_tree_kinematics.description import load_robot

RATE = 1000.0  # Hz
ROBOTS = 10
ROBOT = "ur5"
SETTLE = 10.0  # s
CALLS_A_MINUTE = 10_000
FIRST = 1000  # requests after which memory is to be flat
NODES = "rigid_tree_kinematics.nodes"
SIMULATED_NAO = "rigid_tree_kinematics.nao.simulated.server"


def started(module: str, *arguments: str) -> subprocess.Popen[bytes]:
    """Start a module in a process of its own."""
    return subprocess.Popen(
        [sys.executable, "-m", module, *arguments],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def ended(processes: list[subprocess.Popen[bytes]]) -> None:
    """End processes as Ctrl-C does."""
    for process in processes:
        if process.poll() is None:
            process.send_signal(signal.SIGINT)
    for process in processes:
        try:
            process.wait(20.0)
        except subprocess.TimeoutExpired:
            process.kill()


def at_rate(seconds: float) -> dict[str, Any]:
    """Publish the joint states of 60 links at 1 kHz; count what does not come back as frames."""
    rclpy.init()
    try:
        with tempfile.TemporaryDirectory() as directory:
            tree = sixty_links()
            command = commands(directory, tree, False)["tree_state_publisher"]
            return measure(command, tree, RATE, seconds)
    finally:
        rclpy.try_shutdown()


class Listener:
    """Counts the frames of each robot, and asks each for a pose once a second."""

    def __init__(self) -> None:
        self.node = rclpy.create_node("endurance")
        self._executor = SingleThreadedExecutor()
        self._executor.add_node(self.node)
        self.frames = dict.fromkeys(range(ROBOTS), 0)
        self.asked = dict.fromkeys(range(ROBOTS), 0)
        self.answered = dict.fromkeys(range(ROBOTS), 0)
        self.node.create_subscription(TFMessage, "/tf", self._on_frames, MANY)
        self._clients: list[Any] = [
            self.node.create_client(ComputeFK, f"r{k}/forward_kinematics", qos_profile=MANY)
            for k in range(ROBOTS)
        ]

    def _on_frames(self, message: TFMessage) -> None:
        name = message.transforms[0].child_frame_id
        self.frames[int(name[1 : name.index("/")])] += 1

    def has_met_all(self) -> bool:
        """Return whether each robot was heard and has answered."""
        return all(self.frames.values()) and all(self.answered.values())

    def forget(self) -> None:
        """Count anew."""
        for counts in (self.frames, self.asked, self.answered):
            counts.update(dict.fromkeys(range(ROBOTS), 0))

    def live(self, seconds: float, asks: bool) -> None:
        """Let time pass."""
        end, due = time.monotonic() + seconds, 0.0
        while time.monotonic() < end:
            if asks and time.monotonic() >= due:
                due = time.monotonic() + 1.0
                for number, client in enumerate(self._clients):
                    self._ask(number, client)
            self._executor.spin_once(timeout_sec=0.05)

    def _ask(self, number: int, client: Any) -> None:
        def note(future: Any) -> None:
            self.answered[number] += bool(future.result().success)

        self.asked[number] += 1
        client.call_async(ComputeFK.Request()).add_done_callback(note)


def several(seconds: float) -> dict[str, Any]:
    """Run ten robots in one network: state publisher, joint states, inverse kinematics each."""
    rclpy.init()
    processes = [
        started(
            f"{NODES}.robot_host",
            *("tree_state_publisher", "joint_state_source", "ik_server", "--ros-args"),
            # A rule for one node would name its namespace, too.
            *("-r", f"__ns:=/r{k}", "-p", f"robot:={ROBOT}", "-p", f"frame_prefix:=r{k}/"),
        )
        for k in range(ROBOTS)
    ]
    try:
        listener = Listener()
        deadline = time.monotonic() + 120.0
        while not listener.has_met_all() and time.monotonic() < deadline:
            listener.live(2.0, True)
        listener.live(SETTLE, False)
        pids = [process.pid for process in processes]
        begin, used = sum(map(resident_megabytes, pids)), processor_seconds(pids)
        listener.forget()
        listener.live(seconds, True)
        used = processor_seconds(pids) - used
        listener.live(2.0, False)
        return {
            "robots": ROBOTS,
            "seconds": seconds,
            "frame_messages_a_second": {
                f"r{k}": n / (seconds + 2.0) for k, n in listener.frames.items()
            },
            "asked": sum(listener.asked.values()),
            "answered": sum(listener.answered.values()),
            "alive": sum(process.poll() is None for process in processes),
            "processor_percent": 100.0 * used / seconds,
            "resident_mb_begin": begin,
            "resident_mb": sum(map(resident_megabytes, pids)),
        }
    finally:
        ended(processes)
        rclpy.try_shutdown()


def attacked(name: str, count: int) -> dict[str, Any]:
    """Send a node what nobody should send; return what became of it."""
    robot = load_robot(VICTIMS[name])
    processes = []
    port = free_port()
    if name == "nao_bridge":
        processes.append(started(SIMULATED_NAO, "--port", str(port)))
    elif name == "web_viewer":
        robot_parameter = ("-p", f"robot:={VICTIMS[name]}")
        processes.append(started(f"{NODES}.tree_state_publisher", "--ros-args", *robot_parameter))
    options = []
    for parameter, value in victim_parameters(name, port).items():
        options += ["-p", f"{parameter}:={json.dumps(value)}"]
    victim = started(f"{NODES}.{name}", "--ros-args", *options)
    processes.append(victim)
    rclpy.init()
    node = rclpy.create_node("attacker")
    executor = SingleThreadedExecutor()
    executor.add_node(node)
    try:
        words = [*robot.position_names, *robot.body_names, robot.base_name, ""]
        attacker = Attacker(
            node, executor, name, "/", random.Random(0), words, robot.position_names
        )
        attacker.attack(min(FIRST, count))
        begin = resident_megabytes(victim.pid)
        outcome = attacker.attack(max(0, count - FIRST))
        return {
            "requests": outcome.requests,
            "messages": outcome.messages,
            "interfaces": len(outcome.sent),
            "alive": victim.poll() is None,
            "answers_afterwards": attacker.is_answering(),
            "unanswered_within_30_s": len(outcome.unanswered),
            "slowest_seconds": outcome.slowest,
            "slowest": outcome.slowest_service,
            "resident_mb_after_1000": begin,
            "resident_mb": resident_megabytes(victim.pid),
        }
    finally:
        ended(processes)
        rclpy.try_shutdown()


def free_port() -> int:
    """Return a TCP port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def hostile(count: int) -> dict[str, Any]:
    """Attack all nodes, one after the other."""
    found = {}
    for name in VICTIMS:
        found[name] = attacked(name, count // len(VICTIMS))
        print(f"  {name}: {json.dumps(found[name])}", flush=True)
    return found


def main() -> None:
    """Run the parts and print their figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--json", type=Path, help="write the figures there, too")
    parser.add_argument("--minutes", type=float, default=10.0, help="of each part")
    parser.add_argument("--only", choices=("rate", "robots", "hostile"), help="one part")
    chosen = parser.parse_args()
    be_alone()
    seconds = 60.0 * chosen.minutes
    parts: dict[str, Callable[[], dict[str, Any]]] = {
        "rate": lambda: at_rate(seconds),
        "robots": lambda: several(seconds),
        "hostile": lambda: hostile(round(CALLS_A_MINUTE * chosen.minutes)),
    }
    results: dict[str, Any] = {
        "machine": {"cpus": os.cpu_count(), "load": os.getloadavg()[0]},
        "patience_seconds": PATIENCE,
    }
    for name, run in parts.items():
        if chosen.only in (None, name):
            results[name] = run()
            print(f"{name}: {json.dumps(results[name], indent=2)}", flush=True)
    if chosen.json:
        chosen.json.write_text(json.dumps(results, indent=2) + "\n")


if __name__ == "__main__":
    main()
