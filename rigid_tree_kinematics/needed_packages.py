"""Optional packages: errors with the install command if one is missing."""

import re
from collections.abc import Iterator
from contextlib import contextmanager

from rigid_tree_kinematics.errors import RigidTreeError

NAME = "rigid_tree_kinematics"


class MissingPackageError(RigidTreeError, ImportError):
    """A task needs a Python package that is not installed."""

    def __init__(self, package: str, task: str, install: str = "") -> None:
        """Create the message with the command that installs the package."""
        install = _with_extra(install or f"pip install {package}")
        super().__init__(f"{task} needs {package}, which is not installed: {install}")
        self.name = package


def _with_extra(install: str) -> str:
    """Return the command for the extra with a package, if pip installed this one."""
    from importlib import metadata  # not at the top: it loads the package email

    try:
        requirements = metadata.requires(NAME) or []
    except metadata.PackageNotFoundError:
        return install
    name = install.removeprefix("pip install ")
    for requirement in requirements:
        found = re.match(r"([\w-]+).*extra == ['\"](\w+)['\"]", requirement)
        if found and found[1] == name and found[2] != "all":
            return f'pip install "{NAME}[{found[2]}]"'
    return install


@contextmanager
def needs(package: str, task: str, install: str = "") -> Iterator[None]:
    """Context of an import for a task such as "a figure"; raises MissingPackageError.

    Raises MissingPackageError if the package is not installed; ``install`` is the command if it is
    not pip's with that name. Errors of an installed package are not changed.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != package:
            raise
        raise MissingPackageError(package, task, install) from None
