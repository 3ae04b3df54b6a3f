"""LogInfo: writes a message to the log."""

from __future__ import annotations

from typing import Any

from ..action import Action
from ..launch_context import LaunchContext
from ..logging import get_logger
from ..some_substitutions_type import SomeSubstitutionsType
from ..utilities import normalize_to_list_of_substitutions, perform_substitutions


class LogInfo(Action):
    """Logs a message as ``[INFO] [launch.user]: ...``."""

    def __init__(self, *, msg: SomeSubstitutionsType, **kwargs: Any) -> None:
        """Create the action for a message."""
        super().__init__(**kwargs)
        self.__msg = normalize_to_list_of_substitutions(msg)

    def execute(self, context: LaunchContext) -> None:
        """Log the message."""
        get_logger("launch.user").info(perform_substitutions(context, self.__msg))
