"""Fleets: memory, processor time, discovery, lost messages, a shared planner.

bringup.launch.py starts simulated UR5 arms and their frames from one file, without IK and
planners. A joint state is lost if this program misses it between the first and the last one.
Datagrams are those of the whole machine. "discovered" is the time until this program has a joint
state of every robot. The shared planner plans for one Panda between pillars, from given starts.
"""

import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import psutil
from rigid_tree_interfaces.msg import PlanRequest
from rigid_tree_interfaces.srv import PlanMotion
from sensor_msgs.msg import JointState

from benchmarks.frame import Report, main
from benchmarks.nodes.network import (
    Listener,
    core_share,
    free_port,
    memory,
    network,
    running,
    stop,
)
from rigid_tree_kinematics.description import load_robot

STAMP = slice(4, 12)  # seconds and nanoseconds in a serialized message with a header
SETTLE = 5.0  # s
START = [1.0, 0.3, 0.0, -1.8, 0.0, 2.1, 0.785]  # beside the pillars
WAITING = 4  # concurrent requests to the shared planner


class States:
    """Stamps (s) of each robot's joint states."""

    def __init__(self, robots: list[str]) -> None:
        self.stamps: dict[str, list[float]] = {robot: [] for robot in robots}
        self._listener = Listener(
            JointState,
            {f"/{name}/joint_states": self._into(stamps) for name, stamps in self.stamps.items()},
        )
        self.stop = self._listener.stop

    @staticmethod
    def _into(stamps: list[float]) -> Any:
        def note(data: bytes) -> None:
            seconds, nanoseconds = np.frombuffer(data[STAMP], dtype=np.int32)
            stamps.append(float(seconds) + 1e-9 * float(nanoseconds))

        return note

    def lost(self, rate: float) -> int:
        """Return the number of joint states lost between the first and the last."""
        spans = [(s[-1] - s[0], len(s)) for s in self.stamps.values() if s]
        return sum(max(0, round(span * rate) + 1 - count) for span, count in spans)


@contextmanager
def discovery(kind: str) -> Iterator[None]:
    """Set up discovery with a server or, for "simple", without one."""
    if kind == "simple":
        yield
        return
    port = str(free_port())
    command = ["fastdds", "discovery", "-l", "127.0.0.1", "-p", port]
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL, start_new_session=True)
    os.environ["ROS_DISCOVERY_SERVER"] = f"127.0.0.1:{port}"
    try:
        yield
    finally:
        del os.environ["ROS_DISCOVERY_SERVER"]
        os.killpg(server.pid, signal.SIGTERM)
        server.wait()


def measure(count: int, hosts: int, kind: str, options: Any) -> dict[str, Any]:
    """Start a fleet, wait for a joint state of every robot, and measure."""
    robots = [f"arm_{number}" for number in range(1, count + 1)]
    with tempfile.TemporaryDirectory() as folder, discovery(kind), network("fleet") as asker:
        file = Path(folder, "fleet.yaml")
        file.write_text("".join(f"{robot}:\n" for robot in robots), encoding="utf-8")
        states = States(robots)
        words = [f"robots:={file}", f"hosts:={hosts}", "robot:=ur5", f"rate:={options.rate:g}"]
        command = ["ros2", "launch", "rigid_tree_kinematics", "bringup.launch.py", *words]
        begin = time.monotonic()
        command += ["planner:=false", "ik:=false"]
        launch = psutil.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            asker.expect(lambda: all(states.stamps.values()), "joint states of all robots")
            first = time.monotonic() - begin
            time.sleep(SETTLE)
            return {"discovered s": first, **at_work(launch, states, options)}
        finally:
            states.stop()
            stop([launch])


def at_work(launch: psutil.Popen, states: States, options: Any) -> dict[str, Any]:
    """Measure a fleet after its start."""
    processes = launch.children(recursive=True)
    for stamps in states.stamps.values():
        stamps.clear()
    sent = datagrams()
    with core_share(processes) as share:
        time.sleep(options.seconds)
    sent = datagrams() - sent
    received = sum(map(len, states.stamps.values()))
    return {
        "PSS MB": memory(processes)["PSS MB"],
        **share,
        "datagrams per second": sent / options.seconds,
        "received": received,
        "lost": states.lost(options.rate),
    }


def datagrams() -> int:
    """Return the number of UDP datagrams that this machine has sent since boot."""
    names, values = (
        line.split()
        for line in Path("/proc/net/snmp").read_text().splitlines()
        if line.startswith("Udp:")
    )
    return int(values[names.index("OutDatagrams")])


def plans_per_second(seconds: float) -> dict[str, float]:
    """Measure a planner with concurrent requests."""
    joints = load_robot("panda").joint_names
    ends = [START, [-1.0, *START[1:]]]
    parameters = ["--ros-args", "-p", "robot:=panda", "-p", "scene:=panda_pillars"]
    with network("fleet") as asker, running("rrt_planner", *parameters):

        def send(number: int) -> Any:
            forth = ends if number % 2 else ends[::-1]
            start, goal = (JointState(name=joints, position=end) for end in forth)
            request = PlanRequest(start=start, goal_states=[goal], seed=number)
            return asker.send(PlanMotion, "plan_motion", request=request)

        first = send(0)
        asker.expect(first.done, "first plan")
        waiting, done, begin = [send(number) for number in range(WAITING)], 0, time.monotonic()
        while time.monotonic() < begin + seconds:
            asker.until(lambda: any(future.done() for future in waiting), 1.0)
            for k, future in enumerate(waiting):
                if future.done():
                    done += future.result().reply.success
                    waiting[k] = send(WAITING + done)
        return {"plans per second": done / (time.monotonic() - begin)}


def alone(function: Any, *arguments: Any) -> Any:
    """Return a function's result from a new process: Fast DDS reads its server once in each."""
    with ProcessPoolExecutor(1, get_context("spawn")) as process:
        return process.submit(function, *arguments).result()


def run(options: Any, report: Report) -> None:
    """Measure fleets of several sizes, and the shared planner."""
    for count, hosts, kind in (
        (1, 1, "simple"),
        (10, 1, "simple"),
        (50, 1, "simple"),
        (50, 5, "simple"),
        (50, 5, "server"),
        (20, 20, "simple"),
        (20, 20, "server"),
    ):
        name = f"{count}, {hosts}, {kind}"
        report.row(
            "robots, processes, discovery", name, alone(measure, count, hosts, kind, options)
        )
    report.row("shared planner", "4 concurrent requests", alone(plans_per_second, options.seconds))


if __name__ == "__main__":
    main(run, seconds=20.0, rate=10.0)
