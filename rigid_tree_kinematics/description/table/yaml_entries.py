"""YAML as nested entries with line numbers, for error messages.

Values stay text: ``1e-3``, ``-pi/2`` and ``no`` are interpreted by the caller. Aliases (with which
a small file can expand without bounds), tags, duplicate keys and several documents are rejected.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from rigid_tree_kinematics.errors import DescriptionError

MAX_DEPTH = 20


@dataclass(frozen=True)
class Entry:
    """A text, list or mapping of the file with its 1-based first line."""

    value: str | list[Entry] | dict[str, Entry]
    line: int

    @property
    def kind(self) -> str:
        """The kind of value, for messages."""
        return {str: "text", list: "a list", dict: "a mapping"}[type(self.value)]


def read_entries(text: str, source: str) -> Entry:
    """Return the single document in ``text``; errors name ``source`` and the line."""
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    entry = None
    try:
        events = yaml.parse(text, Loader=loader)
        for event in events:
            if isinstance(event, yaml.DocumentStartEvent):
                if entry is not None:
                    mark: Any = event.start_mark
                    line = mark.line + 1
                    raise DescriptionError("a second YAML document; keep one", source, line)
                entry = _entry(next(events), events, source, 0)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        problem = getattr(error, "problem", None) or str(error).splitlines()[0]
        line = mark.line + 1 if mark is not None else None
        raise DescriptionError(f"not valid YAML: {problem}", source, line) from error
    if entry is None:
        raise DescriptionError("the file is empty", source)
    return entry


def _entry(event: Any, events: Iterator[Any], source: str, depth: int) -> Entry:
    import yaml

    line = event.start_mark.line + 1
    if isinstance(event, yaml.AliasEvent):
        raise DescriptionError(
            f"the alias '*{event.anchor}' is not allowed here; use a constant", source, line
        )
    if event.tag is not None:
        raise DescriptionError(f"the tag '{event.tag}' is not allowed here", source, line)
    if depth > MAX_DEPTH:
        raise DescriptionError(f"more than {MAX_DEPTH} levels of nesting", source, line)
    if isinstance(event, yaml.ScalarEvent):
        return Entry(event.value, line)
    if isinstance(event, yaml.SequenceStartEvent):
        items = []
        while not isinstance(event := next(events), yaml.SequenceEndEvent):
            items.append(_entry(event, events, source, depth + 1))
        return Entry(items, line)
    mapping: dict[str, Entry] = {}
    while not isinstance(event := next(events), yaml.MappingEndEvent):
        key = _entry(event, events, source, depth + 1)
        if not isinstance(key.value, str) or not key.value:
            raise DescriptionError(f"a key must be a name, not {key.kind}", source, key.line)
        if key.value in mapping:
            first = mapping[key.value].line
            raise DescriptionError(
                f"the key '{key.value}' is repeated (first on line {first}); remove one of them",
                source,
                key.line,
            )
        mapping[key.value] = _entry(next(events), events, source, depth + 1)
    return Entry(mapping, line)
