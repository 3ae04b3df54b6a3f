"""Loops over many cases in one test."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest


@contextmanager
def case(name: object) -> Iterator[None]:
    """Name the case in the message of a failure."""
    try:
        yield
    except (Exception, pytest.fail.Exception) as error:
        raise AssertionError(f"case {name}: {error}") from error
