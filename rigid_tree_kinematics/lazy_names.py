"""Names of a package that are imported when they are first used."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any


def lazy_names(package: str, modules: dict[str, str]) -> Callable[[str], Any]:
    """Return a ``__getattr__`` for a package; ``modules`` maps each name to its module there.

    See PEP 562. The function raises AttributeError for a name that is not in ``modules``.
    """

    def imported(name: str) -> Any:
        if name not in modules:
            raise AttributeError(f"module '{package}' has no attribute '{name}'")
        return getattr(importlib.import_module(f"{package}.{modules[name]}"), name)

    return imported
