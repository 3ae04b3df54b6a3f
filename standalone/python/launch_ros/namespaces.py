"""Composition and validation of names."""

from __future__ import annotations

import re

# Names that are valid for sure; rclpy, which takes a launch 0.1 s to import, checks all others.
USUAL_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,50}")
USUAL_NAMESPACE = re.compile(rf"/|(/{USUAL_NAME.pattern}){{1,4}}")


def validate_name(name: str) -> None:
    """Raise rclpy's exception for an invalid name of a node."""
    if not USUAL_NAME.fullmatch(name):
        from rclpy.validate_node_name import validate_node_name

        validate_node_name(name)


def validate_namespace(namespace: str) -> None:
    """Raise ValueError, with rclpy's words, for an invalid namespace."""
    if USUAL_NAMESPACE.fullmatch(namespace):
        return
    from rclpy.exceptions import InvalidNamespaceException
    from rclpy.validate_namespace import validate_namespace

    try:
        validate_namespace(namespace)
    except InvalidNamespaceException as error:
        raise ValueError(str(error)) from None


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
