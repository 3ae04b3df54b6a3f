"""The elements of a URDF document, with checked attributes, and the remarks on them.

Standard XML parsers drop line numbers and expand entities. This one uses expat and rejects
document type declarations, which define entities.
"""

from __future__ import annotations

import codecs
import math
import re
import sys
import warnings
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from xml.parsers import expat

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.errors import DescriptionError, DescriptionWarning, ModelError
from rigid_tree_kinematics.model.transforms import (
    quaternion_matrix,
    transform,
    transform_from_xyz_rpy,
)
from rigid_tree_kinematics.text import LONGEST_NAME as LONGEST_SHOWN
from rigid_tree_kinematics.text import plain

# float() also accepts "nan", "inf", "1_000" and digits of other scripts.
_NUMBER = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?")
_INFINITY = re.compile("[+-]?inf(inity)?", re.IGNORECASE)

LONGEST_TEXT = 32 * 2**20  # bytes; a robot of 100 links has 200,000
ROBOTS = ("world", "model")  # elements of SDF around links and joints
BEFORE_ROOT = 2**20  # bytes or characters within which the root's first tag ends
LONGEST_NAME = 255  # characters of a link's or joint's name
LONGEST_CONTENT = 4096  # characters of the text in an element; the rest is dropped
# URDF has no infinity: the largest float means "no limit", for the writer too.
UNLIMITED = sys.float_info.max
CONTENT = "content"  # in place of an attribute's name: the text in the element
CHANGES = ("acceleration", "deceleration", "jerk")  # limits of URDF 1.2
NAMED_PLACES = 6  # of one remark; of further ones only the line
MOST_LINES = 30  # of one remark
MOST_REMARKS = 50
# The start of a text may be a byte order mark and blanks, which XML allows only before elements.
BLANKS = "\ufeff \t\r\n"
_MARKS = {codecs.BOM_UTF8: "utf-8", codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}
_ENCODING = re.compile(rb"""\s*<\?xml[^>]*?\s+encoding\s*=\s*["']([\w.:-]+)""")
# An element or declaration, or the byte order mark of UTF-8 or UTF-16.
_STARTS = (b"<", b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")


@dataclass(eq=False)
class Document:
    """A document with its remarks; equal remarks are merged."""

    source: str
    directory: str | None = None  # of relative mesh files
    version: tuple[int, int] = (1, 0)  # of URDF
    remarks: dict[str, list[tuple[int, str]]] = field(default_factory=dict)

    def add(self, line: int, place: str, remark: str) -> None:
        """Add a remark on a line, in the element ``place``."""
        remarked = self.remarks.setdefault(plain(remark), [])
        remarked.append((line, plain(place, LONGEST_SHOWN)))

    def warn(self, stacklevel: int) -> None:
        """Issue one DescriptionWarning with all remarks, if any."""
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


class ElementError(DescriptionError):
    """A problem of an element; the message starts with the element's place."""

    def __init__(self, element: Element, problem: str) -> None:
        """Store the element and the problem without the place."""
        self.element = element
        self.problem = problem
        place = f"{element.path}: {problem}"
        super().__init__(place, element.document.source, element.line)


@dataclass(eq=False)
class Element:
    """An element. The line is 0 if it was not read from text; the root has the document."""

    tag: str
    line: int
    attributes: dict[str, str]
    parent: Element | None = field(default=None, repr=False)
    children: list[Element] = field(default_factory=list, repr=False)
    own_document: Document | None = field(default=None, repr=False)
    content: str = field(default="", repr=False)

    # -- messages --------------------------------------------------------------------------------

    @property
    def _branch(self) -> list[Element]:
        """The root and all elements down to this one."""
        elements = [self]
        while elements[-1].parent is not None:
            elements.append(elements[-1].parent)
        return elements[::-1]

    @property
    def document(self) -> Document:
        """The document of the root."""
        document = self._branch[0].own_document
        assert document is not None
        return document

    @property
    def of_line(self) -> str:
        """`` of line 12`` for messages; "" without text."""
        return f" of line {self.line}" if self.line else ""

    @property
    def path(self) -> str:
        """The elements below the root, such as ``link 'arm' > visual``."""
        steps = []
        for element in self._branch[1:] or [self]:
            name = element.attributes.get("name")
            steps.append(element.tag if name is None else f"{element.tag} '{name}'")
        return " > ".join(steps)

    def error(self, message: str) -> ElementError:
        """Return an error with the file, the line and the path."""
        return ElementError(self, message)

    def remark(self, message: str) -> None:
        """Add a remark; it names the link, joint or other element below the robot."""
        below = [element for element in self._branch[1:] if element.tag not in ROBOTS]
        owner = (below or [self])[0]
        name = owner.attributes.get("name")
        self.document.add(self.line, f"{owner.tag} '{name}'" if name else "", message)

    @contextmanager
    def located(self) -> Iterator[None]:
        """Turn a ModelError into a DescriptionError at this element."""
        try:
            yield
        except ModelError as error:
            raise self.error(str(error)) from error

    @contextmanager
    def optional(self, effect: str) -> Iterator[None]:
        """Turn an error in a part that no answer needs into a remark with its effect."""
        try:
            yield
        except ElementError as error:
            error.element.remark(f"<{error.element.tag}>: {error.problem}; {effect}")

    def remark_if_newer(self, what: str, version: tuple[int, int]) -> None:
        """Remark on a part of a later version of URDF than the document's; it is used."""
        if self.document.version < version:
            number = ".".join(map(str, version))
            self.remark(
                f"{what} is part of URDF {number} and used; other programs ignore it without "
                f'<robot version="{number}">'
            )

    # -- structure -------------------------------------------------------------------------------

    def all(self, tag: str) -> list[Element]:
        """Return the children with this tag."""
        return [child for child in self.children if child.tag == tag]

    def child(self, tag: str) -> Element | None:
        """Return the first child with this tag or None; remark on further ones."""
        found = self.all(tag)
        for extra in found[1:]:
            extra.remark(f"a second <{tag}>; the first one is used")
        return found[0] if found else None

    def check_known(self, attributes: Collection[str], children: Collection[str] = ()) -> None:
        """Remark on attributes and children that URDF does not define; they are ignored."""
        for attribute in self.attributes:
            if attribute not in attributes and not attribute.startswith("xmlns"):
                self.remark(f"unknown attribute '{attribute}' of <{self.tag}>, ignored")
        for child in self.children:
            if child.tag not in children:
                child.remark(f"unknown element <{child.tag}> in <{self.tag}>, ignored")

    # -- attributes ------------------------------------------------------------------------------

    def _get(self, attribute: str) -> str | None:
        return self.content if attribute == CONTENT else self.attributes.get(attribute)

    def _example(self, attribute: str, value: str) -> str:
        if attribute == CONTENT:
            return f"<{self.tag}>{value}</{self.tag}>"
        return f'{attribute}="{value}"'

    def text(self, attribute: str) -> str:
        """Return a required, non-empty attribute."""
        value = self._get(attribute)
        if value is None or not value.strip():
            state = "has no" if value is None else "has an empty"
            example = self._example(attribute, "...")
            raise self.error(f"<{self.tag}> {state} {attribute}; write {example}")
        if attribute == "name" and len(value) > LONGEST_NAME:
            raise self.error(f"the name has {len(value)} characters; at most {LONGEST_NAME}")
        return value

    def numbers(
        self, attribute: str, count: int, default: Sequence[float] | None = None
    ) -> tuple[float, ...]:
        """Return ``count`` finite numbers of an attribute, required without a default."""
        text = self._get(attribute)
        if text is None and default is not None:
            return tuple(default)
        words = "" if text is None else text.split()
        if len(words) != count:
            found = "is missing" if text is None else f"has {len(words)}: '{_short(text)}'"
            raise self.error(
                f"{attribute} takes {count} number{'s' * (count > 1)} and {found}; write "
                f"{self._example(attribute, ' '.join('0' * count))}: decimal points, separated by "
                "spaces"
            )
        return tuple(self._number(attribute, word) for word in words)

    def number(self, attribute: str, default: float | None = None) -> float:
        """Return one finite number of an attribute, required without a default."""
        return self.numbers(attribute, 1, None if default is None else (default,))[0]

    def sizes(self, attribute: str, count: int = 1) -> tuple[float, ...]:
        """Return ``count`` numbers (m) that are not negative."""
        values = self.numbers(attribute, count)
        if min(values) < 0.0:
            raise self.error(f"{attribute} '{self._get(attribute)}' must be above zero (m)")
        return values

    def limit(self, attribute: str, default: float) -> float:
        """Return a limit; ``inf`` and the largest float become infinity."""
        text = (self._get(attribute) or "").strip()
        if _INFINITY.fullmatch(text):
            self.remark(f"{attribute} '{text}' is read as unlimited; urdfdom rejects it")
            return float(text)
        value = self.number(attribute, default)
        return math.copysign(math.inf, value) if abs(value) >= UNLIMITED else value

    def origin(self) -> Array:
        """Return the child <origin> as a 4x4, the identity by default."""
        origin = self.child("origin")
        if origin is None:
            return transform()
        origin.check_known(("xyz", "rpy", "quat_xyzw"))
        xyz = origin.numbers("xyz", 3, (0.0, 0.0, 0.0))
        rpy = origin.numbers("rpy", 3, (0.0, 0.0, 0.0))
        if "quat_xyzw" not in origin.attributes:
            return transform_from_xyz_rpy(xyz, rpy)
        origin.remark_if_newer("quat_xyzw", (1, 1))
        if "rpy" in origin.attributes:
            raise origin.error("rpy and quat_xyzw are both given; keep one of them")
        quaternion = origin.numbers("quat_xyzw", 4)
        with origin.located():
            return transform(xyz, quaternion_matrix(quaternion))

    def _number(self, attribute: str, word: str) -> float:
        short = _short(word)
        if "${" in word or "$(" in word:
            raise self.error(
                f"{attribute} has the xacro expression '{short}': this is a xacro file; name it "
                ".xacro, or expand it with the command xacro"
            )
        if not _NUMBER.fullmatch(word):
            raise self.error(
                f"{attribute}: '{short}' is not a finite number; write it like 0.5 or 1e-3"
            )
        value = float(word)
        if not math.isfinite(value):
            raise self.error(f"{attribute}: '{short}' is too large for a number")
        return value


def _short(text: str) -> str:
    return text if len(text) <= 60 else text[:57] + "..."


def decoded_xml(data: bytes) -> str:
    """Return the text of an XML document, without a byte order mark and a declared encoding.

    Raises ValueError and LookupError for text that is not in its encoding or an unknown one.
    """
    declared = _ENCODING.match(data)
    encoding = declared[1].decode() if declared else "utf-8"
    for mark, marked in _MARKS.items():
        encoding = marked if data.startswith(mark) else encoding
    text = data.decode(encoding).lstrip(BLANKS)
    return re.sub(r"""^(<\?xml[^>]*?)\s+encoding\s*=\s*["'][^"']*["']""", r"\1", text)


def root_tag(data: str | bytes) -> str:
    """Return the tag of an XML document's root, "" if there is none."""
    found: list[str] = []
    parser = expat.ParserCreate("utf-8" if isinstance(data, str) else None)

    def keep_first(tag: str, _: dict[str, str]) -> None:
        found.append(tag)
        parser.StartElementHandler = None

    parser.StartElementHandler = keep_first
    with suppress(expat.ExpatError, LookupError, ValueError):
        parser.Parse(data.lstrip()[:BEFORE_ROOT], False)
    return found[0] if found else ""


def _encoded(data: str | bytes, source: str) -> bytes:
    if len(data) > LONGEST_TEXT:
        raise DescriptionError(f"the text has {len(data)} bytes; at most {LONGEST_TEXT}", source)
    try:
        return data.encode() if isinstance(data, str) else data
    except UnicodeEncodeError as error:  # surrogates
        raise DescriptionError(f"the XML cannot be decoded: {error}", source) from None


def parse_xml(data: str | bytes, source: str) -> Element:
    """Return the root element of an XML document.

    Raises DescriptionError with the line for malformed XML and document type declarations.
    """
    encoding = "utf-8" if isinstance(data, str) else None  # None: the document's own
    data = _encoded(data, source)
    # Text in a program often starts with a newline, which XML forbids.
    skipped = data[: len(data) - len(data.lstrip())].count(b"\n")
    data = data.lstrip()
    if not data:
        raise DescriptionError("the document is empty; a robot description is expected", source)
    if not data.startswith(_STARTS):
        start = data[:30].decode(errors="replace")
        raise DescriptionError(f"this is not XML: it starts with {start!r}", source, skipped + 1)
    parser = expat.ParserCreate(encoding)
    roots: list[Element] = []
    opened: list[Element] = []

    def start_element(tag: str, attributes: dict[str, str]) -> None:
        parent = opened[-1] if opened else None
        element = Element(tag, parser.CurrentLineNumber + skipped, attributes, parent)
        (roots if parent is None else parent.children).append(element)
        opened.append(element)

    def reject_doctype(*declaration: object) -> None:
        message = "<!DOCTYPE ...> is rejected for safety (entities, external files); remove it"
        raise DescriptionError(message, source, parser.CurrentLineNumber + skipped)

    def add_content(text: str) -> None:
        opened[-1].content = (opened[-1].content + text)[:LONGEST_CONTENT]

    parser.StartElementHandler = start_element
    parser.EndElementHandler = lambda tag: opened.pop()
    parser.CharacterDataHandler = add_content
    parser.buffer_text = True
    parser.StartDoctypeDeclHandler = reject_doctype
    try:
        parser.Parse(data, True)
    except expat.ExpatError as error:
        problem = expat.errors.messages.get(error.code, str(error))
        message = f"malformed XML: {problem} (column {error.offset + 1})"
        if opened:
            inner = opened[-1]
            message += f"; the innermost open element is <{inner.tag}> of line {inner.line}"
        raise DescriptionError(message, source, error.lineno + skipped) from None
    except DescriptionError:
        raise
    except (LookupError, ValueError) as error:  # an unknown encoding
        raise DescriptionError(f"the XML cannot be decoded: {error}", source) from None
    return roots[0]
