"""SRDF: which bodies' collisions a robot's makers have disabled."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

from rigid_tree_kinematics.description import xacro_text
from rigid_tree_kinematics.errors import DescriptionError


def disabled_pairs(srdf: str | Path) -> list[tuple[str, str]]:
    """Return the pairs of links of an SRDF's ``disable_collisions`` elements.

    ``srdf`` is the path of a file (one that ends in .xacro is expanded), or the text itself.
    Raises DescriptionError if it cannot be read or is no SRDF.
    """
    text, source = _text_of(srdf)
    try:
        root = ElementTree.fromstring(text)
    except ElementTree.ParseError as error:
        raise DescriptionError(f"not well-formed XML: {error}", source) from error
    if _local_name(root.tag) != "robot":
        raise DescriptionError(f"an SRDF's root is <robot>, not <{root.tag}>", source)
    pairs = []
    for element in root.iter():
        if _local_name(element.tag) != "disable_collisions":
            continue
        try:
            pairs.append((element.attrib["link1"], element.attrib["link2"]))
        except KeyError as error:
            raise DescriptionError(f"<disable_collisions> lacks {error}", source) from error
    return pairs


def _text_of(srdf: str | Path) -> tuple[str, str | None]:
    if isinstance(srdf, str) and srdf.lstrip().startswith("<"):
        return srdf, None
    if Path(srdf).suffix == ".xacro":
        return xacro_text(srdf), f"{srdf} (expanded)"
    try:
        return Path(srdf).read_text(encoding="utf-8"), str(srdf)
    except (OSError, UnicodeDecodeError) as error:
        raise DescriptionError(f"cannot read the SRDF: {error}", str(srdf)) from error


def _local_name(tag: str) -> str:
    return tag.rpartition("}")[2]
