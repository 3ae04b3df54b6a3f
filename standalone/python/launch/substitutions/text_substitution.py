"""TextSubstitution: a literal text."""

from ..launch_context import LaunchContext
from ..substitution import Substitution


class TextSubstitution(Substitution):
    """Stands for itself."""

    def __init__(self, *, text: str) -> None:
        """Create a substitution for ``text``."""
        if not isinstance(text, str):
            raise TypeError(f"TextSubstitution expected a str, got '{type(text)}' instead.")
        self.__text = text

    @property
    def text(self) -> str:
        """The text."""
        return self.__text

    def describe(self) -> str:
        """Return the text in quotes."""
        return f"'{self.text}'"

    def perform(self, context: LaunchContext) -> str:
        """Return the text."""
        return self.text
