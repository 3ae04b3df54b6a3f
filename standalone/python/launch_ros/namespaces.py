"""Composition of namespaces."""

from __future__ import annotations


def prefix_namespace(base: str | None, namespace: str | None) -> str | None:
    """Return a namespace within another; an absolute one stays as it is, None: not given."""
    if namespace is None:
        combined = base
    elif not base or namespace.startswith("/"):
        combined = namespace
    else:
        combined = base.rstrip("/") + "/" + namespace
    if combined is None or combined == "/":
        return combined
    return combined.rstrip("/")


def make_namespace_absolute(namespace: str) -> str:
    """Return the namespace with a leading slash."""
    return namespace if namespace.startswith("/") else f"/{namespace}"
