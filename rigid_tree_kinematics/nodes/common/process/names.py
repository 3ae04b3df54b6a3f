"""Names of topics and services."""

from __future__ import annotations


def below(namespace: str, name: str) -> str:
    """Return a name in a namespace; where that is empty, the name itself."""
    return f"{namespace}/{name}" if namespace else name
