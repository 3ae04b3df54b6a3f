"""Finds the classes and the files of interfaces by their names."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

from ament_index_python import get_package_share_directory, get_resources

INDEX = "rosidl_interfaces"


def interface_class(name: str, kind: str) -> Any:
    """Return the class of ``package/kind/Name`` (or ``package/Name``).

    ``kind`` is "msg", "srv" or "action"; RuntimeError if there is no such interface.
    """
    words = {"msg": "message", "srv": "service", "action": "action"}
    parts = name.split("/")
    if len(parts) == 2:
        parts.insert(1, kind)
    try:
        package, namespace, type_name = parts
        if namespace != kind:
            raise ValueError(name)
        return getattr(importlib.import_module(f"{package}.{namespace}"), type_name)
    except (AttributeError, ImportError, ValueError):
        raise RuntimeError(f"There is no {words[kind]} type '{name}'") from None


def interface_path(name: str) -> Path:
    """Return the definition file of ``package/kind/Name``; ValueError or LookupError if absent."""
    parts = name.split("/")
    if len(parts) != 3:
        raise ValueError(f"'{name}' does not have the form package/msg/Name")
    package, kind, type_name = parts
    if package not in get_resources(INDEX):
        raise LookupError(f"Unknown package '{package}'")
    path = Path(get_package_share_directory(package), kind, f"{type_name}.{kind}")
    if not path.is_file():
        raise LookupError(f"There is no interface file '{path}'")
    return path
