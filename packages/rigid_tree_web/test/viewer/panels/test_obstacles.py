"""Obstacles on the page of web_viewer, in a real browser: edited, dragged, saved and dropped."""

import re

import numpy as np
import pytest
from rigid_tree_interfaces.msg import Scene, SceneChange
from rigid_tree_interfaces.srv import UpdateScene

from harness.page.robot import Page
from harness.planner import box, change
from harness.probe import LATCHED
from rigid_tree_kinematics.collision import read_moveit_scene
from rigid_tree_web.drawn.target import SIZE
from rigid_tree_web.panels import NONE

DROP = """([name, text]) => {
  const data = new DataTransfer();
  data.items.add(new File([text], name));
  document.body.dispatchEvent(new DragEvent("drop", {dataTransfer: data, bubbles: true}));
}"""
BALL = "obstacles: {ball: {at: 'Translation(0.2, 0.6, 0.8)', shapes: [{sphere: 0.05}]}}"
LONG = 0.3  # m


class Scenes:
    """The page, and the planner's last scene."""

    def __init__(self, page):
        self.page = page
        self.received = page.network.record(Scene, "scene", LATCHED)

    def obstacle(self, name):
        return (
            {o.name: o for o in self.received[-1].obstacles}.get(name) if self.received else None
        )

    def until(self, condition, what):
        return self.page.until(condition, what)

    def fields(self, label):
        row = f"xpath=//label[normalize-space()='{label}']/ancestor::*[.//input]"
        return self.page.browser.locator(row).last.locator("input:visible")

    def position(self, name):
        at = self.obstacle(name).pose.position
        return np.array([at.x, at.y, at.z])


@pytest.fixture(scope="module")
def scenes(browser, shared_network):
    page = Page(browser, shared_network)
    # Notices would cover what is clicked in the scene.
    page.browser.add_style_tag(content=".mantine-Notifications-root { display: none; }")
    made = Scenes(page)
    folder = page.browser.get_by_text("Scene", exact=True).locator("visible=true")
    made.until(folder.count, "the folder")
    folder.first.click()
    yield made
    page.browser.close()


@pytest.fixture(autouse=True)
def restored(scenes):
    """A table, a box, which is chosen, and one with the name of no choice."""
    changes = [change(SceneChange.CLEAR, ""), box("table", (1.0, 1.0, 0.1), (0.8, 0.0, 0.1))]
    changes.append(box("box_9", (0.1, 0.1, LONG), (0.5, 0.0, 0.5)))
    changes.append(box(NONE, (0.1, 0.1, 0.1), (-0.6, 0.0, 0.1)))
    assert scenes.page.network.call(UpdateScene, "update_scene", changes=changes).success
    scenes.until(lambda: scenes.obstacle("box_9"), "the box")
    edit = scenes.page.browser.get_by_label("Edit", exact=True)
    option = scenes.page.browser.get_by_role("option", name="box_9", exact=True)

    def chosen():
        """Choose the box once the page offers it."""
        if edit.input_value() == "box_9":  # perhaps still the one before CLEAR
            return scenes.fields("Size (m)").count() == 3
        if (shown := option.locator("visible=true")).count():
            shown.first.click()
        else:
            edit.click()
        scenes.page.browser.wait_for_timeout(500)
        return False

    scenes.until(chosen, "the box and its size")


def test_a_box_is_added_resized_and_placed_by_numbers(scenes):
    scenes.page.browser.get_by_role("button", name="Box", exact=True).click()
    scenes.until(lambda: scenes.obstacle("box_1"), "another box")
    fields = scenes.fields("Size (m)")
    scenes.until(lambda: float(fields.nth(2).input_value()) == 0.1, "its size")
    assert [float(fields.nth(k).input_value()) for k in range(3)] == [0.1, 0.1, 0.1]
    fields.nth(2).fill(str(LONG))
    scenes.until(
        lambda: list(scenes.obstacle("box_1").primitives[0].dimensions) == [0.1, 0.1, LONG],
        "another size",
    )
    scenes.fields("At x, y, z (m)").nth(2).fill("0.4")
    scenes.until(lambda: abs(scenes.position("box_1")[2] - 0.4) < 1e-6, "another place")


def test_a_box_is_dragged(scenes):
    page, begin = scenes.page, scenes.position("box_9")
    up = np.array([0.0, 0.0, 1.0])
    tip = begin + 0.9 * SIZE * up
    grip, ahead = page.pixel(tip), page.pixel(tip + 0.1 * up)
    mouse = page.browser.mouse
    page.still()
    mouse.move(*grip)
    page.browser.wait_for_timeout(500)
    mouse.down()
    for part in np.linspace(0.0, 1.0, 6)[1:]:
        mouse.move(*(grip + part * (ahead - grip)))
        page.browser.wait_for_timeout(150)
    mouse.up()
    scenes.until(lambda: scenes.position("box_9")[2] > begin[2] + 0.05, "the drag")
    np.testing.assert_allclose(scenes.position("box_9")[:2], begin[:2], atol=1e-3)


def test_a_saved_scene_is_that_of_the_planner(scenes):
    with scenes.page.browser.expect_download() as download:
        scenes.page.browser.get_by_role("button", name="Save scene").click()
    saved = {o.name: o for o in read_moveit_scene(download.value.path().read_text())}
    assert set(saved) == {o.name for o in scenes.received[-1].obstacles}
    assert saved["box_9"].shapes[0].shape.size == (0.1, 0.1, LONG)
    np.testing.assert_allclose(saved["box_9"].pose[:3, 3], scenes.position("box_9"), atol=1e-6)


def test_an_obstacle_is_removed(scenes):
    scenes.page.browser.get_by_role("button", name="Remove", exact=True).click()
    scenes.until(lambda: not scenes.obstacle("box_9"), "no box")
    assert scenes.obstacle("table")


def test_a_dropped_file_replaces_the_scene_and_bad_ones_do_not(scenes):
    browser = scenes.page.browser
    bad = {
        "a.yaml": "obstacles: {ball: {shapes: [{sphere: x}]}}",
        "b.yaml": "obstacles: {m: {shapes: [{mesh: /etc/passwd}]}}",
        "c.scene": "nothing",
    }
    for name, text in bad.items():
        browser.evaluate(DROP, [name, text])
        words = browser.get_by_text(re.compile(f"not a scene: .*{re.escape(name)}"))
        scenes.until(words.count, f"a rejection of {name}")
    assert scenes.obstacle("table")
    browser.evaluate(DROP, ["ball.yaml", BALL])
    scenes.until(lambda: scenes.obstacle("ball"), "the ball")
    assert [o.name for o in scenes.received[-1].obstacles] == ["ball"]
    np.testing.assert_allclose(scenes.position("ball"), [0.2, 0.6, 0.8])
    # It is clicked, and chosen.
    scenes.page.still()
    browser.mouse.click(*scenes.page.pixel([0.2, 0.6, 0.8]))
    scenes.until(lambda: scenes.fields("Size (m)").count() == 3, "its size")
    assert scenes.page.errors == []
    assert "internal error" not in scenes.page.viewer.output
