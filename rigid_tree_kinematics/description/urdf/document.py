"""A description's source, and the remarks on it, which are reported in a single warning."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field

from rigid_tree_kinematics.errors import LONGEST_NAME, DescriptionWarning, plain

NAMED_PLACES = 6  # of one remark; of further ones only the line
MOST_LINES = 30  # of one remark
MOST_REMARKS = 50


@dataclass(eq=False)
class Document:
    """A document with its remarks; equal ones are merged with all their places."""

    source: str
    directory: str | None = None  # of relative mesh files
    remarks: dict[str, list[tuple[int, str]]] = field(default_factory=dict)

    def add(self, line: int, place: str, remark: str) -> None:
        """Add a remark on a line, in the element ``place``."""
        remarked = self.remarks.setdefault(plain(remark), [])
        remarked.append((line, plain(place, LONGEST_NAME)))

    def warn(self, stacklevel: int) -> None:
        """Issue one DescriptionWarning with all remarks, if there are any."""
        if not self.remarks:
            return
        remarks = sorted(self.remarks.items(), key=lambda item: item[1][0])
        listed = [f"\n  {remark}: {_listed(places)}" for remark, places in remarks[:MOST_REMARKS]]
        listed += ["\n  ..."] * (len(remarks) > MOST_REMARKS)
        count = f"{len(remarks)} remark{'s' * (len(remarks) > 1)}"
        message = f"{self.source}: the robot is usable, with {count}:{''.join(listed)}"
        warnings.warn(DescriptionWarning(message), stacklevel=stacklevel + 1)


def _listed(places: list[tuple[int, str]]) -> str:
    named = ", ".join(_named(line, place) for line, place in places[:NAMED_PLACES])
    further = places[NAMED_PLACES:]
    if not further:
        return named
    if not places[0][0]:  # not read from text
        return f"{named} and {len(further)} more"
    rest = ", ".join(str(line) for line, _ in places[NAMED_PLACES:MOST_LINES])
    return f"{named}, lines {rest}{', ...' * (len(places) > MOST_LINES)}"


def _named(line: int, place: str) -> str:
    if not line:
        return place or "the robot"
    return f"line {line} ({place})" if place else f"line {line}"
