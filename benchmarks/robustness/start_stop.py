"""Starts and stops of node processes under load: seconds to the exit, exit codes, tracebacks.

Each program is interrupted at a random moment of its start or when it is ready, by SIGTERM, by
SIGINT, or by two SIGINT as in a terminal. ``ros2 launch`` gets SIGINT for its process group. Busy
processes load the machine meanwhile. A process that runs for more than 30 s after its signal is
killed and counted as hanging.
"""

import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import IO, Any

from ament_index_python.packages import get_package_prefix

from benchmarks.frame import Report, main, spread
from benchmarks.nodes.network import DOMAIN, PATIENCE

PACKAGE = "rigid_tree_kinematics"
PROGRAMS = Path(get_package_prefix(PACKAGE)) / "lib" / PACKAGE
ROBOT = ("--ros-args", "-p", "robot:=panda")
HOST = ("tree_state_publisher", "robot_simulator", "ik_server", "rrt_planner")
# Commands, and the text in the log when they are ready.
COMMANDS: dict[str, tuple[list[str], str]] = {
    "tree_state_publisher": (
        [str(PROGRAMS / "tree_state_publisher"), *ROBOT],
        "independent joints",
    ),
    "rrt_planner": ([str(PROGRAMS / "rrt_planner"), *ROBOT], "independent joints"),
    "robot_host": (
        [str(PROGRAMS / "robot_host"), *HOST, *ROBOT],
        "[rrt_planner]: robot 'panda' from",
    ),
    "ros2 launch": (
        ["ros2", "launch", PACKAGE, "bringup.launch.py", "robot:=panda", "web_port:=0"],
        "[rrt_planner]: robot 'panda' from",
    ),
}
STARTING = 3.0  # s, longest time until a process is interrupted while it starts
LIMIT = 5.0  # s, within which a process must exit
HANGING = 30.0  # s
GOOD_CODES = (0, 130)


class Stops:
    """The outcomes of one command."""

    def __init__(self) -> None:
        self.seconds: list[float] = []
        self.bad = self.during_imports = self.hanging = 0

    def figures(self) -> dict[str, Any]:
        """Return the row of the table."""
        late = sum(seconds > LIMIT for seconds in self.seconds)
        return {
            "stops": len(self.seconds),
            **spread(self.seconds, (50, 100), "s"),
            f"> {LIMIT:g} s": late,
            "during imports": self.during_imports,
            "other codes, tracebacks": self.bad,
            "hanging": self.hanging,
        }


def stop_once(
    command: list[str], ready: str | None, signals: Sequence[int], rng: random.Random, stops: Stops
) -> None:
    """Start a command, interrupt it when it is ready or, without ``ready``, while it starts."""
    with tempfile.NamedTemporaryFile("w+") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log, start_new_session=True)
        if ready is None:
            time.sleep(rng.uniform(0.0, STARTING))
        else:
            wait_for(process, log, ready)
        begin = time.monotonic()
        for number in signals:
            os.killpg(process.pid, number)
            time.sleep(rng.choice((0.0, 0.02, 0.1)))
        try:
            code = process.wait(HANGING)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            code = process.wait()
            stops.hanging += 1
        stops.seconds.append(time.monotonic() - begin)
        text = Path(log.name).read_text()
    # While Python imports, signals have their default effects; later no handler raises.
    is_importing = ready is None and ("KeyboardInterrupt" in text or code == -signals[0])
    if is_importing:
        stops.during_imports += 1
    elif code == -signal.SIGKILL:
        print(f"hanging:\n{text}", file=sys.stderr)
    elif code not in GOOD_CODES or "Traceback" in text:
        stops.bad += 1
        print(f"code {code}:\n{text}", file=sys.stderr)


def wait_for(process: subprocess.Popen[bytes], log: IO[str], ready: str) -> None:
    deadline = time.monotonic() + PATIENCE
    while ready not in (text := Path(log.name).read_text()):
        if process.poll() is not None or time.monotonic() > deadline:
            raise SystemExit(f"not ready:\n{text}")
        time.sleep(0.02)


def run(options: Any, report: Report) -> None:
    """Stop each command when it is ready and while it starts, in turn."""
    os.environ["ROS_DOMAIN_ID"] = str(DOMAIN)
    rng = random.Random(0)
    busy = [
        subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(options.busy)
    ]
    try:
        for name, (command, ready) in COMMANDS.items():
            when_ready, at_start = Stops(), Stops()
            for _ in range(options.stops):
                once, twice, term = [signal.SIGINT], 2 * [signal.SIGINT], [signal.SIGTERM]
                signals = once if name == "ros2 launch" else rng.choice((once, twice, term))
                stop_once(command, ready, signals, rng, when_ready)
                if name != "ros2 launch":
                    stop_once(command, None, signals, rng, at_start)
            report.row("stopped when ready", name, when_ready.figures())
            if at_start.seconds:
                report.row("stopped while it starts", name, at_start.figures())
    finally:
        for process in busy:
            process.kill()


if __name__ == "__main__":
    main(run, stops=30, busy=2)
