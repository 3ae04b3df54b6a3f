"""Animated GIFs of Matplotlib figures, whose static part is drawn once."""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

FRAMES_A_SECOND = 20
DOTS_PER_INCH = 80


def write_gif(
    figure: Any,
    moving: Sequence[Any],
    show: Callable[[int], None],
    frames: Iterable[int],
    path: Path,
) -> None:
    """Write a repeating GIF with 20 frames per second, and close the figure.

    Args:
        figure: a figure of pyplot with an Agg canvas.
        moving: the artists that ``show`` changes, from back to front.
        show: called with the number of each frame before it is drawn.
        frames: the numbers of the frames.
        path: path of the file.
    """
    import numpy as np
    from matplotlib import pyplot as plt
    from PIL import Image

    figure.set_dpi(DOTS_PER_INCH)
    for artist in moving:
        artist.set_animated(True)  # not part of the background
    canvas = figure.canvas
    canvas.draw()
    background = canvas.copy_from_bbox(figure.bbox)
    pictures = []
    for number in frames:
        show(number)
        canvas.restore_region(background)
        for artist in moving:
            artist.axes.draw_artist(artist)
        picture = np.asarray(canvas.buffer_rgba())[:, :, :3]
        pictures.append(Image.fromarray(np.ascontiguousarray(picture)))
    plt.close(figure)
    first, *others = pictures
    duration = 1000 // FRAMES_A_SECOND
    first.save(path, save_all=True, append_images=others, duration=duration, loop=0)
