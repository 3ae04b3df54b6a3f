"""The goal ghost, plans and Cartesian paths on the page of web_viewer, in a real browser."""

import re

import numpy as np
import pytest
from rigid_tree_interfaces.msg import SceneChange
from rigid_tree_interfaces.srv import UpdateScene
from std_msgs.msg import String

from harness.page.browser import WINDOW
from harness.page.robot import TIP
from harness.planner import box, change
from harness.probe import LATCHED

SIDE = [1.0, 0.3, 0.0, -1.8, 0.0, 2.1, 0.785]
COLORS = """(end) => Object.entries(window.__viserSceneTree.getState())
  .filter(([name, node]) => node && name.includes(end))
  .map(([name, node]) => [name, node.message.props.color])"""
NO_RINGS = """() => Object.entries(window.__viserSceneTree.getState())
  .find(([name, node]) => node && name.endsWith("/target"))
  [1].message.props.disable_rotations"""
PLANS = ("Plan", "Plan and execute")
RED = (224, 49, 49)
SRDF = """<robot name="panda">
<group name="wrist"><joint name="panda_joint4"/><joint name="panda_joint6"/></group>
<group_state name="reaching" group="wrist"><joint name="panda_joint4" value="-1.5"/></group_state>
</robot>"""


@pytest.fixture
def page(page):
    """The page with robot and goal at SIDE."""
    page.put(SIDE)
    page.browser.get_by_label("Drag a ghost").check()
    page.browser.get_by_role("button", name="Current", exact=True).click()
    until_goal(page, SIDE)
    return page


def until_goal(page, q):
    """Wait until the ghost's flange, by the panel's numbers, is where a configuration has it."""
    at = page.tree.get_transform(q, TIP)[:3, 3]
    fields = page.numbers("x, y, z (m)")

    def is_there():
        shown = [float(fields.nth(k).input_value()) for k in range(3)]
        return np.abs(shown - at).max() < 2e-3

    page.until(is_there, "the goal")


def red(page):
    """Return the names of red nodes."""
    nodes = page.browser.evaluate(COLORS, "/")
    return {name for name, color in nodes if color and tuple(color) == RED}


def test_the_ghost_is_set_by_numbers_and_the_path_is_played_then_executed(page):
    begin = page.tree.get_transform(page.where(), TIP)
    fields = page.numbers("x, y, z (m)")
    shown = [float(fields.nth(k).input_value()) for k in range(3)]
    np.testing.assert_allclose(shown, begin[:3, 3], atol=1e-3)
    height = round(begin[2, 3] + 0.1, 3)
    fields.nth(2).fill(str(height))
    page.browser.get_by_label("Cartesian path").check()
    page.browser.get_by_role("button", name="Plan", exact=True).click()
    page.until(lambda: page.browser.get_by_text("it takes").count(), "a plan")
    # The robot stays; the ghost of the path moves.
    np.testing.assert_allclose(page.where(), SIDE, atol=1e-3)
    page.until(lambda: page.browser.evaluate(COLORS, "/path/"), "the ghost of the path")
    page.browser.get_by_role("button", name="Execute", exact=True).click()
    page.until(lambda: page.browser.get_by_text("arrived after").count(), "the arrival")
    page.until(
        lambda: abs(page.tree.get_transform(page.where(), TIP)[2, 3] - height) < 2e-3, "the goal"
    )
    end = page.tree.get_transform(page.where(), TIP)
    np.testing.assert_allclose(end[:2, 3], begin[:2, 3], atol=2e-3)
    np.testing.assert_allclose(end[:3, :3], begin[:3, :3], atol=2e-3)
    page.browser.get_by_label("Cartesian path").uncheck()


def test_a_target_that_is_not_reached_is_not_planned_for(page):
    browser = page.browser
    fields = page.numbers("x, y, z (m)")
    buttons = [browser.get_by_role("button", name=n, exact=True) for n in PLANS]
    begin = page.where()
    before = fields.nth(0).input_value()
    fields.nth(0).fill("1.5")
    reason = browser.get_by_text("out of reach").locator("visible=true")
    page.until(lambda: reason.count() == 2, "the reason, also beside the buttons")
    page.until(lambda: all(button.is_disabled() for button in buttons), "disabled buttons")
    # A change of the scene checks the ghost again, which is still not at the target.
    changes = [box("post", (0.05, 0.05, 0.05), (-0.5, 0.0, 0.1))]
    assert page.network.call(UpdateScene, "update_scene", changes=changes).success
    removal = [change(SceneChange.REMOVE, "post")]
    assert page.network.call(UpdateScene, "update_scene", changes=removal).success
    browser.wait_for_timeout(500)
    assert all(button.is_disabled() for button in buttons)
    assert float(fields.nth(0).input_value()) == 1.5
    np.testing.assert_allclose(page.where(), begin, atol=1e-3)
    fields.nth(0).fill(before)
    page.until(lambda: not any(button.is_disabled() for button in buttons), "enabled buttons")
    # A plan is executed only with the goal and the options that are shown.
    execute = browser.get_by_role("button", name="Execute", exact=True)
    fields.nth(2).fill(str(round(float(fields.nth(2).input_value()) + 0.05, 3)))
    browser.get_by_role("button", name="Plan", exact=True).click()
    page.until(lambda: not execute.is_disabled(), "a plan")
    page.choose("Velocity", "50 %")
    page.until(execute.is_disabled, "no plan")
    page.choose("Velocity", "default")
    browser.get_by_label("Drag a ghost").uncheck()
    page.until(lambda: browser.get_by_text("no goal: drag").count(), "the reason without a goal")
    assert all(button.is_disabled() for button in buttons)
    np.testing.assert_allclose(page.where(), begin, atol=1e-3)


def test_collisions_of_the_goal_are_red_on_both_sides(page):
    page.until(lambda: not red(page), "a free goal")
    fields = page.numbers("x, y, z (m)")
    for k, value in enumerate((0.45, 0.18, 0.5)):  # in the left pillar
        fields.nth(k).fill(str(value))
    words = page.browser.get_by_text("goal in collision")
    words = words.first
    page.until(lambda: words.count() and "left_pillar" in words.inner_text(), "the collision")
    first = re.search(r"'(panda_link\d)' and 'left_pillar'", words.inner_text())[1]
    page.until(lambda: any("left_pillar" in name for name in red(page)), "a red pillar")
    assert any(re.search(rf"/goal/\d+ {first}$", name) for name in red(page))
    page.browser.get_by_role("button", name="Current", exact=True).click()
    page.until(lambda: not red(page), "nothing in collision")


def test_the_ghost_avoids_collisions_from_either_side(page):
    """The nearest solutions are in collision with the right pillar."""
    fields, place = page.numbers("x, y, z (m)"), (0.5, -0.35, 0.45)
    for side in (SIDE, [-SIDE[0], *SIDE[1:]]):
        page.put(side)
        page.browser.get_by_role("button", name="Current", exact=True).click()
        until_goal(page, side)
        for k, value in enumerate(place):
            fields.nth(k).fill(str(value))
        page.browser.get_by_role("button", name="Plan and execute", exact=True).click()
        page.until(
            lambda: np.allclose(
                page.tree.get_transform(page.where(), TIP)[:3, 3], place, atol=2e-3
            ),
            "the pose",
        )
        page.until(lambda: page.browser.get_by_text("arrived after").count(), "the arrival")


@pytest.mark.parametrize("by_key", [True, False])
def test_a_stopped_motion_is_no_failure(page, by_key):
    browser, goal = page.browser, [-SIDE[0], *SIDE[1:]]
    page.put(goal)
    browser.get_by_role("button", name="Current", exact=True).click()
    until_goal(page, goal)
    page.put(SIDE)
    page.choose("Velocity", "10 %")
    browser.get_by_role("button", name="Plan and execute", exact=True).click()
    page.until(lambda: abs(page.states[-1].position[0] - SIDE[0]) > 0.05, "the motion")
    if by_key:
        browser.evaluate("document.activeElement.blur()")
        browser.keyboard.press("Escape")
    else:
        browser.get_by_role("button", name="Stop", exact=True).click()
    words = browser.get_by_text("stopped", exact=True).locator("visible=true")
    page.until(words.count, "the word")
    page.until(lambda: max(np.abs(page.states[-1].velocity)) < 1e-6, "the rest")
    at = page.where()
    assert np.abs(at - goal).max() > 0.2
    browser.wait_for_timeout(500)
    assert words.count()
    assert browser.get_by_text("another trajectory").count() == 0
    np.testing.assert_allclose(page.where(), at, atol=1e-3)
    page.choose("Velocity", "default")


IS_ON_TOP = """notice => {
  const {x, y, width, height} = notice.getBoundingClientRect();
  return notice.contains(document.elementFromPoint(x + width / 2, y + height / 2));
}"""


def see_failed_plan(page, is_phone):
    """Plan a line through a post, and see the notice; on a desktop its end too."""
    browser = page.browser
    plan = browser.get_by_role("button", name="Plan", exact=True)
    if is_phone:
        sheet = browser.get_by_text("panda", exact=True).locator("visible=true").first

        def opened():
            """Click the sheet, and give it time: another click would close it again."""
            if not plan.is_visible():
                sheet.click()
            for _ in range(30):
                browser.wait_for_timeout(100)
                if plan.is_visible():
                    return True
            return False

        page.until(opened, "the sheet")
    browser.get_by_label("Cartesian path").check()
    plan.scroll_into_view_if_needed()
    plan.click()
    notice = browser.locator(".mantine-Notification-root", has_text="post")
    page.until(lambda: notice.count() == 1 and notice.evaluate(IS_ON_TOP), "it")
    browser.get_by_label("Cartesian path").uncheck()
    if not is_phone:
        page.until(lambda: not notice.count(), "its end")


def test_a_failed_plan_is_seen_wherever_one_has_scrolled(page):
    """On a desktop, and on a phone with the sheet open."""
    page.put([-SIDE[0], *SIDE[1:]])
    page.browser.get_by_role("button", name="Current", exact=True).click()
    until_goal(page, [-SIDE[0], *SIDE[1:]])
    page.put(SIDE)
    ends = [page.tree.get_transform([a, *SIDE[1:]], TIP)[:3, 3] for a in (SIDE[0], -SIDE[0])]
    changes = [box("post", (0.1, 0.1, 0.1), np.mean(ends, axis=0))]
    assert page.network.call(UpdateScene, "update_scene", changes=changes).success
    see_failed_plan(page, is_phone=False)
    page.browser.set_viewport_size({"width": 390, "height": 844})
    see_failed_plan(page, is_phone=True)
    removal = [change(SceneChange.REMOVE, "post")]
    assert page.network.call(UpdateScene, "update_scene", changes=removal).success
    page.browser.set_viewport_size(WINDOW)


def test_the_target_keeps_its_orientation_or_aims_at_a_point(page):
    browser, point = page.browser, np.array([0.6, 0.0, 0.1])
    hold, aim = browser.get_by_label("Hold orientation"), browser.get_by_label("Aim at")

    def has_rings():
        return not browser.evaluate(NO_RINGS)

    assert has_rings()
    hold.check()
    page.until(lambda: not has_rings(), "no rings")
    hold.uncheck()
    page.until(has_rings, "the rings")
    aim.check()
    for k, value in enumerate(point):
        page.numbers("Point (m)").nth(k).fill(str(value))

    def sine():
        """Return the sine between the flange's axis and the way to the point."""
        T = page.tree.get_transform(page.where(), TIP)
        direction = point - T[:3, 3]
        return np.linalg.norm(np.cross(T[:3, 2], direction)) / np.linalg.norm(direction)

    assert sine() > 0.1
    browser.get_by_role("button", name="Plan and execute").click()
    page.until(lambda: browser.get_by_text("arrived after").count(), "the arrival")
    page.until(lambda: sine() < 2e-3, "the axis at the point")
    aim.uncheck()
    page.until(has_rings, "the rings")


def test_states_and_groups_of_an_srdf_are_offered(page):
    browser = page.browser
    publisher = page.network.publisher(String, "robot_description_semantic", LATCHED)
    publisher.publish(String(data=SRDF))
    buttons = browser.get_by_role("button", name="reaching", exact=True)
    page.until(lambda: buttons.count() == 2, "the state")
    goal, go = buttons.all()
    goal.click()
    until_goal(page, [*SIDE[:3], -1.5, *SIDE[4:]])
    page.choose("Start", "reaching")
    browser.get_by_role("button", name="Current", exact=True).click()
    browser.get_by_role("button", name="Plan", exact=True).click()
    page.until(lambda: browser.get_by_text("it takes").count(), "a plan")
    browser.get_by_role("button", name="Execute", exact=True).click()
    page.until(lambda: browser.get_by_text("not at the start").count(), "a rejection")
    sliders = browser.locator("label:visible", has_text="panda_joint")
    page.choose("Group", "wrist")
    page.until(lambda: sliders.count() == 2, "the sliders of a group")
    page.choose("Group", "all joints")
    page.until(lambda: sliders.count() == 7, "all sliders")
    go.click()
    page.until(lambda: abs(page.where()[3] + 1.5) < 1e-3, "the state")
    page.until(lambda: browser.get_by_text("arrived after").count(), "the arrival")
    # Now at the start of the plan. Its end stops the ghost, for which other tests would wait.
    browser.get_by_role("button", name="Execute", exact=True).click()
    page.until(lambda: np.abs(page.where() - SIDE).max() < 1e-3, "the goal")
    page.until(lambda: browser.get_by_text("arrived after").count(), "the arrival")
    page.choose("Start", "Current")


def test_a_random_goal_is_free(page):
    page.browser.get_by_role("button", name="Random", exact=True).first.click()
    page.until(lambda: page.browser.get_by_text("goal is free").count(), "a free goal")
    assert page.errors == []
    assert "internal error" not in page.viewer.output
