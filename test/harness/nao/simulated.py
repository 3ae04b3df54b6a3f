"""The simulated NAO in its own process, without ROS."""

import signal
import sys
from pathlib import Path

from harness.processes import Process, wait_until

MODULE = "rigid_tree_kinematics.nao.simulated.server"


class SimulatedNao(Process):
    """A simulated robot on a port."""

    def __init__(self, port: int, directory: Path, *arguments: str) -> None:
        log = directory / f"nao_{len(list(directory.glob('nao_*')))}"
        super().__init__([sys.executable, "-m", MODULE, "--port", str(port), *arguments], log)
        wait_until(lambda: "simulated NAO" in self.output, "the simulated NAO")

    def end(self, how: signal.Signals = signal.SIGTERM) -> int:
        if self.is_running:
            self.send_signal(signal.SIGCONT)
        return super().end(how)
