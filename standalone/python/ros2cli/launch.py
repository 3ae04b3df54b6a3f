"""``ros2 launch``."""

import argparse
import os
from collections.abc import Iterable
from pathlib import Path


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.set_defaults(run=run)
    interactive = ("-n", "--noninteractive")
    parser.add_argument(*interactive, action="store_true", help="Without a terminal (always)")
    parser.add_argument("-d", "--debug", action="store_true", help="More verbose output")
    show = ("-s", "--show-args", "--show-arguments")
    parser.add_argument(*show, action="store_true", help="Print the launch arguments and exit")
    output = ("-a", "--show-all-subprocesses-output")
    parser.add_argument(*output, action="store_true", help="Print the output of every process")
    parser.add_argument("package_name", help="The ROS package, or the path of a launch file")
    parser.add_argument("launch_file_name", nargs="?", help="The launch file in that package")
    parser.add_argument(
        "launch_arguments",
        nargs="*",
        help="Values of launch arguments: '<name>:=<value>'; the last one of a name is used",
    )


def run(args: argparse.Namespace) -> int:
    """Launch a file, or show its arguments."""
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
        _print_arguments(path)
        return 0
    return _launch(path, _parsed(arguments), args.debug)


def _path_in_package(package: str, file_name: str | None) -> str:
    from ament_index_python import PackageNotFoundError, get_package_share_directory

    if file_name is None:
        raise RuntimeError(
            f"'{package}' is not a launch file; give a path, or a package and a launch file's name"
        )
    try:
        share = get_package_share_directory(package)
    except PackageNotFoundError as error:
        raise RuntimeError(f"Package '{package}' not found: {error}") from None
    named = [path for path in Path(share).rglob("*") if path.name == file_name]
    paths = [str(path) for path in sorted(named) if path.is_file()]
    if len(paths) != 1:
        found = f"several files: {', '.join(paths)}" if paths else "no such file"
        raise RuntimeError(f"'{file_name}' below '{share}': {found}")
    return paths[0]


def _parsed(arguments: Iterable[str]) -> dict[str, str]:
    """Return names and values; raises RuntimeError if a text is not ``name:=value``."""
    parsed: dict[str, str] = {}
    for argument in arguments:
        name, separator, value = argument.partition(":=")
        if not (name and separator and value):
            raise RuntimeError(
                f"launch argument '{argument}' does not have the form '<name>:=<value>'"
            )
        parsed[name] = value
    return parsed


def _print_arguments(path: str) -> None:
    """Print names, descriptions and defaults; a star marks those used only conditionally."""
    from launch.launch_description_sources import get_launch_description_from_any_launch_file

    print("Arguments (pass arguments as '<name>:=<value>'):")
    arguments = get_launch_description_from_any_launch_file(path).get_launch_arguments()
    if not arguments:
        print("\n  No arguments.")
    for argument in arguments:
        star = "*" if argument._conditionally_included else ""
        print(f"\n    '{argument.name}':{star}\n        {argument.description}")
        if argument.default_value is not None:
            default = " + ".join(token.describe() for token in argument.default_value)
            print(f"        (default: {default})")
    if any(argument._conditionally_included for argument in arguments):
        print("\n* argument(s) which are only used if specific conditions occur")


def _launch(path: str, arguments: dict[str, str], debug: bool) -> int:
    from launch import LaunchDescription, LaunchService
    from launch.actions import IncludeLaunchDescription
    from launch.launch_description_sources import AnyLaunchDescriptionSource

    service = LaunchService(debug=debug)
    include = IncludeLaunchDescription(
        AnyLaunchDescriptionSource(path), launch_arguments=arguments.items()
    )
    service.include_launch_description(LaunchDescription([include]))
    return service.run()
