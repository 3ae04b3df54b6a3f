"""Remap rules as pairs of substitutions."""

from __future__ import annotations

from collections.abc import Iterator

from launch.utilities import ensure_argument_type, normalize_to_list_of_substitutions

from ..remap_rule_type import RemapRule, SomeRemapRule, SomeRemapRules


def normalize_remap_rule(remap_rule: SomeRemapRule) -> RemapRule:
    """Return a rule as a pair of substitutions; raises TypeError unless it is a pair."""
    ensure_argument_type(remap_rule, tuple, "remap_rule")
    if len(remap_rule) != 2:
        raise TypeError(f"a remapping is a pair (from, to), not {remap_rule!r}")
    source, target = (tuple(normalize_to_list_of_substitutions(part)) for part in remap_rule)
    return source, target


def normalize_remap_rules(remap_rules: SomeRemapRules) -> Iterator[RemapRule]:
    """Return all rules as pairs of substitutions."""
    return map(normalize_remap_rule, remap_rules)
