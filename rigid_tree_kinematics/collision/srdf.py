"""SRDF: between which bodies a robot's makers have disabled collision checking."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

from rigid_tree_kinematics.description.srdf import srdf_text
from rigid_tree_kinematics.errors import DescriptionError


@dataclass(frozen=True)
class CollisionRules:
    """What an SRDF says about self-collisions, by link names; it may know links others do not.

    Args:
        disabled: the pairs of its ``disable_collisions``.
        disabled_links: the links of its ``disable_default_collisions``.
        enabled: the pairs of its ``enable_collisions``.
    """

    disabled: frozenset[frozenset[str]]
    disabled_links: frozenset[str] = frozenset()
    enabled: frozenset[frozenset[str]] = frozenset()

    def disables(self, pair: frozenset[str]) -> bool:
        """Return whether the two links may touch.

        As in MoveIt, whose AllowedCollisionMatrix applies the disabled pairs last: a pair of a
        link that is disabled by default may touch unless it is enabled.
        """
        if pair in self.disabled:
            return True
        return not pair.isdisjoint(self.disabled_links) and pair not in self.enabled


def read_collision_rules(srdf: str | Path) -> CollisionRules:
    """Return what an SRDF says about self-collisions.

    ``srdf`` is the path of a file (one that ends in .xacro is expanded), or the text itself.
    Raises DescriptionError if it cannot be read or is no SRDF.
    """
    text, source = srdf_text(srdf)
    try:
        root = ElementTree.fromstring(text)
    except ElementTree.ParseError as error:
        raise DescriptionError(f"not well-formed XML: {error}", source) from error
    if _local_name(root.tag) != "robot":
        raise DescriptionError(f"an SRDF's root is <robot>, not <{root.tag}>", source)

    def links(tag: str, *attributes: str) -> frozenset[frozenset[str]]:
        found = []
        for element in root.iter():
            if _local_name(element.tag) != tag:
                continue
            try:
                found.append(frozenset(element.attrib[name].strip() for name in attributes))
            except KeyError as error:
                raise DescriptionError(f"<{tag}> lacks {error}", source) from error
        return frozenset(found)

    return CollisionRules(
        links("disable_collisions", "link1", "link2"),
        frozenset().union(*links("disable_default_collisions", "link")),
        links("enable_collisions", "link1", "link2"),
    )


def _local_name(tag: str) -> str:
    return tag.rpartition("}")[2]
