"""Loading launch files written in Python."""

from __future__ import annotations

import os
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader

from rigid_tree_stand_in import PACKAGES, missing_name, not_covered

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
]
__getattr__ = missing_name(__name__)


class InvalidLaunchFileError(Exception):
    """A launch file has a syntax error, raised an error, or is of an unknown format."""


class InvalidPythonLaunchFileError(Exception):
    """A Python launch file lacks generate_launch_description()."""


def get_launch_description_from_python_launch_file(
    python_launch_file_path: str,
) -> LaunchDescription:
    """Return what the file's ``generate_launch_description()`` returns."""
    loader = SourceFileLoader("python_launch_file", python_launch_file_path)
    spec = spec_from_loader(loader.name, loader)
    assert spec is not None
    module = module_from_spec(spec)
    try:
        loader.exec_module(module)
    except ModuleNotFoundError as error:
        if error.name is not None and error.name.split(".")[0] in PACKAGES:
            raise ImportError(not_covered(error.name), name=error.name) from error
        raise
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
        raise InvalidLaunchFileError(not_covered(f"'{launch_file_path}', not in Python,"))
    try:
        return get_launch_description_from_python_launch_file(launch_file_path)
    except Exception as error:  # whatever a launch file raises makes it an invalid one
        raise InvalidLaunchFileError(
            f"loading the {extension} launch file failed:\n - {type(error).__name__}: {error}"
        ) from error


class PythonLaunchDescriptionSource(LaunchDescriptionSource):
    """A Python launch file."""

    def __init__(self, launch_file_path: SomeSubstitutionsType) -> None:
        """Create a source from the file's path."""
        super().__init__(None, launch_file_path)

    def _get_launch_description(self, location: str) -> LaunchDescription:
        return get_launch_description_from_python_launch_file(location)


class AnyLaunchDescriptionSource(PythonLaunchDescriptionSource):
    """A launch file of any supported kind."""

    def _get_launch_description(self, location: str) -> LaunchDescription:
        return get_launch_description_from_any_launch_file(location)
