"""Keys and buttons of the whole page: pictures, and what the keyboard does."""

from __future__ import annotations

import io
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import viser

# What each key does; the panel and the page's list of commands (Ctrl+K) tell it.
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
    """Let keys do something: ``actions`` by the keys of KEYS. They are off in text fields."""
    for key, words in KEYS.items():
        command = server.gui.add_command(words, hotkey=key)
        command.on_trigger(_calling(actions[key]))
    command = server.gui.add_command(PICTURE, hotkey=PICTURE_KEY)
    command.on_trigger(lambda event: save_picture(event.client))


def add_picture_button(server: viser.ViserServer) -> None:
    """Add the button that saves what its user sees."""
    button = server.gui.add_button(PICTURE, hint=f"Key {PICTURE_KEY}")
    button.on_click(lambda event: save_picture(event.client))


def _calling(action: Callable[[], None]) -> Callable[[Any], None]:
    return lambda _: action()


def save_picture(client: viser.ClientHandle | None) -> None:
    """Let a user's browser draw the scene as it is seen, and save it as a PNG file."""
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
