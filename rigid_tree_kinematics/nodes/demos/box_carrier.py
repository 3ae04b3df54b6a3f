"""A second Panda behind move_group that carries a box, commanded by a pymoveit2 script."""

from __future__ import annotations

import subprocess
import sys

from rigid_tree_kinematics.description.robots import bundled_folder

NAMESPACE = "carrier"
ROBOT = "panda_hand"
NODES = ("tree_state_publisher", "robot_simulator", "move_group")
ENDING = 10.0  # s, for the nodes to exit


class BoxCarrier:
    """The robot's processes, which run only during this step.

    ``script`` is the path of examples/pick_and_place.py.
    """

    def __init__(self, script: str) -> None:
        self._script = script
        self._nodes: subprocess.Popen[bytes] | None = None
        self._carrying: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start the robot, which takes seconds."""
        module = "rigid_tree_kinematics.nodes.robot_host"
        srdf = bundled_folder("robots") / f"{ROBOT}.srdf"
        settings = ("-p", f"robot:={ROBOT}", "-p", f"srdf:={srdf}")
        self._nodes = subprocess.Popen([sys.executable, "-m", module, *NODES, *_below(*settings)])

    def carry(self) -> None:
        """Start the script, which waits for the robot."""
        # pymoveit2 publishes these with absolute names.
        topics = ("collision_object", "attached_collision_object")
        remaps = [word for name in topics for word in ("-r", f"/{name}:=/{NAMESPACE}/{name}")]
        arguments = [self._script, "--once", *_below(*remaps)]
        self._carrying = subprocess.Popen([sys.executable, *arguments])

    @property
    def outcome(self) -> int | None:
        """The script's exit code, None while it runs."""
        return None if self._carrying is None else self._carrying.poll()

    def end(self) -> None:
        """Terminate the script and the robot."""
        for process in (self._carrying, self._nodes):
            if process is not None and process.poll() is None:
                process.terminate()
        for process in (self._carrying, self._nodes):
            if process is not None:
                try:
                    process.wait(ENDING)
                except subprocess.TimeoutExpired:
                    process.kill()
                    process.wait()


def _below(*words: str) -> list[str]:
    """Return ROS arguments of a process in the namespace."""
    return ["--ros-args", "-r", f"__ns:=/{NAMESPACE}", *words]
