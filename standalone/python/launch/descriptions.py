"""Executable: what to run, before it is known with which texts."""

from __future__ import annotations

import itertools
import os
import re
import shlex
from collections.abc import Iterable, Mapping

from .action import Action
from .launch_context import LaunchContext
from .some_substitutions_type import SomeSubstitutionsType
from .substitution import Substitution
from .substitutions import LaunchConfiguration
from .utilities import normalize_to_list_of_substitutions, perform_substitutions

__all__ = ["Executable"]

_Subs = list[Substitution]
_EnvPairs = list[tuple[_Subs, _Subs]]
_numbers = itertools.count(1)  # "talker-1": counts all executables of this Python process


class Executable:
    """A command line with its working directory, environment and name."""

    def __init__(
        self,
        *,
        cmd: Iterable[SomeSubstitutionsType],
        prefix: SomeSubstitutionsType | None = None,
        name: SomeSubstitutionsType | None = None,
        cwd: SomeSubstitutionsType | None = None,
        env: Mapping[SomeSubstitutionsType, SomeSubstitutionsType] | None = None,
        additional_env: Mapping[SomeSubstitutionsType, SomeSubstitutionsType] | None = None,
        arguments: Iterable[SomeSubstitutionsType] | None = None,
    ) -> None:
        """Describe an executable.

        ``prefix`` (a debugger's command line, say) defaults to the launch configuration
        'launch-prefix', which 'launch-prefix-filter', a regular expression on the program's
        name, may limit. ``env`` replaces the environment, ``additional_env`` adds to it.
        """
        self.__cmd = [normalize_to_list_of_substitutions(x) for x in (*cmd, *(arguments or ()))]
        self.__arguments = arguments
        self.__prefix = normalize_to_list_of_substitutions(
            LaunchConfiguration("launch-prefix", default="") if prefix is None else prefix
        )
        self.__prefix_filter = LaunchConfiguration("launch-prefix-filter", default="")
        self.__has_own_prefix = prefix is not None
        self.__name = None if name is None else normalize_to_list_of_substitutions(name)
        self.__cwd = None if cwd is None else normalize_to_list_of_substitutions(cwd)
        self.__env = _pairs(env)
        self.__additional_env = _pairs(additional_env)
        self.__final_cmd: list[str] | None = None
        self.__final_cwd: str | None = None
        self.__final_env: dict[str, str] | None = None
        self.__final_name: str | None = None

    @property
    def name(self) -> _Subs | None:
        """The name as described."""
        return self.__name

    @property
    def prefix(self) -> _Subs:
        """The prefix as described."""
        return self.__prefix

    @property
    def cmd(self) -> list[_Subs]:
        """The command line as described."""
        return self.__cmd

    @property
    def cwd(self) -> _Subs | None:
        """The working directory as described."""
        return self.__cwd

    @property
    def env(self) -> _EnvPairs | None:
        """The environment as described."""
        return self.__env

    @property
    def additional_env(self) -> _EnvPairs | None:
        """The additions to the environment as described."""
        return self.__additional_env

    @property
    def arguments(self) -> Iterable[SomeSubstitutionsType] | None:
        """The arguments given apart from ``cmd``."""
        return self.__arguments

    @property
    def final_name(self) -> str | None:
        """The name, made unique by a number; None before ``prepare``."""
        return self.__final_name

    @property
    def final_cmd(self) -> list[str] | None:
        """The command line to be run; None before ``prepare``."""
        return self.__final_cmd

    @property
    def final_cwd(self) -> str | None:
        """The working directory; None for launch's own."""
        return self.__final_cwd

    @property
    def final_env(self) -> dict[str, str] | None:
        """The whole environment; None before ``prepare``."""
        return self.__final_env

    def prepare(self, context: LaunchContext, action: Action) -> None:
        """Perform all substitutions; afterwards the ``final_...`` properties are set."""
        cmd = [perform_substitutions(context, x) for x in self.__cmd]
        program = os.path.basename(cmd[0])
        if self.__has_own_prefix or re.match(self.__prefix_filter.perform(context), program):
            cmd = shlex.split(perform_substitutions(context, self.__prefix)) + cmd
        self.__final_cmd = cmd
        if self.__name is None:
            name = os.path.basename(cmd[0])
        else:
            name = perform_substitutions(context, self.__name)
        self.__final_name = f"{name}-{next(_numbers)}"
        if self.__cwd is not None:
            self.__final_cwd = perform_substitutions(context, self.__cwd)
        env = dict(context.environment) if self.__env is None else {}
        for key, value in (*(self.__env or ()), *(self.__additional_env or ())):
            env[perform_substitutions(context, key)] = perform_substitutions(context, value)
        self.__final_env = env


def _pairs(
    env: Mapping[SomeSubstitutionsType, SomeSubstitutionsType] | None,
) -> _EnvPairs | None:
    if env is None:
        return None
    return [
        (normalize_to_list_of_substitutions(key), normalize_to_list_of_substitutions(value))
        for key, value in env.items()
    ]
