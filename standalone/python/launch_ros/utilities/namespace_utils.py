"""Composition of namespaces."""

from __future__ import annotations

from typing import overload


def is_root_namespace(ns: str) -> bool:
    """Return whether this is the root namespace."""
    return ns == "/"


def is_namespace_absolute(ns: str) -> bool:
    """Return whether the namespace starts at the root."""
    return ns.startswith("/")


def prefix_namespace(base_ns: str | None, ns: str | None) -> str | None:
    """Return ``ns`` within ``base_ns``; an absolute one stays as it is, None means "not given"."""
    if ns is None:
        combined = base_ns
    elif not base_ns or is_namespace_absolute(ns):
        combined = ns
    else:
        combined = base_ns.rstrip("/") + "/" + ns
    if combined is None or is_root_namespace(combined):
        return combined
    return combined.rstrip("/")


@overload
def make_namespace_absolute(ns: str) -> str: ...
@overload
def make_namespace_absolute(ns: None) -> None: ...
def make_namespace_absolute(ns: str | None) -> str | None:
    """Return the namespace with a leading slash; None stays None."""
    if ns is None or is_namespace_absolute(ns):
        return ns
    return "/" + ns
