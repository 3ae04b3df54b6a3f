"""Node: wakes NAO through the bridge and lets it wave.

It uses nothing but the services and actions of nao_bridge. The process ends with code 0 when the
robot has waved, and with code 1 and a word about what went wrong otherwise.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from rigid_tree_kinematics.nodes.demo_node import DemoNode
from rigid_tree_kinematics.nodes.nao_wave import NaoWave
from rigid_tree_kinematics.nodes.parameters import declare_flag, declare_number
from rigid_tree_kinematics.nodes.start import run_node

NAME = "nao_demo"
PAUSE = 3.0  # s between two waves


class NaoDemo(DemoNode):
    """The node; ``finished`` gets the exit code."""

    def __init__(self) -> None:
        super().__init__(NAME)
        self._once = declare_flag(self, "once", True, "Wave once, then end.")
        patience = declare_number(
            self, "timeout", 60.0, "How long to wait for the robot, s.", 0.1, 3600.0
        )
        self.be_patient(patience)
        self._nao = NaoWave(self)

    async def play(self) -> None:
        """Wake up, and wave."""
        await self._nao.wake_up()
        self.get_logger().info("NAO is awake")
        while True:
            await self._nao.wave()
            if self._once:
                return
            await self.sleep(PAUSE)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the node; return the exit code of the process."""
    return run_node(NAME, NaoDemo, arguments)


if __name__ == "__main__":
    sys.exit(main())
