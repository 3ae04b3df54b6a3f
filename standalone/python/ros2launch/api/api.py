"""Finding, describing and running launch files."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path

from ament_index_python.packages import get_package_share_directory
from launch import LaunchDescription, LaunchService
from launch.actions import IncludeLaunchDescription
from launch.launch_description_sources import (
    AnyLaunchDescriptionSource,
    get_launch_description_from_any_launch_file,
)
from launch_testing.parse_arguments import parse_launch_arguments
from launch_testing.print_arguments import print_arguments_of_launch_description

__all__ = [
    "MultipleLaunchFilesError",
    "get_launch_file_paths",
    "get_share_file_path_from_package",
    "is_launch_file",
    "launch_a_launch_file",
    "parse_launch_arguments",
    "print_arguments_of_launch_description",
    "print_arguments_of_launch_file",
]


class MultipleLaunchFilesError(Exception):
    """A package has several launch files of the wanted name."""

    def __init__(self, msg: str, paths: Sequence[str]) -> None:
        """Create the error with the paths found."""
        super().__init__(msg)
        self.paths = paths


def get_share_file_path_from_package(*, package_name: str, file_name: str) -> str:
    """Return the path of a file anywhere below a package's share directory.

    Raises PackageNotFoundError, FileNotFoundError or MultipleLaunchFilesError.
    """
    share = get_package_share_directory(package_name)
    paths = [str(path) for path in sorted(Path(share).rglob(file_name)) if path.is_file()]
    if not paths:
        raise FileNotFoundError(
            f"no file '{file_name}' below '{share}', the share directory of package "
            f"'{package_name}'"
        )
    if len(paths) > 1:
        listed = ", ".join(f"'{path}'" for path in paths)
        raise MultipleLaunchFilesError(
            f"package '{package_name}' has several files '{file_name}': [{listed}]",
            paths,
        )
    return paths[0]


def get_launch_file_paths(*, path: str) -> list[str]:
    """Return the launch files anywhere below a directory."""
    return [str(file) for file in sorted(Path(path).rglob("*launch.py")) if file.is_file()]


def is_launch_file(path: str) -> bool:
    """Return whether this is the path of a (Python) launch file."""
    return path.endswith("launch.py") and Path(path).is_file()


def print_arguments_of_launch_file(*, launch_file_path: str) -> None:
    """Print what a launch file, with those it includes, takes as arguments."""
    description = get_launch_description_from_any_launch_file(launch_file_path)
    print_arguments_of_launch_description(launch_description=description)


def launch_a_launch_file(
    *,
    launch_file_path: str,
    launch_file_arguments: list[str],
    noninteractive: bool = False,
    args: Namespace | None = None,
    debug: bool = False,
) -> int:
    """Run a launch file with arguments ``name:=value`` and return the exit code.

    ``args`` are the parsed options of the command line, of which ``launch_prefix`` and
    ``launch_prefix_filter`` count here.
    """
    arguments = list(launch_file_arguments)
    for option in ("launch_prefix", "launch_prefix_filter"):
        value = getattr(args, option, None)
        if value:
            arguments.append(f"{option.replace('_', '-')}:={value}")
    service = LaunchService(argv=arguments, noninteractive=noninteractive, debug=debug)
    include = IncludeLaunchDescription(
        AnyLaunchDescriptionSource(launch_file_path),
        launch_arguments=parse_launch_arguments(arguments),
    )
    service.include_launch_description(LaunchDescription([include]))
    return service.run()
