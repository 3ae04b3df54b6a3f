"""Remarks on a description, reported in a single warning."""

from __future__ import annotations

import warnings

from rigid_tree_kinematics.errors import LONGEST_NAME, DescriptionWarning, plain

NAMED_PLACES = 6  # of one remark; of further ones only the line
MOST_LINES = 30  # of one remark
MOST_REMARKS = 50


class Findings:
    """Remarks on one document; equal remarks are merged with all their places."""

    def __init__(self, source: str) -> None:
        self.source = source
        self._remarks: dict[str, list[tuple[int, str]]] = {}

    def add(self, line: int, place: str, remark: str) -> None:
        """Add a remark on a line, in the element ``place``."""
        remarked = self._remarks.setdefault(plain(remark), [])
        remarked.append((line, plain(place, LONGEST_NAME)))

    def warn(self, stacklevel: int = 2) -> None:
        """Issue one DescriptionWarning with all remarks, if there are any."""
        if not self._remarks:
            return
        remarks = sorted(self._remarks.items(), key=lambda item: item[1][0])
        shown = remarks[:MOST_REMARKS]
        listed = "".join(f"\n  {remark}: {_listed(places)}" for remark, places in shown)
        listed += "\n  ..." if len(shown) < len(remarks) else ""
        count = f"{len(remarks)} remark" + ("s" if len(remarks) > 1 else "")
        message = f"{self.source}: the robot is usable, with {count}:{listed}"
        warnings.warn(DescriptionWarning(message), stacklevel=stacklevel + 1)


def _listed(places: list[tuple[int, str]]) -> str:
    named = ", ".join(_named(line, place) for line, place in places[:NAMED_PLACES])
    if not places[0][0]:  # not read from text
        further = len(places) - NAMED_PLACES
        return f"{named} and {further} more" if further > 0 else named
    rest = ", ".join(str(line) for line, _ in places[NAMED_PLACES:MOST_LINES])
    rest += ", ..." if len(places) > MOST_LINES else ""
    return f"{named}, lines {rest}" if rest else named


def _named(line: int, place: str) -> str:
    if not line:
        return place or "the robot"
    return f"line {line} ({place})" if place else f"line {line}"
