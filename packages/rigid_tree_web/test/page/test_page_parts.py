"""Parts of the page: the document, body labels, and playback of recordings."""

import colorsys
import gzip
import re
import sys
import threading
from contextlib import ExitStack
from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock
from urllib.parse import unquote
from xml.etree import ElementTree

import numpy as np
import pytest

from harness.page.client import CAMERA, get, open_line, received, send
from harness.processes import wait_until
from rigid_tree_kinematics import RigidBody, RigidBodyTree, load_robot
from rigid_tree_kinematics.description.srdf import Group, Semantics
from rigid_tree_kinematics.model import Box, Visual
from rigid_tree_web.drawn import GOAL, DrawnRobot, Ghost, TargetGizmo
from rigid_tree_web.panels import MotionPanel, ObstaclesPanel, joints_panel
from rigid_tree_web.panels.joints_panel import HELD, JointsPanel
from rigid_tree_web.panels.plot_panel import colors_of
from rigid_tree_web.web.document import with_additions
from rigid_tree_web.web.guard import AccessGuard
from rigid_tree_web.web.page import PageTitle, close_page, open_page
from rigid_tree_web.web.views import Views, fitted_camera

pytest.importorskip("viser")


@pytest.fixture
def server():
    made = open_page("127.0.0.1", 0, AccessGuard.of("127.0.0.1"), print)
    yield made
    close_page(made)


def test_title_and_icon(server):
    status, headers, body = get(server.get_port())
    packed = get(server.get_port(), Accept_Encoding="gzip")[2]
    assert (status, int(headers["Content-Length"])) == (200, len(body))
    assert gzip.decompress(packed) == body
    text = body.decode()
    assert re.findall("<title>(.*?)</title>", text) == ["Robot"]
    (icon,) = re.findall(r'<link\s+rel="icon"\s+href="data:image/svg\+xml,([^"]*)"', text)
    assert len(ElementTree.fromstring(unquote(icon))) == 4  # not viser's logo, of four paths
    assert "path" in unquote(icon)
    assert with_additions(b"nothing of it") == b"nothing of it"


def test_names_are_text(server):
    title = PageTitle(server)
    title.show(["a<script>", "b"])
    assert ">a&lt;script&gt;, b<" in title._hidden.content


def test_sending_does_not_fail_while_the_loop_runs(server):
    """viser's loop runs after each built-in function that the sending thread calls."""
    title, loop = PageTitle(server), server.get_event_loop()

    def let_the_loop_run(frame, event, function):
        if event == "c_return":
            has_run = threading.Event()
            loop.call_soon_threadsafe(loop.call_later, 0.002, has_run.set)
            has_run.wait(0.01)  # the loop may wait for the sender's lock

    with ExitStack() as lines:
        for _ in range(3):
            received(lines.enter_context(open_line(server.get_port())))
        sys.setprofile(let_the_loop_run)
        lines.callback(sys.setprofile, None)
        for number in range(5):
            title.show([str(number)])


def until_fitted(views, count):
    wait_until(lambda: len(views._views) == count, f"{count} views")


def test_a_camera_that_shows_nothing_does_not_keep_the_others_from_their_views(server):
    views, cameras = Views(server, lambda client: None), server.get_clients
    nowhere = [float("nan")] * 3
    changes: tuple[dict[str, Any], ...] = (
        {"image_height": 0},
        {"look_at": nowhere},
        {"image_height": "x"},
        {},
    )
    with ExitStack() as lines:
        opened = [lines.enter_context(open_line(server.get_port())) for _ in changes]
        for number, line in enumerate(opened, 1):
            send(line, CAMERA)
            until_fitted(views, number)
        first = [client.camera.update_timestamp for client in cameras().values()]
        for line, change in zip(opened, changes, strict=True):
            send(line, {**CAMERA, **change})
        wait_until(
            lambda: not set(first) & {c.camera.update_timestamp for c in cameras().values()},
            "the cameras",
        )
        points = np.array([[2.0, 2.0, 0.0], [3.0, 3.0, 1.0]])
        views.show(points)
        empty, *_, sound = cameras().values()
        for client in (empty, sound):
            np.testing.assert_allclose(
                client.camera.look_at, fitted_camera(points, 1.0).look_at, atol=1e-6
            )
        views._views[empty.client_id].time = 0.0  # the page has the camera, as it says
        views._on_camera(empty)


def labels(server, tree):
    model = DrawnRobot(server, "robot", tree, pytest.fail, print)
    return {label.name.split("/")[-2].partition(" ")[2]: label.text for label in model._labels}


def test_bodies_at_one_place_share_a_label(server):
    tree = load_robot("ur5")
    shown = labels(server, tree)
    assert shown["shoulder_link"] == "shoulder_link, upper_arm_link"
    assert shown["forearm_link"] == "forearm_link"
    named = [name for text in shown.values() for name in text.split(", ")]
    assert sorted(named) == sorted([tree.base_name, *tree.body_names])


def test_a_label_of_many_names_is_short(server):
    tree = load_robot("ur5")
    for number in range(4):
        tree.add_body(RigidBody(f"sensor_{number}"), "tool0")
    assert labels(server, tree)["wrist_3_link"] == "wrist_3_link, flange, tool0 +4"


BODIES = ("target", "obstacle", "goal", "path", "label", "visual 0", "a", "a/b", "a b")


def test_bodies_may_be_named_like_other_nodes(server):
    tree = RigidBodyTree("r", "base")
    for name in BODIES:
        tree.add_body(RigidBody(name), "base")
    for body in (tree.base, *tree.bodies):
        body.visuals.append(Visual(Box((0.1, 0.1, 0.1))))
    model = DrawnRobot(server, "robot", tree, pytest.fail, print)
    base = model.paths["base"]
    others = [TargetGizmo(server, base, print, name)._gizmo for name in ("target", "obstacle")]
    for name in ("goal", "path"):
        ghost = Ghost(server, base, name, tree, GOAL)
        ghost.show(np.zeros(0))
        copies = ghost._meshes.values()
        assert {mesh.name.rpartition("/")[0] for mesh in copies} == {f"/{base}/{name}"}
        others += copies
    assert not [node.name for node in (*model._bodies.values(), *others) if node._impl.removed]
    assert {model.paths[name].rpartition("/")[0] for name in BODIES} == {base}


def motion_panel(server, tree, report=print):
    tab = server.gui.add_tab_group().add_tab("Robot")
    return MotionPanel(server, tab, tree.compiled(), lambda call: call(), 0.0, report)


@pytest.fixture
def panel(server):
    return motion_panel(server, load_robot("ur5"))


def test_a_robot_without_joints_is_plotted_and_saved_with_its_name(server):
    panel = motion_panel(server, RigidBodyTree("arm%d", "base"))
    panel._plot.show()
    for now in (1.0, 2.0, 3.0):
        panel.update(now, now, np.zeros(0))
    client = Mock()
    panel._download(client, "CSV")
    name, data = client.send_file_download.call_args.args
    assert re.fullmatch(r"arm%d_\d{8}_\d{6}\.csv", name)
    assert data.split() == b"time 0 1 2".split()


def test_the_end_of_a_file_name_may_be_in_capitals(server):
    said = []
    panel = motion_panel(server, load_robot("ur5"), said.append)
    panel._load(SimpleNamespace(name="a.MCAP", content=b""))
    assert "not an MCAP file" in said[0]


def test_names_that_the_lists_have_already_are_listed_once(server):
    """Else the page would be empty."""
    joints = JointsPanel(server, load_robot("panda"), print, print)
    joints.show_semantics(Semantics({name: Group(name, ()) for name in ("all", joints_panel.ALL)}))
    obstacles = ObstaclesPanel(server.gui, ("hand",), Mock())
    obstacles.show(("none",), "none", None, (0.0, 0.0, 0.0), "")
    for options, named in ((joints._group.options, "all"), (obstacles._chosen.options, "none")):
        assert len(set(options)) == len(options) == 2
        assert named in options
    assert obstacles._remove.visible


@pytest.mark.parametrize("count", [1, 2, 6, 7, 26])
def test_each_joint_has_its_own_hue(count):
    parts = [[int(color[k : k + 2], 16) / 255 for k in (1, 3, 5)] for color in colors_of(count)]
    hues = sorted(colorsys.rgb_to_hls(*color)[0] for color in parts)
    assert np.diff([*hues, hues[0] + 1.0]).min() > 0.9 / count


def seen(panel, begin, end, first):
    """Let the panel see a robot whose joints all turn by 1 rad/s, every 0.1 s."""
    shown = None
    for k in range(round((end - begin) / 0.1) + 1):
        shown = panel.update(begin + 0.1 * k, begin + 0.1 * k, np.full(6, first + 0.1 * k))
    return shown


def test_each_recording_is_played_from_its_begin_to_its_end(panel):
    now = 0.0
    for first, lasts in ((0.0, 1.0), (5.0, 3.0)):
        panel.toggle_recording()
        assert seen(panel, now, now + lasts, first) is None
        panel.toggle_recording()
        now += lasts
        panel.toggle_playing()
        for after in np.arange(0.1, lasts + 0.05, 0.1):
            shown = panel.update(now + after, now + after, np.zeros(6))
            assert shown == pytest.approx(np.full(6, first + after), abs=0.101)
        assert shown == pytest.approx(np.full(6, first + lasts))
        now += lasts + 0.1
    panel.show_robot()
    assert panel.update(now, now, np.zeros(6)) is None


def test_a_slider_that_a_user_has_moved_does_not_follow_before_the_page_reports_it(server):
    moved = []
    panel = JointsPanel(server, load_robot("panda"), moved.append, print)
    slider = panel._sliders["panda_joint1"]
    panel.follow({"panda_joint1": 0.2})
    assert slider.handle.value == 0.2
    slider.handle._impl.value = 0.5  # viser sets it so, and calls back from a busy thread pool
    panel.follow({"panda_joint1": 0.25})
    panel._moved("panda_joint1", slider, by_user=True)
    assert moved == [{"panda_joint1": 0.5}]
    panel.follow({"panda_joint1": 0.3})
    assert slider.handle.value == 0.5
    slider.moved -= HELD
    panel.follow({"panda_joint1": 0.5})
    panel.follow({"panda_joint1": 0.6})
    assert slider.handle.value == 0.6
