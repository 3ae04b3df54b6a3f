"""Keys and buttons of the whole page."""

from __future__ import annotations

import io
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import viser

# Actions by key, shown in the panel and the page's list of commands (Ctrl+K).
KEYS: dict[Any, str] = {
    "R": "Record, or stop recording",
    "P": "Play back, or pause",
    "B": "Back to the robot",
    "F": "Frames",
    "N": "Names",
    "C": "Centre of mass",
    "escape": "Stop the robot",
}
PICTURE_KEY: Any = "I"
PICTURE = "Save a picture"
LARGEST = 1920  # pixels of a picture


def add_keys(server: viser.ViserServer, actions: Mapping[str, Callable[[], None]]) -> None:
    """Bind the keys of KEYS to ``actions``, except in text fields."""
    for key, label in KEYS.items():
        command = server.gui.add_command(label, hotkey=key)

        def run(_: Any, key: Any = key) -> None:
            actions[key]()

        command.on_trigger(run)
    command = server.gui.add_command(PICTURE, hotkey=PICTURE_KEY)
    command.on_trigger(lambda event: save_picture(event.client))


def add_picture_button(server: viser.ViserServer) -> None:
    """Add the button that saves a picture of the user's view."""
    button = server.gui.add_button(PICTURE, hint=f"Key {PICTURE_KEY}")
    button.on_click(lambda event: save_picture(event.client))


def save_picture(client: viser.ClientHandle | None) -> None:
    """Render the user's view in the browser and download it as a PNG file."""
    if client is None:
        return
    from PIL import Image

    height, width = client.camera.image_height, client.camera.image_width
    scale = min(1.0, LARGEST / max(height, width))
    pixels = client.get_render(
        height=round(scale * height), width=round(scale * width), transport_format="png"
    )
    data = io.BytesIO()
    Image.fromarray(pixels).save(data, "PNG")
    name = time.strftime("robot_%Y%m%d_%H%M%S.png")
    client.send_file_download(name, data.getvalue(), save_immediately=True)
