"""The self-collision rules of an SRDF."""

from dataclasses import dataclass
from pathlib import Path

from rigid_tree_kinematics.description.srdf.document import read_srdf
from rigid_tree_kinematics.errors import DescriptionError


@dataclass(frozen=True)
class CollisionRules:
    """The self-collision rules of an SRDF by link names, which may be unknown to a robot."""

    disabled: frozenset[frozenset[str]]  # disable_collisions
    disabled_links: frozenset[str] = frozenset()  # disable_default_collisions
    enabled: frozenset[frozenset[str]] = frozenset()  # enable_collisions

    def disables(self, pair: frozenset[str]) -> bool:
        """Return whether the collision check of two links is disabled.

        As in MoveIt, whose AllowedCollisionMatrix applies the disabled pairs last: pairs of a link
        that is disabled by default are allowed to collide unless they are enabled.
        """
        if pair in self.disabled:
            return True
        return not pair.isdisjoint(self.disabled_links) and pair not in self.enabled


def read_collision_rules(srdf: str | Path) -> CollisionRules:
    """Return the self-collision rules of an SRDF.

    ``srdf`` is the path of a file (one that ends in .xacro is expanded), or the text itself.
    Raises DescriptionError if it cannot be read or is not an SRDF.
    """
    root, _, source = read_srdf(srdf)

    def links(tag: str, *attributes: str) -> frozenset[frozenset[str]]:
        try:
            return frozenset(
                frozenset(element.attrib[name].strip() for name in attributes)
                for element in root.iterfind(f".//{tag}")
            )
        except KeyError as error:
            raise DescriptionError(f"<{tag}> lacks {error}", source) from error

    return CollisionRules(
        links("disable_collisions", "link1", "link2"),
        frozenset().union(*links("disable_default_collisions", "link")),
        links("enable_collisions", "link1", "link2"),
    )
