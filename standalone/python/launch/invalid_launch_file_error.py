"""InvalidLaunchFileError: a launch file could not be loaded."""

from __future__ import annotations

from collections.abc import Sequence


class InvalidLaunchFileError(Exception):
    """The launch file has a syntax error, raised an error, or is of an unknown format."""

    def __init__(
        self, extension: str = "", *, likely_errors: Sequence[Exception] | None = None
    ) -> None:
        """Create the error for a file with ``extension`` from the loaders' errors."""
        if not extension or not likely_errors:
            message = "no loader can read this launch file: wrong format or broken syntax"
        else:
            message = f"loading the {extension} launch file failed:"
            message += "".join(f"\n - {type(e).__name__}: {e}" for e in likely_errors)
            self.__cause__ = likely_errors[0]
        super().__init__(message)
