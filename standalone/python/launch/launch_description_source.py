"""LaunchDescriptionSource: where a launch description comes from."""

from __future__ import annotations

from .launch_context import LaunchContext
from .launch_description import LaunchDescription
from .logging import get_logger
from .some_substitutions_type import SomeSubstitutionsType
from .utilities import normalize_to_list_of_substitutions, perform_substitutions


class LaunchDescriptionSource:
    """A launch description, or (in subclasses) the file it is loaded from when needed."""

    def __init__(
        self,
        launch_description: LaunchDescription | None = None,
        location: SomeSubstitutionsType = "<string>",
    ) -> None:
        """Create a source."""
        self.__launch_description = launch_description
        self.__location = normalize_to_list_of_substitutions(location)
        self.__expanded_location = ""

    @property
    def location(self) -> str:
        """The path, known after ``get_launch_description``."""
        return self.__expanded_location

    def try_get_launch_description_without_context(self) -> LaunchDescription | None:
        """Return the description if its location is known before launching, else None."""
        if self.__launch_description is not None:
            return self.__launch_description
        try:
            location = perform_substitutions(LaunchContext(), self.__location)
            return self._get_launch_description(location)
        except Exception as error:  # whatever a launch file raises: it is only not describable
            get_logger(__name__).debug("cannot load this without a context: %s", error)
            return None

    def get_launch_description(self, context: LaunchContext) -> LaunchDescription:
        """Return the description, loading it at the first call."""
        if not self.__expanded_location:
            self.__expanded_location = perform_substitutions(context, self.__location)
        if self.__launch_description is None:
            self.__launch_description = self._get_launch_description(self.__expanded_location)
        return self.__launch_description

    def _get_launch_description(self, location: str) -> LaunchDescription:
        raise RuntimeError(
            "a LaunchDescriptionSource without a launch description cannot load one"
        )
