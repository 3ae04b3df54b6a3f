"""Endurance: joint states at 1 kHz, ten robots on one network, and invalid requests.

The first two parts take ``--minutes`` each. The third sends 10,000 requests and messages per
minute.
"""

import json
import random
import tempfile
import time
from contextlib import ExitStack
from typing import Any

from rigid_tree_interfaces.srv import ComputeFK
from tf2_msgs.msg import TFMessage

from benchmarks.frame import Report, main
from benchmarks.nodes.network import (
    SIMULATED_NAO,
    Asker,
    core_share,
    free_port,
    network,
    resident,
    running,
    started,
    stop,
)
from benchmarks.nodes.state_publisher import commands, measure, sixty_links
from benchmarks.robustness.hostile import MANY, VICTIMS, Attacker, victim_parameters
from rigid_tree_kinematics.description import load_robot

RATE = 1000.0  # Hz
ROBOTS = 10
ROBOT = "ur5"
SETTLE = 10.0  # s
CALLS_A_MINUTE = 10_000
FIRST = 1000  # requests, before memory is measured


def at_rate(seconds: float) -> dict[str, Any]:
    """Publish joint states of 60 links at 1 kHz; count those without frames on /tf."""
    with network("endurance") as asker, tempfile.TemporaryDirectory() as folder:
        tree = sixty_links()
        command = commands(folder, tree, False)["tree_state_publisher"]
        return measure(asker, command, tree, RATE, seconds)


class Listener:
    """Counts each robot's frames, and calls its forward kinematics every second."""

    def __init__(self, asker: Asker) -> None:
        self._executor = asker.executor
        self.frames = dict.fromkeys(range(ROBOTS), 0)
        self.asked = dict.fromkeys(range(ROBOTS), 0)
        self.answered = dict.fromkeys(range(ROBOTS), 0)
        asker.node.create_subscription(TFMessage, "/tf", self._on_frames, MANY)
        self._clients: list[Any] = [
            asker.node.create_client(ComputeFK, f"r{k}/forward_kinematics", qos_profile=MANY)
            for k in range(ROBOTS)
        ]

    def _on_frames(self, message: TFMessage) -> None:
        name = message.transforms[0].child_frame_id
        self.frames[int(name[1 : name.index("/")])] += 1

    def is_complete(self) -> bool:
        """Return whether every robot has published and responded."""
        return all(self.frames.values()) and all(self.answered.values())

    def reset(self) -> None:
        """Reset the counts."""
        for counts in (self.frames, self.asked, self.answered):
            counts.update(dict.fromkeys(range(ROBOTS), 0))

    def spin(self, seconds: float, asks: bool) -> None:
        """Spin for some seconds, with or without calls."""
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
    """Run ten robots, each with state publisher, joint states and IK, on one network."""
    with network("endurance") as asker:
        processes = [
            started(
                "robot_host",
                *("tree_state_publisher", "joint_state_source", "ik_server", "--ros-args"),
                # A remapping for a single node would need its namespace.
                *("-r", f"__ns:=/r{k}", "-p", f"robot:={ROBOT}", "-p", f"frame_prefix:=r{k}/"),
            )
            for k in range(ROBOTS)
        ]
        try:
            listener = Listener(asker)
            deadline = time.monotonic() + 120.0
            while not listener.is_complete() and time.monotonic() < deadline:
                listener.spin(2.0, True)
            listener.spin(SETTLE, False)
            begin = sum(map(resident, processes))
            listener.reset()
            with core_share(processes) as share:
                listener.spin(seconds, True)
            listener.spin(2.0, False)
            rates = [count / (seconds + 2.0) for count in listener.frames.values()]
            return {
                "frame messages per second": f"{min(rates):.2f} to {max(rates):.2f}",
                "calls": sum(listener.asked.values()),
                "responses": sum(listener.answered.values()),
                "alive": sum(process.poll() is None for process in processes),
                **share,
                "MB before": begin,
                "MB": sum(map(resident, processes)),
            }
        finally:
            stop(processes)


def attacked(name: str, count: int) -> dict[str, Any]:
    """Send invalid requests and messages to a node; return the results."""
    robot = load_robot(VICTIMS[name])
    texts = [*robot.position_names, *robot.body_names, robot.base_name, ""]
    port = free_port()
    options = []
    for parameter, value in victim_parameters(name, port).items():
        options += ["-p", f"{parameter}:={json.dumps(value)}"]
    with network("attacker") as asker, ExitStack() as stack:
        if name == "nao_bridge":
            stack.enter_context(running(SIMULATED_NAO, "--port", str(port)))
        elif name == "web_viewer":
            described = ("--ros-args", "-p", f"robot:={VICTIMS[name]}")
            stack.enter_context(running("tree_state_publisher", *described))
        victim = stack.enter_context(running(name, "--ros-args", *options))
        attacker = Attacker(
            asker.node, asker.executor, name, random.Random(0), texts, robot.position_names
        )
        attacker.attack(min(FIRST, count))
        begin = resident(victim)
        outcome = attacker.attack(max(0, count - FIRST))
        return {
            "requests": outcome.requests,
            "messages": outcome.messages,
            "alive": victim.poll() is None and attacker.is_answering(),
            "unanswered": len(outcome.unanswered),
            "slowest s": outcome.slowest,
            "of": outcome.slowest_service,
            f"MB after {FIRST:,}": begin,
            "MB": resident(victim),
        }


def run(options: Any, report: Report) -> None:
    """Run the parts."""
    seconds = 60.0 * options.minutes
    if options.only in ("all", "rate"):
        report.row("joint states of 60 links at 1 kHz", f"{seconds:g} s", at_rate(seconds))
    if options.only in ("all", "robots"):
        report.row("robots on one network", f"{ROBOTS}, {seconds:g} s", several(seconds))
    if options.only in ("all", "hostile"):
        for name in VICTIMS:
            count = round(CALLS_A_MINUTE * options.minutes / len(VICTIMS))
            report.row("invalid requests and messages", name, attacked(name, count))


if __name__ == "__main__":
    main(run, minutes=10.0, only=("all", "rate", "robots", "hostile"))
