"""YAML mappings with typed access and constants; errors name file, line and key.

Values remain strings: the caller interprets ``1e-3``, ``-pi/2`` and ``no``. Aliases (with which
a small file can expand without bounds), tags, duplicate keys and several documents are rejected.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.description.table.expression import (
    ExpressionError,
    Lookup,
    evaluate,
    evaluate_steps,
    unknown_name,
)
from rigid_tree_kinematics.errors import DescriptionError
from rigid_tree_kinematics.model.transforms import axis_angle_matrix, transform
from rigid_tree_kinematics.text import told_apart

# Larger numbers (m, rad, kg, N) are mistakes and would overflow when squared.
MAX_VALUE = 1e12

# Names with a meaning in formulas.
RESERVED = ("pi", "deg", "identity")

_AXES = {"X": (1.0, 0.0, 0.0), "Y": (0.0, 1.0, 0.0), "Z": (0.0, 0.0, 1.0)}
MAX_DEPTH = 20  # levels of nesting


@dataclass(frozen=True)
class Entry:
    """A string, list or mapping of the file with its 1-based first line."""

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
    except (yaml.YAMLError, UnicodeEncodeError) as error:
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
            message = f"the key '{key.value}' is repeated (first on line {first}); remove one"
            raise DescriptionError(message, source, key.line)
        mapping[key.value] = _entry(next(events), events, source, depth + 1)
    return Entry(mapping, line)


class Section:
    """A mapping in a file with names, formulas, lists and mappings as values.

    ``where`` is its place in messages: ``chain 'LArm', joint 'LElbowYaw'``. ``known`` are the
    allowed keys; None: any.
    """

    def __init__(
        self,
        entry: Entry,
        where: str,
        source: str,
        lookup: Lookup,
        known: Sequence[str] | None = None,
    ) -> None:
        self.where = where
        self.source = source
        self.line = entry.line
        self._lookup = lookup
        if not isinstance(entry.value, dict):
            wanted = f"with the keys {', '.join(known)}" if known else "from names to values"
            raise self.error(f"must be a mapping {wanted}, not {entry.kind}")
        self.entries = entry.value
        for key, value in self.entries.items():
            if known is not None and key not in known:
                raise self.error(self._unknown_key(key, known), None, value.line)

    def __contains__(self, key: str) -> bool:
        return key in self.entries

    def __iter__(self) -> Iterator[str]:
        return iter(self.entries)

    def error(
        self, message: str, key: str | None = None, line: int | None = None
    ) -> DescriptionError:
        """Return an error that names the file, the line, this section and the key."""
        if line is None:
            line = self.entries[key].line if key and key in self.entries else self.line
        place = ": ".join(filter(None, (self.where, key)))
        return DescriptionError(f"{place}: {message}", self.source, line)

    def entry(self, key: str) -> Entry:
        """Return the entry of a required key."""
        if key not in self.entries:
            raise self.error(f"the key '{key}' is missing")
        return self.entries[key]

    def text(self, key: str, default: str | None = None) -> str:
        """Return the stripped string of a key, or the default if the key is missing.

        Raises DescriptionError if it is not a string, empty, or missing without a default.
        """
        if default is not None and key not in self:
            return default
        value = self.entry(key).value
        if not isinstance(value, str) or not value.strip():
            raise self.error("must be a string", key)
        return value.strip()

    def choice(self, key: str, options: Sequence[str], default: str) -> str:
        """Return one of the options."""
        value = self.text(key, default)
        if value not in options:
            raise self.error(f"'{value}' is not one of {', '.join(options)}", key)
        return value

    def number(self, key: str, default: float | None = None) -> float:
        """Return the value of a formula."""
        if default is not None and key not in self:
            return default
        return self._evaluate(self.entry(key), key)

    def not_negative(self, key: str, default: float | None = None) -> float:
        """Return the value of a formula, which must not be negative."""
        value = self.number(key, default)
        if value < 0.0:
            raise self.error(f"must not be negative, but is {value:g}", key)
        return value

    def positive(self, key: str) -> float:
        """Return the value of a formula, which must be greater than zero."""
        value = self.number(key)
        if value <= 0.0:
            raise self.error(f"must be greater than zero, but is {value:g}", key)
        return value

    def numbers(self, key: str, count: int, default: Sequence[float] | None = None) -> list[float]:
        """Return the values of a list of ``count`` formulas."""
        if default is not None and key not in self:
            return list(default)
        entry = self.entry(key)
        if not isinstance(entry.value, list) or len(entry.value) != count:
            found = f"{len(entry.value)}" if isinstance(entry.value, list) else entry.kind
            raise self.error(f"must be a list of {count} numbers, not {found}", key)
        return [self._evaluate(item, key) for item in entry.value]

    def table(self, key: str, columns: int) -> list[list[float]]:
        """Return the values of a list of lists with ``columns`` formulas each."""
        entry = self.entry(key)
        if not isinstance(entry.value, list):
            raise self.error(
                f"must be a list of lists of {columns} numbers, not {entry.kind}", key
            )
        rows = []
        for number, row in enumerate(entry.value, start=1):
            if not isinstance(row.value, list) or len(row.value) != columns:
                raise self.error(f"row {number} must have {columns} numbers", key, row.line)
            rows.append([self._evaluate(item, key) for item in row.value])
        return rows

    def transform(self, key: str, default: str | None = None) -> Array:
        """Return the product (4x4) of the steps of a key, a string or a list of strings."""
        if default is not None and key not in self:
            return np.eye(4)
        entry = self.entry(key)
        # A flow list splits Translation(1, 2, 3) at its commas; joining restores it.
        pieces = entry.value if isinstance(entry.value, list) else [entry]
        texts = [piece.value for piece in pieces if isinstance(piece.value, str)]
        if len(texts) != len(pieces) or not texts:
            raise self.error("must be steps such as 'RotX(-pi/2) Translation(0, 0, 0.1)'", key)
        try:
            steps = evaluate_steps(", ".join(texts), self._lookup)
        except ExpressionError as error:
            raise self.error(str(error), key) from error
        T = np.eye(4)
        for step, arguments in steps:
            self._check_size(arguments, key)
            if step.startswith("Rot"):
                T = T @ transform(rotation=axis_angle_matrix(_AXES[step[-1]], arguments[0]))
            elif step == "Translation":
                T = T @ transform(arguments)
            else:
                T = T @ transform(np.multiply(_AXES[step[-1]], arguments[0]))
        return T

    def section(self, key: str, known: Sequence[str] | None = None, kind: str = "") -> Section:
        """Return the mapping of a key."""
        where = f"{kind} '{key}'" if kind else ": ".join(filter(None, (self.where, key)))
        return Section(self.entry(key), where, self.source, self._lookup, known)

    def optional(self, key: str, known: Sequence[str] | None = None) -> Section:
        """Return the mapping of a key, or an empty one if the key is missing."""
        if key in self:
            return self.section(key, known)
        return Section(Entry({}, self.line), self.where, self.source, self._lookup, known)

    def rows(self, key: str, known: Sequence[str]) -> list[Section]:
        """Return the list of mappings of a key, or an empty one if the key is missing."""
        if key not in self:
            return []
        entry = self.entry(key)
        if not isinstance(entry.value, list):
            raise self.error(f"must be a list of mappings, not {entry.kind}", key)
        rows = []
        for number, item in enumerate(entry.value, start=1):
            where = f"{self.where}: {key} {number}" if self.where else f"{key} {number}"
            rows.append(Section(item, where, self.source, self._lookup, known))
        return rows

    def texts(self, key: str) -> list[str]:
        """Return the list of strings of a key, or an empty one if the key is missing."""
        if key not in self:
            return []
        entry = self.entry(key)
        items = entry.value if isinstance(entry.value, list) else []
        texts = [item.value for item in items if isinstance(item.value, str)]
        if not isinstance(entry.value, list) or len(texts) != len(entry.value):
            raise self.error("must be a list of names", key)
        return texts

    def _unknown_key(self, key: str, known: Sequence[str]) -> str:
        for cut, entry in self.entries.items():
            text = entry.value
            if isinstance(text, str) and text.count("(") > text.count(")"):
                return (
                    f"{cut}: '{text}' is incomplete: inside {{ }} a comma ends a value; write "
                    f'"{text}, ...)" in quotes'
                )
        hint = unknown_name(key, known).replace("name", "key", 1)
        return f"{hint}{'' if hint.endswith('?') else '.'} Known keys: {', '.join(known)}"

    def _evaluate(self, entry: Entry, key: str) -> float:
        if not isinstance(entry.value, str):
            raise self.error(f"must be a number or a formula, not {entry.kind}", key, entry.line)
        try:
            value = evaluate(entry.value, self._lookup)
        except ExpressionError as error:
            raise self.error(str(error), key, entry.line) from error
        self._check_size([value], key)
        return value

    def _check_size(self, values: Iterable[float], key: str) -> None:
        for value in values:
            if abs(value) > MAX_VALUE:
                number, most = told_apart(value, MAX_VALUE)
                raise self.error(f"{number} is too large; at most {most}", key)


class Constants:
    """Values by name, computed on first use."""

    def __init__(self, source: str) -> None:
        """Start without constants; ``source`` is the file's name."""
        self._formulas: dict[str, Entry] = {}
        self._source = source
        self._values: dict[str, float] = {}
        self._pending: list[str] = []

    def define(self, formulas: dict[str, Entry]) -> None:
        """Add formulas by name, replacing existing ones."""
        self._formulas.update(formulas)

    def check(self) -> None:
        """Compute all constants, to report errors in unused ones too."""
        for name, entry in self._formulas.items():
            if not name.isidentifier() or not name.isascii() or name in RESERVED:
                raise DescriptionError(
                    f"constants: '{name}' cannot name a constant; use letters, digits and _, "
                    f"but not {', '.join(RESERVED)}",
                    self._source,
                    entry.line,
                )
        for name in self._formulas:
            self.value(name)

    def value(self, name: str) -> float:
        """Return a constant's value; raises ExpressionError for an unknown name."""
        if name in self._values:
            return self._values[name]
        if name not in self._formulas:
            raise ExpressionError(unknown_name(name, (*self._formulas, "pi")))
        entry = self._formulas[name]
        if name in self._pending:
            circle = " -> ".join([*self._pending[self._pending.index(name) :], name])
            raise self._error(name, f"the constants form a loop: {circle}")
        if not isinstance(entry.value, str):
            raise self._error(name, f"must be a number or a formula, not {entry.kind}")
        self._pending.append(name)
        try:
            self._values[name] = evaluate(entry.value, self.value)
        except ExpressionError as error:
            raise self._error(name, str(error)) from error
        finally:
            self._pending.pop()
        return self._values[name]

    def _error(self, name: str, message: str) -> DescriptionError:
        line = self._formulas[name].line
        return DescriptionError(f"constants: {name}: {message}", self._source, line)
