"""Packages that only some tasks need: whoever lacks one is told what to install."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from rigid_tree_kinematics.errors import RigidTreeError


class MissingPackageError(RigidTreeError, ImportError):
    """A task needs a Python package that is not installed; the message says how to get it."""

    def __init__(self, package: str, task: str, on_pypi: str | None = None) -> None:
        """Name the package, what it is needed for, and pip's command."""
        install = f"pip install {on_pypi or package}"
        super().__init__(f"{task} needs {package}, which is not installed: {install}")
        self.name = package


@contextmanager
def needs(package: str, task: str, on_pypi: str | None = None) -> Iterator[None]:
    """Stand around the import of a package that a task needs, such as "a figure".

    Raises MissingPackageError if the package, which PyPI may call otherwise, is not installed. A
    package that is there and lacks another one raises what it raises.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != package:
            raise
        raise MissingPackageError(package, task, on_pypi) from None
