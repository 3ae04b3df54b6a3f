"""The title of the browser's tab and of the panel."""

from __future__ import annotations

import html
from collections.abc import Sequence
from typing import TYPE_CHECKING

from rigid_tree_kinematics.errors import plain

if TYPE_CHECKING:
    import viser

LONGEST = 60  # characters


class PageTitle:
    """The names of the robots; the script of the document copies them to the browser's tab."""

    def __init__(self, server: viser.ViserServer) -> None:
        self._gui = server.gui
        self._hidden = server.gui.add_html("")

    def show(self, names: Sequence[str]) -> None:
        """Show the robots' names."""
        title = plain(", ".join(names), LONGEST)
        self._gui.set_panel_label(title)
        self._hidden.content = f'<span class="page-title" hidden>{html.escape(title)}</span>'
