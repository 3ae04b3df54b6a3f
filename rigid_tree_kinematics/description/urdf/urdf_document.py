"""A URDF document: access to checked attributes, children and numbers of its elements."""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Collection, Iterator
from contextlib import contextmanager

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.description.urdf.findings import Findings
from rigid_tree_kinematics.description.urdf.xml_source import Element
from rigid_tree_kinematics.errors import DescriptionError, ModelError
from rigid_tree_kinematics.model.transforms import (
    quaternion_matrix,
    transform,
    transform_from_xyz_rpy,
)

# float() also accepts "nan", "inf", "1_000" and digits of other scripts.
_NUMBER = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?")

LONGEST_NAME = 255  # characters of a link's or joint's name
# URDF has no infinity: the largest float means "no limit", for the writer too.
UNLIMITED = sys.float_info.max


class UrdfDocument:
    """The source of a document and the remarks on it."""

    def __init__(self, source: str, directory: str | None) -> None:
        self.source = source
        self.directory = directory
        self.findings = Findings(source)

    def error(self, element: Element, message: str) -> DescriptionError:
        """Return an error that names the file, the line and the element."""
        return DescriptionError(f"{element.path}: {message}", self.source, element.line)

    def remark(self, element: Element, message: str) -> None:
        """Add a remark on an element; equal remarks are reported together."""
        self.findings.add(element.line, element.owner, message)

    @contextmanager
    def located(self, element: Element) -> Iterator[None]:
        """Turn a ModelError into a DescriptionError at the element."""
        try:
            yield
        except ModelError as error:
            raise self.error(element, str(error)) from error

    # -- structure -------------------------------------------------------------------------------

    def check_known(
        self, element: Element, attributes: Collection[str], children: Collection[str] = ()
    ) -> None:
        """Remark on attributes and children that URDF does not define; they are ignored."""
        for attribute in element.attributes:
            if attribute not in attributes and not attribute.startswith("xmlns"):
                self.remark(
                    element, f"unknown attribute '{attribute}' of <{element.tag}>, ignored"
                )
        for child in element.children:
            if child.tag not in children:
                self.remark(child, f"unknown element <{child.tag}> in <{element.tag}>, ignored")

    def child(self, element: Element, tag: str) -> Element | None:
        """Return the first child with this tag or None; remark on further ones."""
        found = element.all(tag)
        for extra in found[1:]:
            self.remark(extra, f"a second <{tag}>; the first one is used")
        return found[0] if found else None

    # -- attributes ------------------------------------------------------------------------------

    def text(self, element: Element, attribute: str) -> str:
        """Return a required, non-empty attribute."""
        value = element.attributes.get(attribute)
        if value is None or not value.strip():
            state = "has no" if value is None else "has an empty"
            raise self.error(
                element, f'<{element.tag}> {state} {attribute}; write {attribute}="..."'
            )
        if attribute == "name" and len(value) > LONGEST_NAME:
            raise self.error(
                element, f"the name has {len(value)} characters; at most {LONGEST_NAME}"
            )
        return value

    def numbers(
        self,
        element: Element,
        attribute: str,
        count: int,
        default: tuple[float, ...] | None = None,
    ) -> tuple[float, ...]:
        """Return ``count`` finite numbers of an attribute, required without a default."""
        text = element.attributes.get(attribute)
        if text is None and default is not None:
            return default
        words = "" if text is None else text.split()
        if len(words) != count:
            found = "is missing" if text is None else f"has {len(words)}: '{_short(text)}'"
            example = " ".join(["0"] * count)
            raise self.error(
                element,
                f"{attribute} takes {count} number{'s' * (count > 1)} and {found}; "
                f'write {attribute}="{example}": decimal points, separated by spaces',
            )
        return tuple(self._number(element, attribute, word) for word in words)

    def number(self, element: Element, attribute: str, default: float | None = None) -> float:
        """Return one finite number of an attribute, required without a default."""
        return self.numbers(element, attribute, 1, None if default is None else (default,))[0]

    def positive(self, element: Element, attribute: str, count: int = 1) -> tuple[float, ...]:
        """Return ``count`` positive numbers (m)."""
        values = self.numbers(element, attribute, count)
        if min(values) <= 0.0:
            found = element.attributes[attribute]
            raise self.error(element, f"{attribute} '{found}' must be above zero (m)")
        return values

    def limit(self, element: Element, attribute: str, default: float) -> float:
        """Return a limit; the largest float becomes an infinity."""
        value = self.number(element, attribute, default)
        return math.copysign(math.inf, value) if abs(value) >= UNLIMITED else value

    def origin(self, element: Element) -> Array:
        """Return the <origin> of an element as a 4x4, the identity by default."""
        origin = self.child(element, "origin")
        if origin is None:
            return transform()
        self.check_known(origin, ("xyz", "rpy", "quat_xyzw"))
        xyz = self.numbers(origin, "xyz", 3, (0.0, 0.0, 0.0))
        rpy = self.numbers(origin, "rpy", 3, (0.0, 0.0, 0.0))
        if "quat_xyzw" not in origin.attributes:
            return transform_from_xyz_rpy(xyz, rpy)
        if "rpy" in origin.attributes:
            raise self.error(origin, "rpy and quat_xyzw are both given; keep one of them")
        quaternion = self.numbers(origin, "quat_xyzw", 4)
        with self.located(origin):
            return transform(xyz, quaternion_matrix(quaternion))

    def _number(self, element: Element, attribute: str, word: str) -> float:
        if "${" in word or "$(" in word:
            raise self.error(
                element,
                f"{attribute} has the xacro expression '{_short(word)}': this is a xacro file; "
                "name it .xacro, or expand it with the command xacro",
            )
        if not _NUMBER.fullmatch(word):
            raise self.error(
                element,
                f"{attribute}: '{_short(word)}' is not a finite number; write it like 0.5 or 1e-3",
            )
        value = float(word)
        if not math.isfinite(value):
            raise self.error(element, f"{attribute}: '{_short(word)}' is too large for a number")
        return value


def _short(text: str | None) -> str:
    text = text or ""
    return text if len(text) <= 60 else text[:57] + "..."
