"""Optional packages: errors with the install command if one is missing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from rigid_tree_kinematics.errors import RigidTreeError


class MissingPackageError(RigidTreeError, ImportError):
    """A task needs a Python package that is not installed."""

    def __init__(self, package: str, task: str, on_pypi: str | None = None) -> None:
        """Create the message with pip's command."""
        install = f"pip install {on_pypi or package}"
        super().__init__(f"{task} needs {package}, which is not installed: {install}")
        self.name = package


@contextmanager
def needs(package: str, task: str, on_pypi: str | None = None) -> Iterator[None]:
    """Context of the import of a package that a task, such as "a figure", needs.

    Raises MissingPackageError if the package is not installed; ``on_pypi`` is its name on PyPI if
    it differs. Errors of an installed package are not changed.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != package:
            raise
        raise MissingPackageError(package, task, on_pypi) from None
