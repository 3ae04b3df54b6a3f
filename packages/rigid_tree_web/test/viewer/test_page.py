"""The page of web_viewer in a real browser: it shows the robot, and moves it."""

import re

import numpy as np
import pytest
from matplotlib import pyplot as plt
from nav_msgs.msg import OccupancyGrid
from rclpy.qos import qos_profile_sensor_data
from rigid_tree_interfaces.msg import SceneChange
from rigid_tree_interfaces.srv import CheckState, UpdateScene
from sensor_msgs.msg import JointState, PointCloud2

from harness.page.projection import canvas, pixels
from harness.page.robot import BEGIN, TIP
from harness.planner import box, change
from harness.probe import LATCHED
from rigid_tree_kinematics.model.transforms import inverse, rotation_log
from rigid_tree_kinematics.nodes.scene import cloud_message
from rigid_tree_web.drawn.target import SIZE
from rigid_tree_web.web import box_corners


def test_it_loads_without_errors_and_shows_the_robot(page):
    def orange():
        """Return how many pixels are like the Panda's joints."""
        scene = page.scene()
        return ((scene[..., 0] > 0.6) & (scene[..., 2] < 0.35)).sum()

    page.until(lambda: orange() > 500, "the robot")
    assert page.errors == []
    status = page.browser.get_by_text("joint states")
    page.until(lambda: re.search(r"joint states (9|10)\d Hz", status.inner_text()), "their rate")

    # Robot, pillars and table (1 m by 1.6 m) fill the view beside the panel.
    table = box_corners(np.array([[0.15, -0.8, 0.15], [1.15, 0.8, 0.2]]))
    pillars = box_corners(np.array([[0.4, -0.23, 0.2], [0.5, 0.23, 0.8]]))
    bodies = [page.tree.get_transform(BEGIN, name)[:3, 3] for name in page.tree.body_names]
    points = np.concatenate((table, pillars, bodies))
    left, top, width, height = canvas(page.browser)
    page.browser.get_by_role("button", name="Fit", exact=True).click()

    def is_fitted():
        shown = pixels(page.browser, points) - [left, top]
        inside = (shown > 0.0).all() and (shown < [width, height]).all()
        return inside and (np.ptp(shown, axis=0) / [width, height]).max() > 0.8

    page.until(is_fitted, "the view")
    assert page.browser.title() == "panda"
    # Boxes beside sliders show their whole numbers.
    boxes = page.browser.locator("input[inputmode=decimal]:visible")
    assert boxes.count() >= 7
    assert boxes.evaluate_all("all => all.every(box => box.scrollWidth <= box.clientWidth)")


def test_degrees_and_buttons(page):
    page.choose("Angles", "deg")
    field = page.slider("panda_joint1")
    page.until(lambda: float(field.input_value()) == round(np.degrees(BEGIN[0]), 1), "degrees")
    assert page.browser.get_by_label("Angles", exact=True).input_value() == "deg"
    field.fill("30")
    field.press("Enter")
    page.until(lambda: abs(page.states[-1].position[0] - np.radians(30.0)) < 0.01, "the arrival")
    page.choose("Angles", "rad")
    page.until(lambda: float(field.input_value()) == 0.524, "radians")
    before = page.where()
    arrived = page.browser.get_by_text("arrived after")
    page.browser.get_by_role("button", name="Random", exact=True).last.click()
    page.until(lambda: np.abs(page.where() - before).max() > 0.05, "another configuration")
    page.until(arrived.count, "the end of a planned motion")
    state = JointState(name=list(page.tree.joint_names), position=page.where().tolist())
    assert page.network.call(CheckState, "check_state", joint_state=state).free
    page.browser.get_by_role("button", name="Home", exact=True).last.click()
    # The robot's, not that of its URDF, in which the Panda touches itself.
    home = page.tree.home_configuration()
    page.until(lambda: np.abs(page.states[-1].position - home).max() < 0.01, "home")


def test_a_slider_moves_the_robot_and_the_drawing_follows_the_robot(page):
    page.until_turned(BEGIN[0])
    field = page.slider("panda_joint1")
    field.fill("0.9")
    field.press("Enter")
    page.until(lambda: abs(page.states[-1].position[0] - 0.9) < 0.01, "the joint's arrival")
    # A robot that moved by itself leads the sliders, too.
    page.put([-1.0, *BEGIN[1:]])
    page.until_turned(-1.0)


def test_dragging_the_target_moves_the_robot_by_inverse_kinematics(page):
    begin = page.tree.get_transform(page.where(), TIP)
    page.show_target()
    # Of the arrows along the flange's axes, take the longest on the screen at its tip, and drag.
    origin, tips = begin[:3, 3], [begin[:3, 3] + 0.9 * SIZE * begin[:3, k] for k in range(3)]
    axis = int(np.argmax([np.linalg.norm(page.pixel(t) - page.pixel(origin)) for t in tips]))
    grip, ahead = page.pixel(tips[axis]), page.pixel(tips[axis] + 0.1 * begin[:3, axis])
    mouse = page.browser.mouse
    mouse.move(*grip)
    page.browser.wait_for_timeout(200)
    mouse.down()
    for part in np.linspace(0.1, 1.0, 10):
        mouse.move(*(grip + part * (ahead - grip)))
        page.browser.wait_for_timeout(50)
    mouse.up()
    shift = page.until(lambda: moved_from(page, begin, 0.03), "the flange at its target")
    # Along the arrow, without turning.
    assert shift[axis] == pytest.approx(np.linalg.norm(shift), rel=0.05)
    page.until(lambda: page.browser.get_by_text("following the target").count(), "a word")
    end = page.tree.get_transform(page.where(), TIP)
    assert np.abs(rotation_log(end[:3, :3].T @ begin[:3, :3])).max() < 1e-3
    page.browser.get_by_label("Drag a target").uncheck()


def test_the_target_follows_the_robot_until_it_is_touched(page):
    def is_at(q, label="x, y, z (m)"):
        shown = [float(field.input_value()) for field in page.numbers(label).all()]
        return np.abs(page.tree.get_transform(q, TIP)[:3, 3] - shown).max() < 2e-3

    fields = page.numbers("x, y, z (m)")
    page.until(lambda: is_at(page.states[-1].position), "the pose without a target")
    assert fields.first.is_disabled()
    page.browser.get_by_label("Drag a target").check()
    field = page.slider("panda_joint1")
    field.fill("0.4")
    field.press("Enter")
    page.until(lambda: abs(page.where()[0] - 0.4) < 2e-3, "the joint's arrival")
    begin = page.where()
    page.until(lambda: is_at(begin), "the target at the robot")
    z = page.tree.get_transform(begin, TIP)[2, 3]
    fields.nth(2).fill(str(round(z + 0.05, 3)))
    page.until(
        lambda: abs(page.tree.get_transform(page.where(), TIP)[2, 3] - z - 0.05) < 2e-3, "5 cm up"
    )
    # Only the flange's height has changed; the arm has not turned back.
    end = page.where()
    assert np.abs(end - begin).max() < 0.3
    assert is_at(end)
    # Reached, it follows again. A target out of reach is given up when a slider moves the robot.
    page.browser.wait_for_timeout(1500)
    page.put(BEGIN)
    page.until(lambda: is_at(BEGIN), "the target at the robot again")
    fields.nth(0).fill("1.5")
    plan = page.browser.get_by_role("button", name="Plan and execute", exact=True)
    page.until(plan.is_disabled, "no plan out of reach")
    np.testing.assert_allclose(page.where(), BEGIN, atol=1e-3)
    field.fill("0.1")
    field.press("Enter")
    page.until(lambda: abs(page.where()[0] - 0.1) < 2e-3, "the joint's arrival")
    page.until(lambda: is_at([0.1, *BEGIN[1:]]) and not plan.is_disabled(), "the target")
    page.browser.get_by_label("Drag a target").uncheck()


def moved_from(page, begin, enough):
    """Return how far the flange has moved, in its own axes, once it rests; else nothing."""
    if max(abs(v) for v in page.states[-1].velocity) > 1e-6:
        return None
    shift = (inverse(begin) @ page.tree.get_transform(page.states[-1].position, TIP))[:3, 3]
    return shift.tolist() if np.linalg.norm(shift) > enough else None


def until_at(page, target):
    """Wait until the flange is at a pose; what is heard of the robot lags behind the page."""
    page.until(
        lambda: np.allclose(page.tree.get_transform(page.where(), TIP), target, atol=2e-3),
        "the target",
    )


def test_a_button_plans_around_the_pillars_and_executes(page):
    side = [1.0, 0.3, 0.0, -1.8, 0.0, 2.1, 0.785]
    page.put([-1.0, *side[1:]])
    page.browser.get_by_label("Drag a ghost").check()
    target = page.tree.get_transform(page.where(), TIP)
    page.put(side)
    page.browser.get_by_text("Plan and execute").click()
    until_at(page, target)
    page.until(lambda: page.browser.get_by_text("arrived after").count(), "the arrival")
    page.browser.get_by_label("Drag a ghost").uncheck()


def test_appearing_obstacle_is_reported_and_avoided(page):
    side = [1.0, 0.3, 0.0, -1.8, 0.0, 2.1, 0.785]
    goal = [-1.0, *side[1:]]
    page.put(goal)
    page.browser.get_by_label("Drag a ghost").check()
    target = page.tree.get_transform(page.where(), TIP)
    page.put(side)
    shown = pytest.importorskip("moveit_msgs.msg").DisplayTrajectory
    plans = page.network.record(shown, "display_planned_path", LATCHED)

    def plan():
        """Return the points of the plan that begins on this side."""
        for message in plans:
            points = message.trajectory[0].joint_trajectory.points
            if np.allclose(points[0].positions, side, atol=1e-3):
                return points
        return None

    def in_between():
        """Let a post appear where the hand will be, as soon as the robot moves."""
        page.put(side)
        plans.clear()
        page.browser.get_by_text("Plan and execute").click()
        page.until(lambda: abs(page.states[-1].position[0] - side[0]) > 0.05, "the motion")
        points = page.until(plan, "its plan")
        late = points[int(0.8 * len(points))].positions
        hand = page.tree.get_transform(list(late), "panda_link7")[:3, 3]
        changes = [box("post", (0.05, 0.05, 0.05), hand)]
        assert page.network.call(UpdateScene, "update_scene", changes=changes).success

    # Time to put obstacles in the way.
    assert page.network.set_parameter("rrt_planner", "velocity_scale", 0.3).successful
    in_between()
    page.until(lambda: page.browser.get_by_text("would hit 'post'").count(), "the reason")
    assert np.abs(page.where() - goal).max() > 0.1
    removal = [change(SceneChange.REMOVE, "post")]
    assert page.network.call(UpdateScene, "update_scene", changes=removal).success
    page.browser.get_by_label("Plan again").check()
    in_between()
    page.until(lambda: page.browser.get_by_text("planning again").count(), "another plan")
    page.until(lambda: page.browser.get_by_text("arrived after").count(), "the arrival")
    until_at(page, target)
    assert page.network.call(UpdateScene, "update_scene", changes=removal).success
    assert page.network.set_parameter("rrt_planner", "velocity_scale", 1.0).successful
    page.browser.get_by_label("Plan again").uncheck()
    page.browser.get_by_label("Drag a ghost").uncheck()


def press(page, key):
    """Press a key that no field of the panel takes."""
    page.browser.evaluate("document.activeElement.blur()")
    page.browser.keyboard.press(key)


def test_a_motion_is_recorded_and_played_back_beside_the_robot(page):
    page.unfold("Motion")
    record = page.browser.get_by_role("button", name="Record", exact=True)
    record.wait_for()
    page.until_turned(BEGIN[0])
    press(page, "r")
    page.browser.get_by_role("button", name="Stop recording").wait_for()
    page.where()
    page.put([-1.0, *BEGIN[1:]])
    page.until_turned(-1.0)
    press(page, "r")
    record.wait_for()  # the page's threads could take two keys in any order
    pause = page.browser.get_by_role("button", name="Pause")
    press(page, "p")
    pause.wait_for()
    assert page.where()[0] == pytest.approx(-1.0, abs=1e-3)
    page.until(lambda: not pause.count(), "the end of the recording")
    # Dragging the time back shows the begin, until the user lets go of it.
    field = page.slider("Time (s)")
    assert float(field.input_value()) > 0.1
    field.fill("0")
    field.press("Enter")
    page.until_turned(BEGIN[0])
    press(page, "b")
    page.until_turned(-1.0)
    page.unfold("Motion")
    assert page.errors == []


def test_click_on_a_body_shows_its_details(page):
    page.still()
    joint = page.tree.get_transform(page.where(), "panda_link1")[:3, 3]
    page.browser.mouse.click(*page.pixel(joint))
    words = page.browser.get_by_text("m in panda_link0")
    page.until(lambda: words.count(), "the body")
    found = re.match(r"(panda_link\d) at \((.*)\) m", words.inner_text())
    assert found[1] in ("panda_link0", "panda_link1", "panda_link2")
    printed = [float(number) for number in found[2].split(",")]
    body = page.tree.get_transform(page.where(), found[1])[:3, 3]
    np.testing.assert_allclose(printed, body, atol=2e-3)
    assert page.browser.get_by_label("Body", exact=True).input_value() == TIP
    page.browser.mouse.click(*page.pixel(joint))
    page.until(lambda: not words.count(), "nothing")


def test_a_picture_is_saved(page):
    with page.browser.expect_download(timeout=120_000) as download:
        press(page, "i")
    assert download.value.suggested_filename.endswith(".png")
    saved = plt.imread(download.value.path())[..., :3]
    _, _, width, height = canvas(page.browser)
    # Viser draws with fewer pixels while the browser is slow.
    assert saved.shape[1] / saved.shape[0] == pytest.approx(width / height, rel=0.02)
    orange = (saved[..., 0] > 0.6) & (saved[..., 2] < 0.35)
    assert orange.mean() > 1e-3


def test_sensed_points_are_shown(page):
    along = np.linspace(-0.1, 0.1, 21)
    cube = np.stack(np.meshgrid(along, along, along), axis=-1).reshape(-1, 3)
    place = np.array([0.6, -0.6, 0.4])
    publisher = page.network.publisher(PointCloud2, "points", qos_profile_sensor_data)
    column, row = np.round(page.pixel(place)).astype(int)

    def send(points):
        message = cloud_message(points)
        message.header.frame_id = "panda_link0"
        publisher.publish(message)

    def shown():
        """Return whether the points' color is where they are."""
        page.browser.wait_for_timeout(300)
        around = page.picture()[row - 12 : row + 12, column - 12 : column + 12].reshape(-1, 3)
        red, green, blue = np.median(around, axis=0)
        return blue - red > 0.15 and green - red > 0.1

    assert not shown()
    page.until(lambda: send(cube + place) or shown(), "the points on the page")
    page.until(lambda: send(np.empty((0, 3))) or not shown(), "their end")


def test_frames_are_shown_and_hidden(page):
    page.unfold("Show")
    box = page.browser.get_by_label("Frames")
    box.wait_for()
    before = page.still()
    box.check()
    page.until(lambda: np.abs(page.scene() - before).max(axis=2).max() > 0.3, "axes")
    box.uncheck()
    page.browser.get_by_label("Obstacles").uncheck()
    page.until(lambda: np.abs(page.scene() - before).max(axis=2).mean() > 0.01, "no pillars")
    page.browser.get_by_label("Obstacles").check()
    page.unfold("Show")


def test_a_map_is_drawn_beside_the_robot(page):
    before = page.still()
    grid = OccupancyGrid()
    grid.header.frame_id = "panda_link0"
    grid.info.resolution, grid.info.width, grid.info.height = 0.1, 10, 10
    grid.info.origin.position.x, grid.info.origin.position.y = -1.0, -0.9
    cells = np.zeros((10, 10), dtype=int)
    cells[:5, :5] = 100  # where x and y are low: dark
    grid.data = cells.reshape(-1).tolist()
    publisher = page.network.node.create_publisher(OccupancyGrid, "configuration_map", LATCHED)
    publisher.publish(grid)
    page.until(lambda: np.abs(page.scene() - before).max(axis=2).mean() > 0.01, "the map")

    def is_dark_in_one_corner():
        picture = page.picture()
        low_low, low_high, high_low, high_high = (
            picture[tuple(page.pixel([x, y, 0.0]).round().astype(int)[::-1])].mean()
            for x in (-0.75, -0.25)
            for y in (-0.65, -0.15)
        )
        return low_low < min(low_high, high_low, high_high) - 0.2

    page.until(is_dark_in_one_corner, "the map's cells where they are")
    publisher.publish(OccupancyGrid())
    page.until(lambda: not is_dark_in_one_corner(), "no map")
    page.network.node.destroy_publisher(publisher)
    assert page.errors == []
    assert "internal error" not in page.viewer.output
