"""Text of others in our messages and on the page: one line, printable, never markup."""

import html
import re

LONGEST_NAME = 100  # characters of a name in a list of names
LONGEST_TEXT = 2000  # characters of a message; external names can have any length
_BREAKS = re.compile(r"[\t\n\v\f\r\x1c-\x1e\x85\u2028\u2029]+ *")


def plain(text: str, most: int = LONGEST_TEXT) -> str:
    """Return text as one line, truncated to ``most`` characters with a note.

    Unprintable characters are escaped: in a terminal, escape sequences and characters that change
    the writing direction could make a name look like another message.
    """
    if len(text) > most:
        start = most * 2 // 3
        left_out = len(text) - most
        text = f"{text[:start]} ... ({left_out} characters) ... {text[len(text) - most + start :]}"
    text = _BREAKS.sub(" ", text)
    if text.isprintable():
        return text
    return "".join(
        letter if letter.isprintable() else letter.encode("unicode_escape").decode()
        for letter in text
    )


def told_apart(*numbers: float, digits: int = 6) -> tuple[str, ...]:
    """Return numbers as text, with as many digits as it takes to see which of them differ.

    For messages that state a value beside its limits. ``digits`` is the least number of
    significant digits.
    """
    different = len(set(numbers))
    texts: tuple[str, ...] = ()
    for count in range(digits, 18):
        texts = tuple(f"{number:.{count}g}" for number in numbers)
        if len(set(texts)) >= different:
            break
    return texts


def html_line(text: str) -> str:
    """Return text as one line of HTML that displays it."""
    return html.escape(plain(text))
