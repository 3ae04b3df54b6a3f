"""Names of a package that are imported on first use."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any


def lazy_names(package: str, names: dict[str, tuple[str, ...]]) -> Callable[[str], Any]:
    """Return a package's ``__getattr__`` (PEP 562); ``names`` lists the names of each module."""

    def imported(name: str) -> Any:
        for module, offered in names.items():
            if name in offered:
                return getattr(importlib.import_module(f"{package}.{module}"), name)
        raise AttributeError(f"module '{package}' has no attribute '{name}'")

    return imported
