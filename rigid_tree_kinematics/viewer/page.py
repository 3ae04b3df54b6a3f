"""The page itself: its server, ground, light and the panel at its side."""

from __future__ import annotations

import contextlib
import importlib
import io
import socket
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from rigid_tree_kinematics.needed_packages import needs
from rigid_tree_kinematics.viewer.guard import Guard
from rigid_tree_kinematics.viewer.page_server import PageError, make_server

if TYPE_CHECKING:
    import viser

LABEL = "rigid_tree_kinematics"
GROUND = 20.0  # m
CAMERA, LOOK_AT = (1.5, -1.4, 1.1), (0.2, 0.0, 0.4)  # m
FIELD_OF_VIEW = 0.9  # rad, upright


def open_page(
    host: str, port: int, guard: Guard, complain: Callable[[str], None]
) -> viser.ViserServer:
    """Serve the page on a host's address and port; PageError if that cannot be had.

    ``complain`` is told, in a thread of the page, what the guard and the server refuse.
    """
    for package, on_pypi in (("viser", None), ("nh3", None), ("markdown_it", "markdown-it-py")):
        with needs(package, "the page", on_pypi):
            importlib.import_module(package)
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        with socket.create_server((host, port), family=family):
            pass  # viser would wait forever, or silently take another port
    except OSError as error:
        raise PageError(
            f"parameters host and port: the page cannot be served on {host}:{port}: {error}"
        ) from error
    server = make_server(host, port, LABEL, guard, complain)
    server.gui.configure_theme(show_share_button=False, show_logo=False, control_width="medium")
    server.scene.set_up_direction("+z")
    # A little below maps, which lie at zero.
    server.scene.add_grid(
        "/ground",
        width=GROUND,
        height=GROUND,
        cell_size=0.5,
        section_size=1.0,
        position=(0.0, 0.0, -0.01),
    )
    server.scene.configure_default_lights()
    server.initial_camera.position = np.array(CAMERA)
    server.initial_camera.look_at = np.array(LOOK_AT)
    server.initial_camera.fov = FIELD_OF_VIEW
    return server


def close_page(server: viser.ViserServer) -> None:
    """End the server; viser's own messages are dropped."""
    with contextlib.redirect_stdout(io.StringIO()):
        server.stop()
