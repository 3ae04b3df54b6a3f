"""Where each program begins: Ctrl-C ends it quietly, however early.

A node's imports take a second, and minutes where kernels are compiled; what they import must not
be interrupted half-way with a traceback. ``nodes/common/process/process.py`` takes over from here.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path

WITH_OWN_HELP = ("move_robot", "robot_host", "simulated_nao")
APART = {"simulated_nao": "rigid_tree_kinematics.nao.simulated.server"}


def main() -> int:
    """Run the node that this program is named after; return its exit code."""
    name = Path(sys.argv[0]).name
    with _ending_at_once_when_asked():
        if sys.argv[1:] in (["-h"], ["--help"]) and name not in WITH_OWN_HELP:
            from rigid_tree_kinematics.node_help import help_of

            print(help_of(name))
            return 0
        from rigid_tree_kinematics.nodes import module_of

        module = import_module(APART.get(name) or module_of(name))
    # Programs that speak libqi have their own way of ending a process.
    return int(getattr(module, "run", module.main)() or 0)


@contextmanager
def _ending_at_once_when_asked() -> Iterator[None]:
    """End the process with code 0 at SIGINT and SIGTERM, whatever its main thread is doing.

    Python runs handlers between two steps of the main thread, and compiling a kernel is one step:
    a thread of its own hears of the signal meanwhile.
    """
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: os._exit(0))
    heard, told = os.pipe()
    os.set_blocking(told, False)

    def wait() -> None:
        if os.read(heard, 1):
            os._exit(0)

    threading.Thread(target=wait, name="signals while starting", daemon=True).start()
    signal.set_wakeup_fd(told, warn_on_full_buffer=False)
    yield
    signal.set_wakeup_fd(-1)
    os.close(told)  # which ends the thread
