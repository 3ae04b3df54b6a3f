"""A robot with two arms on the page of web_viewer: both tips are dragged, and planned for."""

import numpy as np
import pytest

from harness.example_robots import SIDES, two_arms
from harness.page.robot import Page
from rigid_tree_kinematics.description import write_urdf
from rigid_tree_web.drawn.target import SIZE

ARM = [0.0, -0.785, 0.0, -2.356, 0.0, 1.571, 0.785]


class TwoArms(Page):
    """The page of two Pandas on one base."""

    begin = ARM + ARM

    def start_planner(self):
        self.network.start("ik_server", {"robot": self.robot})
        self.network.start("rrt_planner", {"robot": self.robot})

    def wait_for_controls(self):
        self.until(self.browser.get_by_label("Drag a ghost").count, "the planner")

    def drag_up(self, at, by):
        """Drag a gizmo at a pose (4x4) up along its downward z axis, by a distance (m)."""
        down = at[:3, 2]
        tip = at[:3, 3] + 0.9 * SIZE * down
        mouse = self.browser.mouse
        self.still()
        grip, ahead = self.pixel(tip), self.pixel(tip - by * down)
        mouse.move(*grip)
        self.browser.wait_for_timeout(500)
        mouse.down()
        for part in np.linspace(0.1, 1.0, 10):
            mouse.move(*(grip + part * (ahead - grip)))
            self.browser.wait_for_timeout(100)
        mouse.up()


@pytest.fixture
def page(browser, network, tmp_path):
    path = tmp_path / "two_arms.urdf"
    path.write_text(write_urdf(two_arms()))
    TwoArms.robot = str(path)
    made = TwoArms(browser, network)
    yield made
    made.browser.close()


def test_both_tips_are_dragged_then_planned_for(page):
    browser = page.browser
    page.show_target("Drag a ghost")
    body = browser.get_by_label("Body", exact=True)
    begin = {side: page.tree.get_transform(page.where(), f"{side}_link8") for side in SIDES}
    for side in reversed(SIDES):
        page.drag_up(begin[side], 0.12)
        page.until(lambda side=side: body.input_value() == f"{side}_link8", "the dragged body")
    plan = browser.get_by_role("button", name="Plan and execute", exact=True)
    page.until(lambda: not plan.is_disabled(), "a goal")
    np.testing.assert_allclose(page.where(), page.begin, atol=2e-3)
    plan.click()
    page.until(lambda: browser.get_by_text("arrived after").count(), "the arrival")
    q = page.where()
    for side, T in begin.items():
        shift = page.tree.get_transform(q, f"{side}_link8")[:3, 3] - T[:3, 3]
        assert shift[2] > 0.05
        assert np.abs(shift[:2]).max() < 5e-3
    assert page.errors == []
    assert "internal error" not in page.viewer.output
