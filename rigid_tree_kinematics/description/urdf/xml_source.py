"""XML as a tree of elements with line numbers; entities are rejected.

The standard parsers drop line numbers and expand entities. This one uses expat and rejects
document type declarations, which define entities.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from xml.parsers import expat

from rigid_tree_kinematics.errors import DescriptionError

# An element or declaration, possibly after a byte order mark.
_STARTS = ("<", "\ufeff")
_BYTE_STARTS = (b"<", b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")


@dataclass(eq=False)
class Element:
    """An XML element. The line is 0 if it was not read from text."""

    tag: str
    line: int
    attributes: dict[str, str]
    parent: Element | None = field(default=None, repr=False)
    children: list[Element] = field(default_factory=list, repr=False)

    @property
    def owner(self) -> str:
        """The ancestor below the root: ``link 'arm'``; "" if it has no name."""
        element = self
        while element.parent is not None and element.parent.parent is not None:
            element = element.parent
        name = element.attributes.get("name")
        return f"{element.tag} '{name}'" if name else ""

    @property
    def of_line(self) -> str:
        """For messages: `` of line 12``; "" without text."""
        return f" of line {self.line}" if self.line else ""

    @property
    def in_brackets(self) -> str:
        """For messages: `` (line 12)``; "" without text."""
        return f" (line {self.line})" if self.line else ""

    @property
    def path(self) -> str:
        """The element's path without the root: ``link 'arm' > visual > geometry``."""
        steps: list[str] = []
        element: Element | None = self
        while element is not None and (element.parent is not None or not steps):
            name = element.attributes.get("name")
            steps.append(element.tag if name is None else f"{element.tag} '{name}'")
            element = element.parent
        return " > ".join(reversed(steps))

    def all(self, tag: str) -> list[Element]:
        """Return the children with this tag."""
        return [child for child in self.children if child.tag == tag]


def parse_xml(data: str | bytes, source: str) -> Element:
    """Return the root element of an XML document.

    Raises DescriptionError with the line for malformed XML and document type declarations.
    """
    if not data or data.isspace():
        raise DescriptionError("the document is empty; a robot description is expected", source)
    # Text in a program often starts with a newline, which XML forbids.
    blank = len(data) - len(data.lstrip())
    above, data = data[:blank], data[blank:]
    skipped = above.count("\n") if isinstance(above, str) else above.count(b"\n")
    begins = data.startswith(_STARTS) if isinstance(data, str) else data.startswith(_BYTE_STARTS)
    if not begins:
        start = data[:30] if isinstance(data, str) else data[:30].decode("latin-1")
        raise DescriptionError(f"this is not XML: it starts with {start!r}", source, skipped + 1)
    builder = _Builder(source, skipped)
    try:
        builder.parser.Parse(data, True)
    except expat.ExpatError as error:
        raise DescriptionError(
            f"malformed XML: {expat.errors.messages.get(error.code, str(error))} "
            f"(column {error.offset + 1}){builder.open_element()}",
            source,
            error.lineno + skipped,
        ) from None
    except (LookupError, UnicodeError, ValueError) as error:
        if isinstance(error, DescriptionError):
            raise
        # An unknown encoding, or characters that cannot be encoded.
        raise DescriptionError(f"the XML cannot be decoded: {error}", source) from None
    assert builder.root is not None
    return builder.root


class _Builder:
    """Expat's handlers, which build the tree of elements."""

    def __init__(self, source: str, skipped_lines: int) -> None:
        self.root: Element | None = None
        self._source = source
        self._skipped = skipped_lines
        self._open: list[Element] = []
        self.parser = expat.ParserCreate()
        self.parser.buffer_text = True
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.StartDoctypeDeclHandler = self._refuse_doctype

    def open_element(self) -> str:
        """Return the innermost open element, for the message about malformed XML."""
        if not self._open:
            return ""
        element = self._open[-1]
        return f"; the innermost open element is <{element.tag}> of line {element.line}"

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        line = self.parser.CurrentLineNumber + self._skipped
        parent = self._open[-1] if self._open else None
        element = Element(tag, line, attributes, parent)
        if parent is None:
            self.root = element
        else:
            parent.children.append(element)
        self._open.append(element)

    def _end(self, tag: str) -> None:
        self._open.pop()

    def _refuse_doctype(self, *declaration: object) -> None:
        raise DescriptionError(
            "the document has a <!DOCTYPE ...>, which is rejected for safety (entities, external "
            "files); remove the declaration",
            self._source,
            self.parser.CurrentLineNumber + self._skipped,
        )
