"""The XML of an SRDF: read from a file, xacro, MJCF or text."""

from pathlib import Path
from xml.etree import ElementTree

from rigid_tree_kinematics.description.mjcf import is_mjcf, mjcf_srdf
from rigid_tree_kinematics.description.urdf import BLANKS, decoded_xml, xacro_text
from rigid_tree_kinematics.errors import DescriptionError
from rigid_tree_kinematics.files import read_plain_file


def read_srdf(srdf: str | Path) -> tuple[ElementTree.Element, str, str | None]:
    """Return an SRDF's root element, text and source; raises DescriptionError."""
    text, source = srdf_text(srdf)
    try:
        root = ElementTree.fromstring(text)
    except (ElementTree.ParseError, UnicodeEncodeError) as error:
        raise DescriptionError(f"not well-formed XML: {error}", source) from error
    for element in root.iter():  # MoveIt's parser ignores namespaces
        element.tag = str(element.tag).rpartition("}")[2]
    if root.tag != "robot":
        raise DescriptionError(f"an SRDF's root is <robot>, not <{root.tag}>", source)
    return root, text, source


def srdf_text(srdf: str | Path) -> tuple[str, str | None]:
    """Return the text of an SRDF and its source; raises DescriptionError."""
    if isinstance(srdf, str) and srdf.lstrip(BLANKS).startswith("<"):
        return srdf.lstrip(BLANKS), None
    if Path(srdf).suffix == ".xacro":
        return xacro_text(srdf), f"{srdf} (expanded)"
    try:
        if is_mjcf(srdf):
            return mjcf_srdf(srdf), str(srdf)
        return decoded_xml(read_plain_file(srdf)), str(srdf)
    except (OSError, ValueError, LookupError) as error:  # not decodable, or not a valid path
        raise DescriptionError(f"cannot read the SRDF: {error}", str(srdf)) from error


def attribute(element: ElementTree.Element, name: str, source: str | None) -> str:
    """Return an attribute of an element; raises DescriptionError without it."""
    value = element.get(name)
    if value is None:
        raise DescriptionError(f"<{element.tag}> lacks '{name}'", source)
    return value.strip()
