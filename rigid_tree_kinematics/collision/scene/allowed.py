"""Which things may touch: a person's word on pairs of bodies and obstacles, by name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class AllowedCollisions:
    """What was said of pairs, and of single things together with any other.

    Args:
        pairs: whether two names (a frozenset of them) may touch; counts first.
        defaults: whether a name may touch anything; of two, both have to allow it.
    """

    pairs: Mapping[frozenset[str], bool] = field(default_factory=dict)
    defaults: Mapping[str, bool] = field(default_factory=dict)

    @property
    def allow_anything(self) -> bool:
        """Whether there are two things at all that may touch by these words."""
        return any(self.defaults.values()) or any(self.pairs.values())

    def decide(self, first: str, second: str) -> bool | None:
        """Return whether two things may touch; None: nothing was said of them."""
        said = self.pairs.get(frozenset((first, second)))
        if said is not None:
            return said
        words = [self.defaults[name] for name in (first, second) if name in self.defaults]
        return all(words) if words else None

    def may_touch(self, name: str) -> bool:
        """Return whether there is anything that a thing may touch by these words."""
        if any(self.defaults.values()):
            return True
        return any(allowed and name in pair for pair, allowed in self.pairs.items())

    def without(self, name: str) -> AllowedCollisions:
        """Return what is left when a thing is gone."""
        return AllowedCollisions(
            {pair: allowed for pair, allowed in self.pairs.items() if name not in pair},
            {other: allowed for other, allowed in self.defaults.items() if other != name},
        )
