"""What the command ``ros2 launch`` does."""

from launch.launch_description_sources import InvalidLaunchFileError, InvalidPythonLaunchFileError

from .api import (
    MultipleLaunchFilesError,
    get_launch_file_paths,
    get_share_file_path_from_package,
    is_launch_file,
    launch_a_launch_file,
    parse_launch_arguments,
    print_arguments_of_launch_description,
    print_arguments_of_launch_file,
)

__all__ = [
    "InvalidLaunchFileError",
    "InvalidPythonLaunchFileError",
    "MultipleLaunchFilesError",
    "get_launch_file_paths",
    "get_share_file_path_from_package",
    "is_launch_file",
    "launch_a_launch_file",
    "parse_launch_arguments",
    "print_arguments_of_launch_description",
    "print_arguments_of_launch_file",
]
