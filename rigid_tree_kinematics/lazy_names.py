"""Names of a package that are imported on first use."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any


def lazy_names(package: str, modules: dict[str, str]) -> Callable[[str], Any]:
    """Return a package's ``__getattr__`` (PEP 562); ``modules`` maps names to their modules."""

    def imported(name: str) -> Any:
        if name not in modules:
            raise AttributeError(f"module '{package}' has no attribute '{name}'")
        return getattr(importlib.import_module(f"{package}.{modules[name]}"), name)

    return imported
