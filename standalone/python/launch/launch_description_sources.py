"""Loading launch files written in Python."""

from __future__ import annotations

import os
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from types import ModuleType

from .invalid_launch_file_error import InvalidLaunchFileError
from .launch_description import LaunchDescription
from .launch_description_source import LaunchDescriptionSource
from .some_substitutions_type import SomeSubstitutionsType

__all__ = [
    "AnyLaunchDescriptionSource",
    "InvalidLaunchFileError",
    "InvalidPythonLaunchFileError",
    "PythonLaunchDescriptionSource",
    "get_launch_description_from_any_launch_file",
    "get_launch_description_from_python_launch_file",
    "load_python_launch_file_as_module",
]


class InvalidPythonLaunchFileError(Exception):
    """A Python launch file lacks generate_launch_description()."""


def load_python_launch_file_as_module(python_launch_file_path: str) -> ModuleType:
    """Return the launch file as a module, loaded anew."""
    loader = SourceFileLoader("python_launch_file", python_launch_file_path)
    spec = spec_from_loader(loader.name, loader)
    if spec is None:
        raise RuntimeError(f"cannot load '{python_launch_file_path}' as a Python module")
    module = module_from_spec(spec)
    loader.exec_module(module)
    return module


def get_launch_description_from_python_launch_file(
    python_launch_file_path: str,
) -> LaunchDescription:
    """Return what the file's ``generate_launch_description()`` returns."""
    module = load_python_launch_file_as_module(python_launch_file_path)
    if not hasattr(module, "generate_launch_description"):
        raise InvalidPythonLaunchFileError(
            f"'{python_launch_file_path}' has no function generate_launch_description(), "
            "which a Python launch file needs"
        )
    return module.generate_launch_description()


def get_launch_description_from_any_launch_file(launch_file_path: str) -> LaunchDescription:
    """Return the description in a launch file; only Python launch files are understood.

    Raises InvalidLaunchFileError, which names the cause, if the file cannot be loaded.
    """
    extension = os.path.splitext(launch_file_path)[1].lstrip(".")
    if extension not in ("", "py"):
        only_python = ValueError(
            f"'{launch_file_path}': only Python launch files (.launch.py) are supported without "
            "a ROS 2 installation"
        )
        raise InvalidLaunchFileError(extension, likely_errors=[only_python])
    try:
        return get_launch_description_from_python_launch_file(launch_file_path)
    except Exception as error:  # whatever a launch file raises makes it an invalid one
        raise InvalidLaunchFileError(extension, likely_errors=[error]) from error


class PythonLaunchDescriptionSource(LaunchDescriptionSource):
    """A Python launch file."""

    def __init__(self, launch_file_path: SomeSubstitutionsType) -> None:
        """Create a source from the file's path."""
        super().__init__(None, launch_file_path, "Python launch file")

    def _get_launch_description(self, location: str) -> LaunchDescription:
        return get_launch_description_from_python_launch_file(location)


class AnyLaunchDescriptionSource(LaunchDescriptionSource):
    """A launch file of any supported kind."""

    def __init__(self, launch_file_path: SomeSubstitutionsType) -> None:
        """Create a source from the file's path."""
        super().__init__(None, launch_file_path, "interpreted launch file")

    def _get_launch_description(self, location: str) -> LaunchDescription:
        return get_launch_description_from_any_launch_file(location)
