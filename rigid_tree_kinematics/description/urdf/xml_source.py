"""XML as a tree of elements with line numbers; entities are rejected.

The standard parsers drop line numbers and expand entities. This one uses expat and rejects
document type declarations, which define entities.
"""

from __future__ import annotations

from xml.parsers import expat

from rigid_tree_kinematics.description.urdf.element import Element
from rigid_tree_kinematics.errors import DescriptionError

# An element or declaration, possibly after a byte order mark.
_STARTS = ("<", "\ufeff")
_BYTE_STARTS = (b"<", b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")


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
    parser = expat.ParserCreate()
    roots: list[Element] = []
    opened: list[Element] = []

    def start_element(tag: str, attributes: dict[str, str]) -> None:
        parent = opened[-1] if opened else None
        element = Element(tag, parser.CurrentLineNumber + skipped, attributes, parent)
        (roots if parent is None else parent.children).append(element)
        opened.append(element)

    def refuse_doctype(*declaration: object) -> None:
        raise DescriptionError(
            "the document has a <!DOCTYPE ...>, which is rejected for safety (entities, external "
            "files); remove the declaration",
            source,
            parser.CurrentLineNumber + skipped,
        )

    parser.StartElementHandler = start_element
    parser.EndElementHandler = lambda tag: opened.pop()
    parser.StartDoctypeDeclHandler = refuse_doctype
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
    except (LookupError, ValueError) as error:  # an unknown encoding, or surrogates
        raise DescriptionError(f"the XML cannot be decoded: {error}", source) from None
    return roots[0]
