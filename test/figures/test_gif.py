"""GIFs with a cached background equal those drawn completely for every frame."""

import io

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from PIL import Image

from rigid_tree_kinematics.gif import DOTS_PER_INCH, FRAMES_A_SECOND, write_gif

ENDS = (1.0, -0.5, 0.2, 0.2)


def figure_of(end):
    """Return a figure with a line to (1, end) before a grid, and the line."""
    figure = Figure(figsize=(2, 2))
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    axes.set(xlim=(0, 1), ylim=(-1, 1))
    axes.grid()
    (line,) = axes.plot([0, 1], [0, end], color="tab:red", linewidth=4)
    return figure, line


def drawn(end):
    figure, _ = figure_of(end)
    file = io.BytesIO()
    figure.savefig(file, dpi=DOTS_PER_INCH)
    return np.asarray(Image.open(file).convert("RGB"), dtype=float)


def test_every_frame_is_as_matplotlib_draws_it(tmp_path):
    figure, line = figure_of(0.0)
    path = tmp_path / "line.gif"
    write_gif(figure, [line], lambda k: line.set_ydata([0, ENDS[k]]), range(len(ENDS)), path)
    with Image.open(path) as film:
        assert film.info["loop"] == 0
        shown, duration = [], 0
        for k in range(film.n_frames):
            film.seek(k)
            duration += film.info["duration"]
            shown.append(np.asarray(film.convert("RGB"), dtype=float))
    # Equal frames become one that lasts longer.
    assert duration == len(ENDS) * 1000 / FRAMES_A_SECOND
    for end, picture in zip(dict.fromkeys(ENDS), shown, strict=True):
        assert np.abs(picture - drawn(end)).mean() < 1.0  # of 255: the palette's part
        others = [drawn(other) for other in ENDS if other != end]
        assert all(np.abs(picture - other).mean() > 3.0 for other in others)
