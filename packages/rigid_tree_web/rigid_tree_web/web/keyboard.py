"""Keys and buttons of the whole page."""

from __future__ import annotations

import io
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import viser

# Fits the view of a user.
Fit = Callable[["viser.ClientHandle | None"], None]

# Actions by key, shown in the panel and the page's list of commands (Ctrl+K).
KEYS: dict[Any, str] = {
    "R": "Record, or stop recording",
    "P": "Play back, or pause",
    "B": "Back to the robot",
    "F": "Frames",
    "N": "Names",
    "C": "Center of mass",
    "escape": "Stop the robot",
}
FIT_KEY: Any = "V"
FIT, FIT_COMMAND = "Fit", "Fit the view"
PICTURE_KEY: Any = "I"
PICTURE = "Save a picture"
LARGEST = 1920  # pixels of a picture


def add_page_keys(
    server: viser.ViserServer, actions: Mapping[str, Callable[[], None]], fit: Fit
) -> None:
    """Bind the keys of KEYS to ``actions``, and those for the view, except in text fields."""
    for key, label in KEYS.items():
        command = server.gui.add_command(label, hotkey=key)

        def run(_: Any, key: Any = key) -> None:
            actions[key]()

        command.on_trigger(run)
    for label, key, act in ((FIT_COMMAND, FIT_KEY, fit), (PICTURE, PICTURE_KEY, save_picture)):
        command = server.gui.add_command(label, hotkey=key)

        def show(event: Any, act: Fit = act) -> None:
            act(event.client)

        command.on_trigger(show)


def add_page_buttons(server: viser.ViserServer, fit: Fit, follow: Callable[[bool], None]) -> None:
    """Add the buttons that fit the user's view and save a picture of it, and a box to follow."""
    hint = f"Show all: key {FIT_KEY}. Save a PNG file: key {PICTURE_KEY}"
    buttons = server.gui.add_button_group("View", (FIT, PICTURE), hint=hint)
    actions: dict[str, Fit] = {FIT: fit, PICTURE: save_picture}
    buttons.on_click(lambda event: actions[event.target.value](event.client))
    box = server.gui.add_checkbox("Follow", False, hint="The view moves with the robot")
    box.on_update(lambda _: follow(bool(box.value)))


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
