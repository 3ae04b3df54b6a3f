"""Program ``python``: the interpreter of the nodes, with their packages."""

import os
import sys


def main() -> None:
    """Replace this process by the interpreter with the same arguments."""
    os.execv(sys.executable, [sys.executable, *sys.argv[1:]])
