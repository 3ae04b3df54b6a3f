"""The page of web_viewer with MoveIt's interface: target, plans and scene through move_group."""

import numpy as np
import pytest
from rigid_tree_interfaces.msg import Scene

from harness.page.robot import TIP, Page
from harness.probe import LATCHED
from rigid_tree_kinematics.description.robots import bundled_folder

pytest.importorskip("moveit_msgs")
pytest.importorskip("rigid_tree_moveit")

READY = [0.0, -0.785, 0.0, -2.356, 0.0, 1.571, 0.785, 0.02]
NODE_AT = """(end) => Object.values(Object.entries(window.__viserMutable.nodeRefFromName)
  .find(([name, node]) => node && name.endsWith(end))[1].position)"""


class MoveItPage(Page):
    """The page of a Panda with its hand, with move_group only."""

    robot, begin = "panda_hand", READY

    def start_planner(self):
        srdf = str(bundled_folder("robots") / "panda_hand.srdf")
        self.network.start("move_group", {"robot": self.robot, "srdf": srdf})

    def tip(self, q=None):
        return self.tree.get_transform(self.where() if q is None else q, TIP)

    def button(self, name):
        return self.browser.get_by_role("button", name=name, exact=True)

    def node_at(self, end):
        """Return the position of the node of the scene whose name ends so (m)."""
        return np.array(self.browser.evaluate(NODE_AT, end))

    def type_position(self, *values):
        """Type the target's position (m)."""
        fields = self.numbers("x, y, z (m)")
        for number, value in enumerate(values):
            fields.nth(number).fill(f"{value:.3f}")


@pytest.fixture(scope="module")
def shared(browser, shared_network):
    page = MoveItPage(browser, shared_network)
    page.until(page.browser.get_by_label("Drag a ghost").count, "the planner")
    yield page
    page.browser.close()


@pytest.fixture
def page(shared):
    shared.browser.get_by_label("Drag a ghost").uncheck()
    shared.put(READY)
    return shared


def test_the_target_is_at_the_tip_of_the_group_and_the_robot_follows_it(page):
    assert page.browser.get_by_label("Body", exact=True).input_value() == TIP
    page.browser.get_by_label("Drag a target").check()
    begin = page.tip()
    page.type_position(*begin[:2, 3], begin[2, 3] + 0.06)
    page.until(lambda: abs(page.tip()[2, 3] - begin[2, 3] - 0.06) < 2e-3, "6 cm up")
    np.testing.assert_allclose(page.tip()[:3, :3], begin[:3, :3], atol=2e-3)
    page.browser.get_by_label("Drag a target").uncheck()


def test_a_plan_is_scrubbed_then_executed(page):
    page.browser.get_by_label("Drag a ghost").check()
    place = [0.35, -0.35, 0.5]
    page.type_position(*place)
    plan = page.button("Plan")
    page.until(lambda: not plan.is_disabled(), "a goal")
    plan.click()
    page.until(lambda: page.browser.get_by_text("it takes").count(), "a plan")
    time = page.slider("Path (s)")
    end = float(time.get_attribute("max") or 0) or 9.0
    # Scrubbed to its end, the ghost of the path is at the goal, and stays there.
    time.fill(str(end))
    time.press("Enter")
    play = page.browser.get_by_label("Play the path")
    page.until(lambda: not play.is_checked(), "no playing")
    goal = page.node_at("goal/7 panda_link7")

    def is_at_goal():
        return np.allclose(page.node_at("path/7 panda_link7"), goal, atol=2e-3)

    page.until(is_at_goal, "the end of the path")
    page.browser.wait_for_timeout(1000)
    assert is_at_goal()
    np.testing.assert_allclose(page.where(), READY, atol=2e-3)
    page.button("Execute").click()
    page.until(lambda: np.allclose(page.tip()[:3, 3], place, atol=2e-3), "the pose")
    page.until(lambda: page.browser.get_by_text("arrived after").count(), "the arrival")
    assert not page.browser.get_by_label("Play the path").locator("visible=true").count()


def test_a_path_keeps_the_z_axis(page):
    page.browser.get_by_label("Drag a ghost").check()
    place = [0.3, 0.45, 0.55]
    page.type_position(*place)
    page.choose("Keep", "z axis")
    both = page.button("Plan and execute")
    page.until(lambda: not both.is_disabled(), "a goal")
    page.states.clear()
    both.click()
    page.until(lambda: np.allclose(page.tip()[:3, 3], place, atol=2e-3), "the pose")
    down = [page.tip(page.positions(state))[2, 2] for state in page.states]
    assert np.max(down) < -np.cos(0.12)  # the flange points down all the way
    page.choose("Keep", "nothing")


def test_a_box_is_added_attached_carried_and_detached(page):
    scenes = page.network.record(Scene, "scene", LATCHED)
    page.unfold("Scene")
    page.button("Box").click()
    page.until(lambda: scenes and scenes[-1].obstacles, "the box")
    begin = scenes[-1].obstacles[0].pose.position
    page.choose("Attached to", "panda_hand")
    page.until(lambda: scenes[-1].attached, "the attached box")
    (held,) = scenes[-1].attached
    assert (held.obstacle.name, held.link) == ("box_1", "panda_hand")
    assert set(held.touch_links) >= {"panda_hand", "panda_leftfinger", "panda_rightfinger"}
    assert not scenes[-1].obstacles
    field = page.slider("panda_joint1")
    field.fill("0.5")
    field.press("Enter")
    page.until(lambda: abs(page.where()[0] - 0.5) < 2e-3, "the motion")
    page.choose("Attached to", "(nothing)")
    page.until(lambda: scenes[-1].obstacles, "the detached box")
    end = scenes[-1].obstacles[0].pose.position
    # It has turned with the first joint.
    turned = [np.cos(0.5) * begin.x - np.sin(0.5) * begin.y]
    turned += [np.sin(0.5) * begin.x + np.cos(0.5) * begin.y, begin.z]
    np.testing.assert_allclose([end.x, end.y, end.z], turned, atol=5e-3)
    page.button("Remove").click()
    page.until(lambda: not scenes[-1].obstacles, "no box")
    page.unfold("Scene")
    assert page.errors == []
    assert "internal error" not in page.viewer.output
