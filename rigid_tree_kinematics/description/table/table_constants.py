"""Named constants of a robot table: formulas that can refer to each other in any order."""

from __future__ import annotations

from rigid_tree_kinematics.description.table.expression import (
    ExpressionError,
    evaluate,
    unknown_name,
)
from rigid_tree_kinematics.description.table.yaml_entries import Entry
from rigid_tree_kinematics.errors import DescriptionError

# Names with a meaning in formulas.
RESERVED = ("pi", "deg", "identity")


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
        """Compute all constants, so that errors in unused ones are found too."""
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
        """Return a constant's value; ExpressionError if there is no constant of that name."""
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
        except RecursionError:
            raise self._error(name, "the constants refer to each other too deeply") from None
        finally:
            self._pending.pop()
        return self._values[name]

    def _error(self, name: str, message: str) -> DescriptionError:
        line = self._formulas[name].line
        return DescriptionError(f"constants: {name}: {message}", self._source, line)
