"""Substitutions: texts that are known only while launching."""

from .calculated import (
    Command,
    FileContent,
    FindExecutable,
    PathJoinSubstitution,
    PythonExpression,
)
from .from_context import (
    AnonName,
    EnvironmentVariable,
    LaunchConfiguration,
    LaunchLogDir,
    LocalSubstitution,
    ThisLaunchFile,
    ThisLaunchFileDir,
)
from .logical import (
    AllSubstitution,
    AndSubstitution,
    AnySubstitution,
    EqualsSubstitution,
    IfElseSubstitution,
    NotEqualsSubstitution,
    NotSubstitution,
    OrSubstitution,
)
from .substitution_failure import SubstitutionFailure
from .text_substitution import TextSubstitution

__all__ = [
    "AllSubstitution",
    "AndSubstitution",
    "AnonName",
    "AnySubstitution",
    "Command",
    "EnvironmentVariable",
    "EqualsSubstitution",
    "FileContent",
    "FindExecutable",
    "IfElseSubstitution",
    "LaunchConfiguration",
    "LaunchLogDir",
    "LocalSubstitution",
    "NotEqualsSubstitution",
    "NotSubstitution",
    "OrSubstitution",
    "PathJoinSubstitution",
    "PythonExpression",
    "SubstitutionFailure",
    "TextSubstitution",
    "ThisLaunchFile",
    "ThisLaunchFileDir",
]
