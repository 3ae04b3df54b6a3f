"""Several launches from one generate_test_description."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator
from typing import Any

ParametrizedRuns = Iterator[tuple[Callable, dict[str, Any]]]


def parametrize(
    argnames: str, argvalues: Iterable[Any]
) -> Callable[[Callable], Callable[[], ParametrizedRuns]]:
    """Return a decorator: one launch for each of ``argvalues`` (tuples for several names)."""
    names = [name.strip() for name in argnames.split(",") if name.strip()]
    rows = [row if isinstance(row, tuple) else (row,) for row in argvalues]

    def decorate(function: Callable) -> Callable[[], ParametrizedRuns]:
        @functools.wraps(function)
        def runs() -> ParametrizedRuns:
            for row in rows:
                arguments = dict(zip(names, row, strict=True))
                bound = functools.partial(function, **arguments)
                functools.update_wrapper(bound, function)
                yield bound, arguments

        runs.__parametrized__ = True  # type: ignore[attr-defined]  # the real mark
        return runs

    return decorate
