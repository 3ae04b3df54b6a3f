"""Allowed collisions between bodies and obstacles, by name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class AllowedCollisions:
    """Rules for pairs, and defaults for single bodies and obstacles.

    Args:
        pairs: whether two names (a frozenset) may touch; takes precedence.
        defaults: whether a name may touch anything; if both names have one, both must allow it.

    Example:
        >>> scene = load_scene("panda_pillars")
        >>> scene.allow(AllowedCollisions({frozenset(["panda_link4", "left_pillar"]): True}))
        >>> checker = CollisionChecker(load_robot("panda"), scene)
        >>> [c.first for c in checker.check([0.5, 0.3, 0.0, -1.8, 0.0, 2.1, 0.785]).contacts]
        ['panda_link5', 'panda_link6']
    """

    pairs: Mapping[frozenset[str], bool] = field(default_factory=dict)
    defaults: Mapping[str, bool] = field(default_factory=dict)

    @property
    def allow_anything(self) -> bool:
        """Whether any collision is allowed."""
        return any(self.defaults.values()) or any(self.pairs.values())

    def decide(self, first: str, second: str) -> bool | None:
        """Return whether two bodies or obstacles are allowed to collide; None without a rule."""
        rule = self.pairs.get(frozenset((first, second)))
        if rule is not None:
            return rule
        rules = [self.defaults[name] for name in (first, second) if name in self.defaults]
        return all(rules) if rules else None

    def may_touch(self, name: str) -> bool:
        """Return whether a body or obstacle is allowed to collide with anything."""
        if any(self.defaults.values()):
            return True
        return any(allowed and name in pair for pair, allowed in self.pairs.items())

    def without(self, name: str) -> AllowedCollisions:
        """Return all rules except those for a name."""
        return AllowedCollisions(
            {pair: allowed for pair, allowed in self.pairs.items() if name not in pair},
            {other: allowed for other, allowed in self.defaults.items() if other != name},
        )
