"""Substitutions in texts; launch files in XML and YAML are not supported."""

from .parse_substitution import expose_substitution

__all__ = ["expose_substitution"]
