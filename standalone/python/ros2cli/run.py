"""``ros2 run``."""

import argparse
import os
import shlex
import signal
import subprocess
from pathlib import Path

from ament_index_python import PackageNotFoundError, get_package_prefix

PREFIX = "[ros2run]:"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.set_defaults(run=run)
    parser.add_argument(
        "--prefix", default="", help="Command before the executable (e.g. 'gdb -ex run --args')"
    )
    parser.add_argument("package_name", help="The package")
    parser.add_argument("executable_name", help="The executable in that package")
    parser.add_argument("argv", nargs=argparse.REMAINDER, help="The arguments of the executable")


def run(args: argparse.Namespace) -> int | str:
    """Run an executable of a package and return its exit code."""
    package = args.package_name
    try:
        folder = Path(get_package_prefix(package), "lib", package)
    except (PackageNotFoundError, ValueError):
        return f"Package '{package}' not found"
    named = [path for path in folder.rglob("*") if path.name == args.executable_name]
    paths = [path for path in sorted(named) if path.is_file() and os.access(path, os.X_OK)]
    if not paths:
        return "No executable found"
    if len(paths) > 1:
        return "\n- ".join(["Multiple executables found:", *map(str, paths)])
    process = subprocess.Popen([*shlex.split(args.prefix), str(paths[0]), *args.argv])
    # A signal to this command's process ID must also end the executable.
    signal.signal(signal.SIGTERM, lambda number, frame: process.terminate())
    while True:
        try:
            code = process.wait()
            break
        except KeyboardInterrupt:
            continue  # the terminal sent the signal to the executable too
    if code < 0:
        print(PREFIX, signal.strsignal(-code))
    elif code > 0:
        print(PREFIX, f"Process exited with failure {code}")
    return code
