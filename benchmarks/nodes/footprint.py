"""Memory and processor time of launch files at rest, and the time to the first moving frame.

    python -m benchmarks.nodes.footprint [--json FILE] [--seconds 20] [--processes one|each]

Every launch file runs in a ROS domain of its own on this machine only. RSS counts shared pages in
every process, PSS divides them among the processes. Processor time is that of all processes of the
launch file over the seconds measured, after they have settled.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import rclpy
from rclpy.executors import SingleThreadedExecutor
from tf2_msgs.msg import TFMessage

DOMAIN = 87
SETTLE = 10.0  # s after the first moving frame
PATIENCE = 120.0  # s
TICK = os.sysconf("SC_CLK_TCK")

CASES: dict[str, list[str]] = {
    "bring-up with web": ["bringup.launch.py", "robot:=panda", "web:=true", "web_port:=0"],
    "NAO": ["nao.launch.py", "nao_port:=19559"],
    "tour": ["demo.launch.py", "web_port:=0", "nao_port:=19559", "pause:=0.0"],
    "description": ["description.launch.py", "robot:=panda"],
}


@dataclass(frozen=True)
class Footprint:
    """What a launch file takes; MB, percent of one core, seconds."""

    processes: int
    rss: float
    pss: float
    processor: float
    first_frame: float


def descendants(root: int) -> list[int]:
    """Return the processes that a process has started, and theirs; without itself."""
    parents: dict[int, int] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            parents[int(entry.name)] = int(fields[1])
    found, frontier = [], [root]
    while frontier:
        children = [pid for pid, parent in parents.items() if parent in frontier]
        found += children
        frontier = children
    return found


def memory(pids: list[int]) -> tuple[float, float]:
    """Return the sums of RSS and PSS, MB."""
    sums = {"Rss": 0, "Pss": 0}
    for pid in pids:
        try:
            text = Path(f"/proc/{pid}/smaps_rollup").read_text()
        except OSError:
            continue
        for line in text.splitlines():
            name, _, rest = line.partition(":")
            if name in sums:
                sums[name] += int(rest.split()[0])
    return sums["Rss"] / 1024.0, sums["Pss"] / 1024.0


def processor_seconds(pids: list[int]) -> float:
    """Return the processor time that processes have used, s."""
    total = 0
    for pid in pids:
        try:
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        total += int(fields[11]) + int(fields[12])
    return total / TICK


class Frames:
    """Hears when a frame of /tf has moved."""

    def __init__(self) -> None:
        self._node = rclpy.create_node("footprint")
        self._executor = SingleThreadedExecutor()
        self._executor.add_node(self._node)
        self.heard = False
        self._node.create_subscription(TFMessage, "/tf", self._on_frames, 100)

    def _on_frames(self, message: TFMessage) -> None:
        self.heard = True

    def spin(self, seconds: float) -> None:
        """Listen for a while."""
        self._executor.spin_once(timeout_sec=seconds)

    def close(self) -> None:
        """Listen no longer."""
        self._executor.shutdown()
        self._node.destroy_node()


@contextmanager
def launched(arguments: list[str], processes: str) -> Iterator[tuple[subprocess.Popen, float]]:
    """Run a launch file; give its process, and the seconds until the first moving frame."""
    command = ["ros2", "launch", "rigid_tree_kinematics", *arguments, f"processes:={processes}"]
    frames = Frames()
    begin = time.monotonic()
    with tempfile.TemporaryFile() as log:
        launch = subprocess.Popen(command, stdout=log, stderr=log)
        try:
            while not frames.heard:
                if launch.poll() is not None or time.monotonic() - begin > PATIENCE:
                    log.seek(0)
                    raise SystemExit(f"no frames of {arguments[0]}:\n{log.read().decode()}")
                frames.spin(0.01)
            yield launch, time.monotonic() - begin
        finally:
            frames.close()
            launch.send_signal(signal.SIGINT)
            launch.wait(30.0)


def measure(arguments: list[str], processes: str, seconds: float, settle: float) -> Footprint:
    """Start a launch file, wait until it has settled, measure, and end it."""
    with launched(arguments, processes) as (launch, first):
        time.sleep(settle)
        pids = descendants(launch.pid)
        before = processor_seconds(pids)
        time.sleep(seconds)
        used = processor_seconds(pids) - before
        rss, pss = memory(pids)
    return Footprint(len(pids), rss, pss, 100.0 * used / seconds, first)


def be_alone() -> None:
    """Let this process, and those that it starts, use a ROS domain on this machine only."""
    os.environ["ROS_DOMAIN_ID"] = str(DOMAIN)
    os.environ["ROS_AUTOMATIC_DISCOVERY_RANGE"] = "LOCALHOST"


def main() -> None:
    """Measure every case and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", type=Path, help="write the figures there, too")
    parser.add_argument("--seconds", type=float, default=20.0, help="how long to measure")
    parser.add_argument("--settle", type=float, default=SETTLE, help="s before that")
    parser.add_argument("--processes", choices=("one", "each"), default="one")
    parser.add_argument("--only", choices=CASES, help="one case")
    chosen = parser.parse_args()
    be_alone()
    rclpy.init()
    results: dict[str, dict[str, Any]] = {}
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}, processes:={chosen.processes}")
    print(f"{'':22}{'processes':>10}{'RSS MB':>9}{'PSS MB':>9}{'% core':>8}{'first tf s':>12}")
    for name, arguments in CASES.items():
        if chosen.only in (None, name):
            found = measure(arguments, chosen.processes, chosen.seconds, chosen.settle)
            results[name] = asdict(found)
            print(
                f"{name:22}{found.processes:10d}{found.rss:9.0f}{found.pss:9.0f}"
                f"{found.processor:8.1f}{found.first_frame:12.1f}"
            )
    rclpy.try_shutdown()
    if chosen.json:
        chosen.json.write_text(json.dumps(results, indent=2))


if __name__ == "__main__":
    main()
