"""Where each program begins: Ctrl-C ends it quietly, however early.

A node's imports take a second, and minutes where kernels are compiled; what they import must not
be interrupted half-way with a traceback. ``nodes/common/process.py`` takes over from here.
"""

from __future__ import annotations

import os
import signal
import sys
from importlib import import_module
from pathlib import Path

APART = {"simulated_nao": "rigid_tree_kinematics.nao.simulated.server"}


def main() -> int:
    """Run the node that this program is named after; return its exit code."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: os._exit(0))
    name = Path(sys.argv[0]).name
    module = import_module(APART.get(name, f"rigid_tree_kinematics.nodes.{name}"))
    # Programs that speak libqi have their own way of ending a process.
    return int(getattr(module, "run", module.main)() or 0)
