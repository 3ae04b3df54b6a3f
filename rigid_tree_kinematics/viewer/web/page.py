"""The page: server, ground, light and title."""

from __future__ import annotations

import contextlib
import html
import importlib
import io
import socket
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from rigid_tree_kinematics.errors import plain
from rigid_tree_kinematics.needed_packages import needs
from rigid_tree_kinematics.viewer.web.guard import Guard
from rigid_tree_kinematics.viewer.web.page_server import PageError, make_server

if TYPE_CHECKING:
    import viser

LABEL = "rigid_tree_kinematics"
GROUND = 20.0  # m
LONGEST = 60  # characters of the title


def open_page(
    host: str, port: int, guard: Guard, warn: Callable[[str], None]
) -> viser.ViserServer:
    """Serve the page on a host's address and port; PageError if they are not available.

    ``warn`` is called in a thread of the page with the requests that are rejected.
    """
    for package, name in (("viser", "viser"), ("nh3", "nh3"), ("markdown_it", "markdown-it-py")):
        with needs(package, "the page", f"pip install {name}"):
            importlib.import_module(package)
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        with socket.create_server((host, port), family=family):
            pass  # viser would wait forever or use another port silently
    except OSError as error:
        raise PageError(
            f"parameters host and port: the page cannot be served on {host}:{port}: {error}"
        ) from error
    server = make_server(host, port, LABEL, guard, warn)
    server.gui.configure_theme(show_share_button=False, show_logo=False, control_width="medium")
    server.gui.main_panel.dock_right()  # beside the scene, not above it
    server.scene.set_up_direction("+z")
    # Slightly below maps, which are at zero.
    at = (0.0, 0.0, -0.01)
    server.scene.add_grid("/ground", GROUND, GROUND, cell_size=0.5, section_size=1.0, position=at)
    server.scene.configure_default_lights()
    return server


def close_page(server: viser.ViserServer) -> None:
    """Stop the server without viser's own messages."""
    with contextlib.redirect_stdout(io.StringIO()):
        server.stop()


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
