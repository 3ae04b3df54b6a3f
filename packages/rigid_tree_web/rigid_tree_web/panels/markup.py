"""Blocks of HTML on the page; texts in them come from html_line."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from markdown_it import MarkdownIt


LONGEST_CAPTION = 5_000  # characters
# Allowed tags: no links and no images, so nothing is loaded and nothing navigates.
TAGS = {
    *("b", "blockquote", "br", "code", "div", "em", "h1", "h2", "h3", "h4", "h5", "h6", "hr"),
    *("li", "ol", "p", "pre", "span", "strong", "ul"),
}
STYLED = {"div": {"style"}, "span": {"style"}}
BLOCK_STYLE = "font-size: 0.9em; padding: 0 0.75em; overflow-wrap: anywhere"


def block(content: str) -> str:
    """Return HTML as a block of the panel, with harmless tags only."""
    import nh3

    whole = f'<div style="{BLOCK_STYLE}">{content}</div>'
    return nh3.clean(whole, tags=TAGS, attributes=STYLED, clean_content_tags={"script", "style"})


def caption(markdown: str) -> str:
    """Return Markdown as a block of the panel; HTML is shown as text."""
    if len(markdown) > LONGEST_CAPTION:
        markdown = f"{markdown[:LONGEST_CAPTION]} ..."
    return block(_renderer().render(markdown))


@functools.cache
def _renderer() -> MarkdownIt:
    # viser's Markdown accepts HTML, reads local image files and, in old versions, runs code.
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark", {"html": False, "breaks": True}).disable(["image", "link"])
