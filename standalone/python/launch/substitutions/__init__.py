"""Substitutions: texts that are known only while launching."""

from rigid_tree_stand_in import missing_name

from .calculated import Command, FindExecutable, PathJoinSubstitution, PythonExpression
from .from_context import EnvironmentVariable, LaunchConfiguration, ThisLaunchFileDir
from .substitution_failure import SubstitutionFailure
from .text_substitution import TextSubstitution

__all__ = [
    "Command",
    "EnvironmentVariable",
    "FindExecutable",
    "LaunchConfiguration",
    "PathJoinSubstitution",
    "PythonExpression",
    "SubstitutionFailure",
    "TextSubstitution",
    "ThisLaunchFileDir",
]
__getattr__ = missing_name(__name__)
