"""``ros2 launch``."""

from __future__ import annotations

import argparse
import os
import sys
from typing import Any


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.set_defaults(run=run)
    parser.add_argument(
        "-n",
        "--noninteractive",
        action="store_true",
        default=not sys.stdin.isatty(),
        help="Behave as without a terminal",
    )
    parser.add_argument("-d", "--debug", action="store_true", help="More verbose output")
    parser.add_argument(
        "-s",
        "--show-args",
        "--show-arguments",
        action="store_true",
        help="Print the launch arguments and exit",
    )
    parser.add_argument(
        "-a",
        "--show-all-subprocesses-output",
        action="store_true",
        help="Print the output of every process, whatever the file says",
    )
    parser.add_argument(
        "package_name", help="Name of the ROS package, or the path of a launch file"
    )
    parser.add_argument("launch_file_name", nargs="?", help="The launch file in that package")
    parser.add_argument(
        "launch_arguments",
        nargs="*",
        help="Values of launch arguments: '<name>:=<value>'; a later one counts",
    )


def run(args: argparse.Namespace) -> Any:
    """Launch a file, or show its arguments."""
    from ros2launch.api import launch_a_launch_file, print_arguments_of_launch_file

    arguments = list(args.launch_arguments)
    if os.path.isfile(args.package_name):
        path = args.package_name
        if args.launch_file_name is not None:
            arguments.insert(0, args.launch_file_name)
    else:
        path = _path_in_package(args.package_name, args.launch_file_name)
    if args.show_all_subprocesses_output:
        os.environ["OVERRIDE_LAUNCH_PROCESS_OUTPUT"] = "both"
    if args.show_args:
        return print_arguments_of_launch_file(launch_file_path=path)
    return launch_a_launch_file(
        launch_file_path=path,
        launch_file_arguments=arguments,
        noninteractive=args.noninteractive,
        args=args,
        debug=args.debug,
    )


def _path_in_package(package: str, file_name: str | None) -> str:
    from ament_index_python import PackageNotFoundError
    from ros2launch.api import MultipleLaunchFilesError, get_share_file_path_from_package

    if file_name is None:
        raise RuntimeError(
            f"'{package}' is no launch file; give its path, or a package and a launch file's name"
        )
    try:
        return get_share_file_path_from_package(package_name=package, file_name=file_name)
    except PackageNotFoundError as error:
        raise RuntimeError(f"Package '{package}' not found: {error}") from None
    except (FileNotFoundError, MultipleLaunchFilesError) as error:
        raise RuntimeError(str(error)) from None
