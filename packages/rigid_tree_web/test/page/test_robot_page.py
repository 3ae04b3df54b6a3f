"""A robot on the page without ROS: its target, collisions, motions, and frames of notebooks."""

import functools
import http.server
import threading

import numpy as np
import pytest

from harness.page.browser import WINDOW, opened_browser
from harness.page.client import get
from harness.processes import wait_until
from rigid_tree_kinematics import RigidBodyTree, load_robot
from rigid_tree_kinematics.collision import load_scene
from rigid_tree_kinematics.errors import ConfigurationError
from rigid_tree_kinematics.planning import MotionPlanner
from rigid_tree_web import view

pytest.importorskip("viser")

TIP = "panda_link8"
SIDE = [1.0, 0.3, 0.0, -1.8, 0.0, 2.1, 0.785]
IN_PILLAR = [0.38, 0.3, 0.0, -1.8, 0.0, 2.1, 0.785]
COLORS = """() => Object.entries(window.__viserSceneTree.getState())
  .filter(([name, node]) => node && name.includes("/obstacle "))
  .map(([name, node]) => [name.split("/").pop(), node.message.props.color])"""

browser = pytest.fixture(scope="module", name="browser")(opened_browser)


@pytest.fixture(scope="module")
def panda():
    return load_robot("panda")


@pytest.fixture
def robot_page(panda):
    """A Panda at SIDE, between the pillars."""
    made = view(panda, load_scene("panda_pillars"), SIDE)
    yield made
    made.close()


@pytest.fixture
def opened(robot_page, browser):
    """The same, and its page in a browser."""
    page = browser.new_page(viewport=WINDOW)
    page.goto(robot_page.address)
    page.get_by_text("panda_joint7").wait_for()
    yield robot_page, page
    page.close()


def until_at(robot_page, panda, position):
    def is_there():
        at = panda.get_transform(robot_page.configuration, TIP)[:3, 3]
        return np.abs(at - position).max() < 1e-3

    wait_until(is_there, f"the flange at {position}")


def fields(page, label):
    """Return the fields beside a label."""
    row = f"//label[normalize-space()='{label}']/ancestor::*[.//input][1]"
    return page.locator(f"xpath={row}").locator("input:visible")


def test_a_typed_target_is_reached_or_the_page_says_why_not(opened, panda):
    robot_page, page = opened
    at = panda.get_transform(SIDE, TIP)[:3, 3].round(3)
    x = fields(page, "x, y, z (m)").first
    wait_until(lambda: float(x.input_value()) == pytest.approx(at[0]), "the flange's x")
    x.fill(f"{at[0] - 0.05:.3f}")
    until_at(robot_page, panda, at - [0.05, 0.0, 0.0])
    x.fill("3")
    page.get_by_text("the stretched chain reaches").wait_for()
    until_at(robot_page, panda, at - [0.05, 0.0, 0.0])
    wait_until(lambda: float(x.input_value()) < 1.0, "the old x")


def test_obstacles_in_collision_are_red_and_named(opened):
    robot_page, page = opened
    robot_page.show(IN_PILLAR)
    page.get_by_text("'panda_link6' touches 'left_pillar'").wait_for()
    red = {name for name, color in page.evaluate(COLORS) if tuple(color) == (224, 49, 49)}
    assert red == {"obstacle 1 left_pillar 0"}
    robot_page.show(SIDE)
    page.get_by_text("in collision").wait_for(state="hidden")
    assert len({tuple(color) for _, color in page.evaluate(COLORS)}) == 1


def test_a_plan_is_played_to_its_end(opened, panda):
    robot_page, page = opened
    goal = [-1.0, *SIDE[1:]]
    planner = MotionPlanner(panda)
    robot_page.play(planner.plan(SIDE, goal).trajectory)
    slider = fields(page, "panda_joint1").first
    wait_until(
        lambda: float(slider.input_value()) == -1.0,
        "the end of the motion",
    )
    np.testing.assert_allclose(robot_page.configuration, goal, atol=1e-6)
    page.get_by_role("button", name="Home", exact=True).click()
    wait_until(
        lambda: np.allclose(robot_page.configuration, panda.home_configuration()), "the home"
    )


def test_arms_with_few_joints_have_targets_of_positions(browser):
    arm = load_robot("planar_two_link")
    shown = view(arm, configuration=[0.3, 0.5])
    page = browser.new_page(viewport=WINDOW)
    page.goto(shown.address)
    page.get_by_label("Position only").wait_for()
    assert page.get_by_label("Position only").is_checked()
    page.close()
    shown.close()


def test_a_robot_without_joints_is_shown():
    shown = view(RigidBodyTree("stone", "base"))
    shown.show([])
    assert shown.configuration.shape == (0,)
    shown.close()


def test_invalid_motions_and_configurations_are_rejected(robot_page):
    with pytest.raises(ConfigurationError, match=r"\(N, 7\)"):
        robot_page.play([[0.0, 1.0]])
    with pytest.raises(ConfigurationError):
        robot_page.show([0.0])


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


def test_a_notebook_shows_the_page_in_a_frame(robot_page, browser, tmp_path):
    (tmp_path / "notebook.html").write_text(robot_page._repr_html_())
    handler = functools.partial(_Quiet, directory=tmp_path)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as notebook:
        threading.Thread(target=notebook.serve_forever, daemon=True).start()
        page = browser.new_page(viewport=WINDOW)
        page.goto(f"http://localhost:{notebook.server_port}/notebook.html")
        page.frame_locator("iframe").get_by_text("panda_joint7").wait_for()
        page.close()
        notebook.shutdown()


def test_only_frames_of_this_machine_show_the_page(robot_page):
    port = int(robot_page.address.rpartition(":")[2])
    sent = {"Sec_Fetch_Site": "cross-site", "Sec_Fetch_Mode": "navigate"}
    status, headers, _ = get(port, Sec_Fetch_Dest="iframe", **sent)
    assert status == 200
    policy = headers["Content-Security-Policy"]
    assert policy.endswith("frame-ancestors http://localhost:* http://127.0.0.1:*")
    assert get(port, Sec_Fetch_Dest="object", **sent)[0] == 403
