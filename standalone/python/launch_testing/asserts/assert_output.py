"""Assertions on the output of processes."""
# ruff: noqa: N802 (the real names)

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from launch.actions import ExecuteLocal

from ..util import resolveProcesses

_ANSI_ESCAPE = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
ExpectedOutput = str | re.Pattern[str] | Iterable[str | re.Pattern[str]]
OutputFilter = Callable[[str], str]


def assertInStream(
    proc_output: Any,
    expected_output: ExpectedOutput,
    process: ExecuteLocal | str | None,
    cmd_args: Any = None,
    *,
    output_filter: OutputFilter | None = None,
    strict_proc_matching: bool = True,
    strip_ansi_escape_sequences: bool = True,
    stream: str = "stderr",
) -> None:
    """Assert that a process wrote a text, a pattern, or several of them in this order."""
    if stream not in ("stdout", "stderr"):
        raise ValueError(f"no stream is called '{stream}', only 'stdout' and 'stderr'")
    if output_filter is not None and not callable(output_filter):
        raise ValueError(f"output_filter cannot be called: {output_filter!r}")
    actions = resolveProcesses(
        proc_output, process=process, cmd_args=cmd_args, strict_proc_matching=strict_proc_matching
    )
    for action in actions:
        text = "".join(
            io.text.decode() for io in proc_output[action] if getattr(io, f"from_{stream}")
        ).replace("\r\n", "\n")
        if strip_ansi_escape_sequences:
            text = _ANSI_ESCAPE.sub("", text)
        if output_filter is not None:
            text = output_filter(text)
        if _contains(text, expected_output):
            return
    names = ", ".join(sorted(action.process_details["name"] for action in actions))
    raise AssertionError(f"none of {names} wrote '{expected_output}'")


def assertInStdout(
    proc_output: Any,
    expected_output: ExpectedOutput,
    process: ExecuteLocal | str | None,
    cmd_args: Any = None,
    **kwargs: Any,
) -> None:
    """Assert on stdout; see assertInStream."""
    assertInStream(proc_output, expected_output, process, cmd_args, stream="stdout", **kwargs)


def assertInStderr(
    proc_output: Any,
    expected_output: ExpectedOutput,
    process: ExecuteLocal | str | None,
    cmd_args: Any = None,
    **kwargs: Any,
) -> None:
    """Assert on stderr; see assertInStream."""
    assertInStream(proc_output, expected_output, process, cmd_args, stream="stderr", **kwargs)


def _contains(text: str, expected: ExpectedOutput) -> bool:
    if isinstance(expected, (str, re.Pattern)):
        expected = [expected]
    position = 0
    for part in expected:
        pattern = re.compile(re.escape(part)) if isinstance(part, str) else part
        match = pattern.search(text, position)
        if match is None:
            return False
        position = match.end()
    return True


class SequentialTextChecker:
    """Looks for texts in a list of texts, each after the one found before."""

    def __init__(self, output: Iterable[str]) -> None:
        """Create a checker of ``output``."""
        self._text = "".join(output)
        self._position = 0

    def assertInStdout(self, msg: str) -> None:
        """Assert that ``msg`` comes after what was found before."""
        found = self._text.find(msg, self._position)
        assert found >= 0, (
            f"'{msg}' does not follow what was found before. The output there:\n"
            f"{self._text[self._position :]}"
        )
        self._position = found + len(msg)


@contextmanager
def assertSequentialStdout(
    proc_output: Any, process: ExecuteLocal | str, cmd_args: Any = None
) -> Iterator[SequentialTextChecker]:
    """Give a checker of one process's output, in which texts must follow one another."""
    action = resolveProcesses(proc_output, process=process, cmd_args=cmd_args)[0]
    yield SequentialTextChecker(io.text.decode() for io in proc_output[action])
