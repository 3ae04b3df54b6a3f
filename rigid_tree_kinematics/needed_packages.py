"""Optional packages: errors with the install command if one is missing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from rigid_tree_kinematics.errors import RigidTreeError


class MissingPackageError(RigidTreeError, ImportError):
    """A task needs a Python package that is not installed."""

    def __init__(self, package: str, task: str, install: str = "") -> None:
        """Create the message with the command that installs the package."""
        install = install or f"pip install {package}"
        super().__init__(f"{task} needs {package}, which is not installed: {install}")
        self.name = package


@contextmanager
def needs(package: str, task: str, install: str = "") -> Iterator[None]:
    """Context of the import of a package that a task, such as "a figure", needs.

    Raises MissingPackageError if the package is not installed; ``install`` is the command if it is
    not pip's with that name. Errors of an installed package are not changed.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != package:
            raise
        raise MissingPackageError(package, task, install) from None
