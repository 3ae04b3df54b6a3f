"""What the page looks like on a desktop and on a phone: contrast, targets and Stop."""

import numpy as np
import pytest
from trajectory_msgs.msg import JointTrajectory

from harness.arm.trajectories import trajectory
from harness.page.projection import canvas, pixels
from harness.page.robot import BEGIN

PHONE = {"width": 390, "height": 844}
SHEET = '[style*="min-height: 3.5em"]'
# The contrast (WCAG 2) and letter spacing of every label and enabled button, by its text.
TEXTS = """() => {
  const numbers = (color) => color.match(/[\\d.]+/g).map(Number);
  const luminance = (color) => color.slice(0, 3)
    .map((part) => part / 255)
    .map((part) => part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)
    .reduce((sum, part, k) => sum + part * [0.2126, 0.7152, 0.0722][k], 0);
  const behind = (node) => {
    const color = node ? numbers(getComputedStyle(node).backgroundColor) : [255, 255, 255];
    return color.length < 4 || color[3] > 0.9 ? color : behind(node.parentElement);
  };
  return [...document.querySelectorAll("label[for], button:not(:disabled)")]
    .filter((node) => node.checkVisibility() && node.textContent.trim())
    .map((node) => {
      const style = getComputedStyle(node);
      const pair = [luminance(numbers(style.color)), luminance(behind(node))];
      const contrast = (Math.max(...pair) + 0.05) / (Math.min(...pair) + 0.05);
      return [node.textContent, contrast, style.letterSpacing];
    });
}"""
# Sizes (pixels) of what is tapped in the sheet.
TARGETS = f"""() => [...document.querySelectorAll('{SHEET} :is(button, label[for])')]
  .filter((node) => node.checkVisibility() && node.textContent.trim())
  .map((node) => [node.textContent, node.getBoundingClientRect().width,
                  node.getBoundingClientRect().height])"""

BOX = """(selector) => {
  const box = document.querySelector(selector)?.getBoundingClientRect();
  return box && [box.x, box.y, box.width, box.height];
}"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_labels_and_buttons_are_readable(page, scheme):
    browser = page.browser
    browser.emulate_media(color_scheme=scheme)
    browser.reload()
    browser.get_by_text("panda_joint7").wait_for()
    mode = "document.documentElement.dataset.mantineColorScheme"
    page.until(lambda: browser.evaluate(mode) == scheme, f"the {scheme} page")
    page.unfold("Scene")
    page.unfold("Show")
    assert not browser.get_by_label("Planning tree", exact=True).is_checked()
    browser.get_by_label("Drag a ghost").check()
    texts = browser.evaluate(TEXTS)
    assert len(texts) > 30
    assert [text for text in texts if text[1] < 4.5] == []
    assert {spacing for _, _, spacing in texts} == {"normal"}
    page.unfold("Scene")
    page.unfold("Show")
    browser.get_by_label("Drag a ghost").uncheck()
    browser.emulate_media(color_scheme="light")


@pytest.fixture
def phone(page):
    """The page on a phone, with the sheet folded."""
    page.browser.set_viewport_size(PHONE)
    page.until(lambda: sheet(page)[1] > 780, "the folded sheet")
    return page


def sheet(page):
    """Return the sheet's box: left, top, width and height (pixels)."""
    values = page.browser.evaluate(BOX, SHEET)
    return values or [0.0, 0.0, 0.0, 0.0]


def robot_is_seen(page):
    """Return whether the robot is in the scene, above the sheet."""
    left, top, width, height = canvas(page.browser)
    bodies = [page.tree.get_transform(BEGIN, name)[:3, 3] for name in page.tree.body_names]
    shown = pixels(page.browser, np.array(bodies)) - [left, top]
    inside = (shown > 0.0).all() and (shown < [width, height]).all()
    return inside and top + height <= sheet(page)[1] + 1.0


def test_on_a_phone_the_sheet_leaves_the_robot_visible_and_stop_stays(phone):
    browser = phone.browser
    stop = browser.locator("#stop")
    phone.until(lambda: robot_is_seen(phone), "the robot above the folded sheet")
    assert stop.is_visible()
    browser.get_by_text("panda", exact=True).locator("visible=true").first.click()
    phone.until(lambda: sheet(phone)[1] < 500, "the open sheet")
    phone.until(lambda: robot_is_seen(phone), "the robot above the open sheet")
    small = [target for target in browser.evaluate(TARGETS) if min(target[1:]) < 44.0]
    assert small == []
    # Scrolled to its end, the sheet has no Stop on the screen, but the page has.
    browser.get_by_text("panda_joint7").scroll_into_view_if_needed()
    assert stop.is_visible()
    goal = [1.0, *BEGIN[1:]]
    motion = trajectory(list(phone.tree.joint_names), (10.0, goal))
    phone.network.publisher(JointTrajectory, "joint_trajectory", 10).publish(motion)
    phone.until(lambda: phone.states[-1].position[0] - BEGIN[0] > 0.05, "the motion")
    stop.click()
    phone.until(lambda: max(np.abs(phone.states[-1].velocity)) < 1e-6, "the rest")
    at = phone.where()
    assert at[0] < 0.9
    browser.wait_for_timeout(500)
    np.testing.assert_allclose(phone.where(), at, atol=1e-3)
