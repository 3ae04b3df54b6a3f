"""Fresh clones: time of the setup, and time until the tour's first robot moves.

``scripts/setup.sh`` sets up each clone in a new folder; then its tour is started. The first robot
moves when a changing frame is published on /tf. pip uses this machine's cache. Run the benchmark
on an idle machine, and source ``standalone/setup.bash`` first for ROS 2's messages.
"""

import os
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import psutil
from tf2_msgs.msg import TFMessage

from benchmarks.frame import Report, main
from benchmarks.nodes.network import free_port, network, stop

ROOT = Path(__file__).parents[2]
# Variables of this clone's environment, hidden from the new clones.
HIDDEN = (
    "VIRTUAL_ENV",
    "AMENT_PREFIX_PATH",
    "CMAKE_PREFIX_PATH",
    "PYTHONPATH",
    "COLCON_PREFIX_PATH",
)


def measure(folder: str) -> dict[str, float]:
    """Clone into a folder, set up and start the tour; return the times."""
    subprocess.run(["git", "clone", "-q", str(ROOT), folder], check=True)
    environment = {name: value for name, value in os.environ.items() if name not in HIDDEN}
    own = str(ROOT / ".venv")
    paths = environment["PATH"].split(os.pathsep)
    environment["PATH"] = os.pathsep.join(path for path in paths if not path.startswith(own))
    begin = time.monotonic()
    subprocess.run(["scripts/setup.sh"], cwd=folder, env=environment, check=True)
    ready = time.monotonic()
    launch = "exec ros2 launch rigid_tree_demos demo.launch.py"
    launch += f" web_port:={free_port()} nao_port:={free_port()}"
    with network("set_up") as asker:
        places: dict[str, Any] = {}
        moving: list[str] = []

        def look(message: TFMessage) -> None:
            for item in message.transforms:
                if places.setdefault(item.child_frame_id, item.transform) != item.transform:
                    moving.append(item.child_frame_id)

        asker.node.create_subscription(TFMessage, "/tf", look, 100)
        tour = psutil.Popen(
            ["bash", "-c", f". standalone/setup.bash && {launch}"],
            cwd=folder,
            env=environment | {name: os.environ[name] for name in ("ROS_DOMAIN_ID",)},
            stdout=subprocess.DEVNULL,
        )
        try:
            asker.expect(lambda: moving, "moving frame")
            moved = time.monotonic()
        finally:
            stop([tour])
    return {"setup s": ready - begin, "first robot moves s": moved - begin}


def run(options: Any, report: Report) -> None:
    """Measure several clones."""
    rows = []
    for number in range(options.clones):
        with tempfile.TemporaryDirectory() as folder:
            rows.append(measure(str(Path(folder, "clone"))))
            report.row("fresh clone", number + 1, rows[-1])
    for name, of in (("median", np.median), ("max", np.max)):
        report.row(
            "fresh clone", name, {head: float(of([r[head] for r in rows])) for head in rows[0]}
        )


if __name__ == "__main__":
    main(run, clones=5)
