"""Substitution: a text that is known only while launching."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .launch_context import LaunchContext


class Substitution:
    """Base class of all substitutions."""

    def describe(self) -> str:
        """Return a text that names this substitution, for ``ros2 launch --show-args``."""
        return repr(self)

    def perform(self, context: LaunchContext) -> str:
        """Return the text of this substitution in ``context``."""
        raise NotImplementedError(f"{type(self).__name__} does not define perform()")
