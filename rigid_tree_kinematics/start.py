"""Entry point of all programs: Ctrl-C ends them quietly, even during imports.

The program ``python`` is the interpreter of the others, with their packages.
``python -m rigid_tree_kinematics.start PROGRAM ...`` runs a program that is not installed.

A node's imports take a second, or minutes if kernels are compiled. Afterwards,
``nodes/common/process/process.py`` handles signals.
"""

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from importlib import import_module
from pathlib import Path

# Programs that read their arguments, by the modules with their functions ``main``.
WITH_MAIN = {
    "move_robot": "rigid_tree_kinematics.nodes.tools.move_robot",
    "robot_host": "rigid_tree_kinematics.nodes.robot_host",
    "simulated_nao": "rigid_tree_kinematics.nao.simulated.server",
}


def main() -> int:
    """Run the node that this program is named after; return its exit code."""
    name = Path(sys.argv[0]).name
    if name == "python":
        os.execv(sys.executable, [sys.executable, *sys.argv[1:]])
    with _exit_on_signals():
        if sys.argv[1:] in (["-h"], ["--help"]) and name not in WITH_MAIN:
            from rigid_tree_kinematics.node_help import help_of

            print(help_of(name))
            return 0
        if name in WITH_MAIN:
            run: Callable[[], int] = import_module(WITH_MAIN[name]).main
        else:
            from rigid_tree_kinematics.nodes import maker_of
            from rigid_tree_kinematics.nodes.common.process import run_node

            run = partial(run_node, name, maker_of(name))
    code = run()
    if "qi" in sys.modules:  # libqi's threads would crash the process at exit
        sys.stdout.flush()
        os._exit(code)
    return code


@contextmanager
def _exit_on_signals() -> Iterator[None]:
    """Exit with code 0 at SIGINT and SIGTERM, even while the main thread is busy.

    Python runs signal handlers only between bytecodes of the main thread, and compiling a kernel
    is one bytecode. A separate thread is woken up by the signal's file descriptor.
    """
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: os._exit(0))
    read_end, write_end = os.pipe()
    os.set_blocking(write_end, False)

    def wait() -> None:
        if os.read(read_end, 1):
            os._exit(0)

    threading.Thread(target=wait, name="signals while starting", daemon=True).start()
    signal.set_wakeup_fd(write_end, warn_on_full_buffer=False)
    yield
    signal.set_wakeup_fd(-1)
    os.close(write_end)  # ends the thread


if __name__ == "__main__":
    del sys.argv[0]
    sys.exit(main())
