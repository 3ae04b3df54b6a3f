"""Whether the simulated robot touches itself, asked of a process of its own.

libqi and coal bring different versions of Boost, which do not bear each other in one process.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterable
from concurrent.futures import Future, ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


class SelfCollision:
    """Starts its process at the first question; that ends with this one.

    Args:
        robot_name: a bundled robot.
    """

    def __init__(self, robot_name: str) -> None:
        self._robot_name = robot_name
        self._process: subprocess.Popen[str] | None = None
        self._asker = ThreadPoolExecutor(1, thread_name_prefix="collision")

    def touches(self, q: Array, bodies: Iterable[str]) -> Future[str]:
        """Return ALMotion's word, "true" or "false", on whether one of the bodies touches."""
        return self._asker.submit(self._ask, [float(value) for value in q], set(bodies))

    def _ask(self, q: list[float], bodies: set[str]) -> str:
        if self._process is None:
            self._process = subprocess.Popen(
                [sys.executable, "-m", __name__, self._robot_name],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            )
        process = self._process
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(json.dumps(q) + "\n")
        process.stdin.flush()
        return "true" if bodies & set(json.loads(process.stdout.readline())) else "false"


def main() -> None:
    """Answer configurations, one a line, with the bodies that touch."""
    from rigid_tree_kinematics.collision import CollisionChecker
    from rigid_tree_kinematics.description import load_robot

    checker = CollisionChecker(load_robot(sys.argv[1]))
    for line in sys.stdin:
        contacts = checker.check(np.array(json.loads(line))).contacts
        print(json.dumps([name for c in contacts for name in (c.first, c.second)]), flush=True)


if __name__ == "__main__":
    main()
