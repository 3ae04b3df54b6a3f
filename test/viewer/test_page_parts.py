"""Parts of the page: the document, body labels, and playback of recordings."""

import gzip
import re
import sys
import threading
from contextlib import ExitStack
from urllib.parse import unquote
from xml.etree import ElementTree

import numpy as np
import pytest

from harness.page.client import get, open_line, received
from rigid_tree_kinematics import RigidBody, load_robot
from rigid_tree_kinematics.viewer.drawn.robot_model import RobotModel
from rigid_tree_kinematics.viewer.panels.joints_panel import HELD, JointsPanel
from rigid_tree_kinematics.viewer.panels.motion_panel import MotionPanel
from rigid_tree_kinematics.viewer.web.document import with_additions
from rigid_tree_kinematics.viewer.web.guard import Guard
from rigid_tree_kinematics.viewer.web.page import PageTitle, close_page, open_page

pytest.importorskip("viser")


@pytest.fixture
def server():
    made = open_page("127.0.0.1", 0, Guard.of("127.0.0.1"), print)
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


def labels(server, tree):
    model = RobotModel(server, "robot", tree, pytest.fail, print)
    return {label.name.split("/")[-2]: label.text for label in model._labels}


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


@pytest.fixture
def panel(server):
    tab = server.gui.add_tab_group().add_tab("Robot")
    compiled = load_robot("ur5").compiled()
    return MotionPanel(server, tab, compiled, lambda call: call(), 0.0, print)


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
    panel = JointsPanel(server, load_robot("panda"), moved.append)
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
