"""Animations have the motion's duration and the robot's pose at each time."""

import io
import sys

import imageio_ffmpeg
import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from PIL import Image, ImageSequence

from harness.cases import case
from harness.processes import run
from rigid_tree_kinematics import load_robot
from rigid_tree_kinematics.dynamics import simulate
from rigid_tree_kinematics.errors import ConfigurationError, RigidTreeError, UnknownNameError
from rigid_tree_kinematics.figures import animate, animation
from rigid_tree_kinematics.gif import DOTS_PER_INCH, FRAMES_A_SECOND, write_gif
from rigid_tree_kinematics.planning import MotionPlanner


@pytest.fixture(scope="module")
def arm():
    return load_robot("planar_two_link")


def pictures(path):
    with Image.open(path) as film:
        return [
            np.array(frame.convert("RGB")).astype(int) for frame in ImageSequence.Iterator(film)
        ]


def test_a_gif_is_as_long_as_the_trajectory(arm, tmp_path):
    start, goal = np.zeros(2), np.array([0.8, -0.4])
    trajectory = MotionPlanner(arm).plan(start, goal).trajectory
    path = animate(arm, trajectory, tmp_path / "a.gif", trace=arm.body_names[-1])
    with Image.open(path) as film:
        seconds = (film.n_frames - 1) * film.info["duration"] / 1000
    assert seconds == pytest.approx(trajectory.times[-1], abs=0.06)
    shown = pictures(path)
    assert np.abs(shown[0] - shown[-1]).max() > 100


def test_pictures_show_the_configurations_at_their_times(arm, tmp_path, monkeypatch):
    """What is drawn at the middle of an uneven motion is what stands there in time."""
    drawn = []
    real = vars(animation)["show_robot"]
    monkeypatch.setattr(
        animation, "show_robot", lambda tree, q, **rest: (drawn.append(q), real(tree, q, **rest))
    )
    motion = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 2.0]])
    animate(arm, motion, tmp_path / "a.gif", times=[5.0, 5.2, 5.6], meshes=False)
    times = np.linspace(0, 0.6, len(drawn))
    assert len(drawn) == 13
    np.testing.assert_allclose([q[0] for q in drawn], np.clip(times / 0.2, 0, 1))
    np.testing.assert_allclose(
        [q[1] for q in drawn], np.clip((times - 0.2) / 0.2, 0, 2), atol=1e-9
    )


def test_a_path_without_times_takes_a_second_for_each_radian(arm, tmp_path):
    path = animate(arm, [[0.0, 0.0], [0.5, 0.1], [0.0, 0.1]], tmp_path / "a.gif", meshes=False)
    assert len(pictures(path)) == 21
    path = animate(arm, [[0.3, 0.3]], tmp_path / "a.gif", frames=True)
    assert len(pictures(path)) == 1


def test_a_simulation_becomes_an_mp4(tmp_path):
    tree = load_robot("double_pendulum")
    motion = simulate(tree, [0.5, 0.0], [0.0, 0.0], None, 0.5)
    path = animate(tree, motion, tmp_path / "fall.mp4", trace="C")
    count, seconds = imageio_ffmpeg.count_frames_and_secs(str(path))
    assert (count, seconds) == (11, pytest.approx(0.55, abs=0.06))


def test_invalid_input_is_rejected(arm, tmp_path):
    gif, still, moves = tmp_path / "a.gif", [[0.0, 0.0]], [[0.0, 0.0], [1.0, 0.0]]
    for error, words, motion, file, options in (
        (ConfigurationError, r"\(N, 2\)", [0.0, 0.0], gif, {}),
        (ConfigurationError, "finite", [[0.0, np.nan]], gif, {}),
        (ConfigurationError, "increasing", moves, gif, {"times": [1.0, 0.0]}),
        (UnknownNameError, "nobody", still, gif, {"trace": "nobody"}),
        (RigidTreeError, r"\.gif or \.mp4", still, tmp_path / "a.avi", {}),
        (RigidTreeError, "at most 3000", moves, gif, {"times": [0.0, 200.0]}),
        (ConfigurationError, "more than 100000", moves, gif, {"times": [0.0, 1e6]}),
    ):
        with case(words), pytest.raises(error, match=words):
            animate(arm, motion, file, **options)
    assert not gif.exists()


def test_mp4_without_ffmpeg_raises_an_error_with_the_install_command(tmp_path):
    code = """
import sys
sys.modules["imageio_ffmpeg"] = None
import matplotlib
matplotlib.use("Agg")
matplotlib.rcParams["animation.ffmpeg_path"] = "/nowhere"
from rigid_tree_kinematics import load_robot
from rigid_tree_kinematics.figures import animate
try:
    animate(load_robot("planar_two_link"), [[0.0, 0.0]], "a.mp4")
except Exception as error:
    print(error)
"""
    result = run(sys.executable, "-c", code, cwd=tmp_path)
    assert "pip install imageio-ffmpeg" in result.stdout, result


# -- GIFs with a cached background equal complete drawings ---------------------------------------


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
