"""ExecuteProcess: runs a command."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ..descriptions import Executable
from ..some_substitutions_type import SomeSubstitutionsType
from .execute_local import ExecuteLocal


class ExecuteProcess(ExecuteLocal):
    """Runs a command that is given as a list; see ExecuteLocal for further arguments."""

    def __init__(
        self,
        *,
        cmd: Iterable[SomeSubstitutionsType],
        prefix: SomeSubstitutionsType | None = None,
        name: SomeSubstitutionsType | None = None,
        cwd: SomeSubstitutionsType | None = None,
        env: Mapping[SomeSubstitutionsType, SomeSubstitutionsType] | None = None,
        additional_env: Mapping[SomeSubstitutionsType, SomeSubstitutionsType] | None = None,
        **kwargs: Any,
    ) -> None:
        """Create the action; see Executable for these arguments."""
        executable = Executable(
            cmd=cmd, prefix=prefix, name=name, cwd=cwd, env=env, additional_env=additional_env
        )
        super().__init__(process_description=executable, **kwargs)

    @property
    def name(self) -> Any:
        """The process's name; before execution, as described."""
        return self.process_description.final_name or self.process_description.name

    @property
    def cmd(self) -> Any:
        """The command line; before execution, as described."""
        return self.process_description.final_cmd or self.process_description.cmd

    @property
    def cwd(self) -> Any:
        """The working directory; before execution, as described."""
        return self.process_description.final_cwd or self.process_description.cwd

    @property
    def env(self) -> Any:
        """The environment; before execution, as described."""
        return self.process_description.final_env or self.process_description.env

    @property
    def additional_env(self) -> Any:
        """The additions to the environment, as described."""
        return self.process_description.additional_env
