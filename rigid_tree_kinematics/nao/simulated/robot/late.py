"""Methods that need libraries which take long to load, and much memory."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Late:
    """A method whose libraries are loaded when it is called for the first time.

    Call ``load`` first, without the robot's lock, which would block other calls.
    """

    load: Callable[[], Any]
    method: Callable[..., Any]

    def __call__(self, *arguments: Any) -> Any:
        """Call the method."""
        return self.method(*arguments)
