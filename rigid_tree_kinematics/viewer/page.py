"""The page itself: its server, ground, light and the panel at its side."""

from __future__ import annotations

import contextlib
import io
import socket
from typing import TYPE_CHECKING

import numpy as np

from rigid_tree_kinematics.errors import RigidTreeError

if TYPE_CHECKING:
    import viser

LABEL = "rigid_tree_kinematics"
GROUND = 20.0  # m
CAMERA, LOOK_AT = (1.5, -1.4, 1.1), (0.2, 0.0, 0.4)  # m
FIELD_OF_VIEW = 0.9  # rad, upright


class PageError(RigidTreeError):
    """The page cannot be offered."""


def open_page(host: str, port: int) -> viser.ViserServer:
    """Serve the page on a host's address and port; PageError if that cannot be had."""
    try:
        import viser
    except ModuleNotFoundError as error:
        raise PageError("the page needs viser: pip install viser") from error
    try:
        with socket.create_server((host, port)):
            pass  # viser would wait forever, or silently take another port
    except OSError as error:
        raise PageError(
            f"parameters host and port: the page cannot be served on {host}:{port}: {error}"
        ) from error
    with contextlib.redirect_stdout(io.StringIO()):  # the address is the caller's to tell
        server = viser.ViserServer(host=host, port=port, label=LABEL, verbose=False)
    # Sharing would send the page through a server on the internet.
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
