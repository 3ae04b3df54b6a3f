"""Self-collision checks of the simulated robot, in a separate process.

libqi and coal bring different versions of Boost, which crash in one process.
"""

import json
import subprocess
import sys
from collections.abc import Iterable
from concurrent.futures import Future, ThreadPoolExecutor

import numpy as np

from rigid_tree_kinematics.arrays import Array
from rigid_tree_nao.errors import NaoError


class SelfCollision:
    """Checks in a child process, started by the first check; it ends with this process."""

    def __init__(self, robot_name: str) -> None:
        self._robot_name = robot_name
        self._process: subprocess.Popen[str] | None = None
        self._asker = ThreadPoolExecutor(1, thread_name_prefix="collision")

    def touches(self, q: Array, bodies: Iterable[str]) -> Future[str]:
        """Return a Future of isCollision's value: "collision" if a body is in contact at q."""
        return self._asker.submit(self._ask, [float(value) for value in q], set(bodies))

    def _ask(self, q: list[float], bodies: set[str]) -> str:
        if self._process is None:
            self._process = subprocess.Popen(
                [sys.executable, "-m", __name__, self._robot_name],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
                start_new_session=True,  # Ctrl-C is for its parent, whose end closes the pipe
            )
        process = self._process
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(json.dumps(q) + "\n")
        process.stdin.flush()
        answer = process.stdout.readline()
        if not answer:
            self._process = None  # the next call starts another one
            raise NaoError("the collision check ended without a result")
        return "collision" if bodies & set(json.loads(answer)) else "none"


def main() -> None:
    """Check one configuration per line; print the bodies in contact as a line of JSON."""
    from rigid_tree_kinematics.collision import CollisionChecker
    from rigid_tree_kinematics.description import load_robot

    checker = CollisionChecker(load_robot(sys.argv[1]))
    for line in sys.stdin:
        contacts = checker.check(np.array(json.loads(line))).contacts
        print(json.dumps([name for c in contacts for name in (c.first, c.second)]), flush=True)


if __name__ == "__main__":
    main()
