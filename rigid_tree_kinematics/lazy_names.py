"""Names of a package that are imported on first use."""

from __future__ import annotations

import ast
import importlib
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any


def lazy_names(package: str) -> Callable[[str], Any]:
    """Return a package's ``__getattr__`` (PEP 562) for its imports under TYPE_CHECKING."""

    @cache
    def modules() -> dict[str, str]:
        """Return name -> module, by the package's source."""
        tree = ast.parse(Path(str(sys.modules[package].__file__)).read_text(encoding="utf-8"))
        return {
            alias.name: str(node.module)
            for block in tree.body
            if isinstance(block, ast.If)
            for node in block.body
            if isinstance(node, ast.ImportFrom)
            for alias in node.names
        }

    def imported(name: str) -> Any:
        if name not in modules():
            raise AttributeError(f"module '{package}' has no attribute '{name}'")
        found = getattr(importlib.import_module(modules()[name]), name)
        setattr(sys.modules[package], name, found)  # later lookups bypass this function
        return found

    return imported
