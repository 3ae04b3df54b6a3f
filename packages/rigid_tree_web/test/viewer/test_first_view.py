"""The initial view: everything beside the panel, titled, with working controls."""

import re

import numpy as np
import pytest
from geometry_msgs.msg import TransformStamped
from rigid_tree_interfaces.srv import SolveIK
from std_msgs.msg import String
from tf2_msgs.msg import TFMessage

from harness.page.projection import canvas, pixels
from harness.probe import LATCHED
from rigid_tree_kinematics import load_robot
from rigid_tree_kinematics.description import write_urdf
from rigid_tree_kinematics.description.meshes import visual_mesh
from rigid_tree_kinematics.nodes.tf import TF_QOS

DESKTOP, PHONE = {"width": 1280, "height": 800}, {"width": 390, "height": 844}


def opened(browser, network, robot, window, **parameters):
    """Return a page that shows a simulated robot, and its tree."""
    network.start("robot_simulator", {"robot": robot})
    network.start("tree_state_publisher", {"robot": robot, **parameters})
    viewer = network.start("web_viewer", {"port": 0})
    address = network.until(lambda: re.search(r"http://localhost:\d+", viewer.output), "the page")
    network.log_line(viewer, "showing robot")
    page = browser.new_page(viewport=window)
    page.goto(address.group())
    until(page, network, lambda: page.evaluate("!!window.__viserMutable?.camera"), "a scene")
    return page, load_robot(robot)


def until(page, network, condition, what):
    def met():
        page.wait_for_timeout(100)
        return condition()

    network.until(met, what)


def vertices(tree, q=None):
    """Return the vertices of all visuals, by default at home, in the base frame."""
    q, found = tree.home_configuration() if q is None else q, []
    for body in (tree.base, *tree.bodies):
        T = tree.get_transform(q, body.name)
        for visual in body.visuals:
            found.append(visual_mesh(visual).vertices @ T[:3, :3].T + T[:3, 3])
    return np.concatenate(found)


def share(page, points):
    """Return how much of the canvas points fill, 0 to 1 each way; nothing if one is outside."""
    left, top, width, height = canvas(page)
    shown = pixels(page, points) - [left, top]
    size = np.array([width, height])
    inside = (shown > 0.0).all() and (shown < size).all()
    return np.ptp(shown, axis=0) / size if inside else np.zeros(2)


def box(element):
    """Return the bounding box of an element; there is none while the page redraws it."""
    while (found := element.bounding_box()) is None:
        pass
    return found


SHADOWS = """() => {
  const lights = [];
  window.__viserMutable.scene.traverse((node) => node.isDirectionalLight && lights.push(node));
  return lights.map((light) => light.castShadow);
}"""
MESHES = """() => Object.entries(window.__viserSceneTree.getState())
  .filter(([name, node]) => node?.message?.props?.glb_data).map(([name]) => name)"""


@pytest.mark.parametrize(
    ("robot", "parameters"),
    [("nao_v6", {}), ("planar_two_link", {}), ("ur5", {"meshes": "real"})],
    ids=["nao_v6", "planar_two_link", "ur5 with real meshes"],
)
def test_on_a_desktop(browser, network, robot, parameters):
    page, tree = opened(browser, network, robot, DESKTOP, **parameters)
    moved = [body.name for body in tree.bodies if body.joint.position_count]

    def have_meshes():
        found = page.evaluate(MESHES)
        return all(any(f" {name}/visual" in path for path in found) for name in moved)

    if parameters:
        until(page, network, have_meshes, "meshes with colors")
    # Shadows would take most of the time without a GPU; the tests' browser has none.
    until(page, network, lambda: len(page.evaluate(SHADOWS)) > 2, "the lights")
    until(page, network, lambda: not any(page.evaluate(SHADOWS)), "no shadows")
    points = vertices(tree)
    until(page, network, lambda: share(page, points).max() > 0.7, "the whole robot, large")
    panel = page.get_by_text("Joints", exact=True).bounding_box()
    left, _, width, _ = canvas(page)
    assert left + width <= panel["x"]
    until(page, network, lambda: page.title() == tree.name, "the robot's name")
    # Moved by the user, the view stays, until the key fits it again.
    page.mouse.move(300, 400)

    def zoomed_out():
        page.mouse.wheel(0, 300)
        return 0.0 < share(page, points).max() < 0.6

    until(page, network, zoomed_out, "a smaller robot")
    page.set_viewport_size({"width": 1200, "height": 800})
    page.wait_for_timeout(500)
    assert share(page, points).max() < 0.65
    page.get_by_role("button", name="Fit", exact=True).click()
    until(page, network, lambda: share(page, points).max() > 0.7, "the whole robot again")
    # Nothing of what no node here offers: no services, no target, no plans.
    assert page.get_by_text("Plan and execute").count() == 0
    assert page.get_by_label("Drag a target").count() == 0
    services = dict(network.node.get_service_names_and_types())
    assert "/inverse_kinematics" not in services
    assert "/plan_motion" not in services
    # A server appears, and what it can do is offered.
    network.node.create_service(SolveIK, "inverse_kinematics", lambda _, response: response)
    page.get_by_label("Drag a target").wait_for()
    assert page.get_by_text("Plan and execute").count() == 0
    page.close()


def test_on_a_phone(browser, network):
    page, tree = opened(browser, network, "nao_v6", PHONE)
    points = vertices(tree)
    until(page, network, lambda: share(page, points).max() > 0.6, "the whole robot")
    title = page.get_by_text(tree.name, exact=True).locator("visible=true").first
    until(page, network, lambda: title.count() and box(title)["y"] > 780, "the sheet")
    title.click()
    status = page.get_by_text("joint states").locator("visible=true").first
    until(page, network, lambda: status.count() and box(status)["y"] < 780, "the panel")
    # Neither the panel nor what is in it is wider than the screen.
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    shown = box(status)
    assert shown["x"] >= 0.0
    assert shown["x"] + shown["width"] <= PHONE["width"]
    page.close()


class Walker:
    """A NAO with raised arms on a page, which walks as TF says."""

    def __init__(self, browser, network):
        self.network, self.tree = network, load_robot("nao_v6")
        q, raised = self.tree.home_configuration(), {}
        for joint in ("LShoulderPitch", "RShoulderPitch"):
            q[self.tree.position_names.index(joint)] = -1.5
            raised[f"initial_positions.{joint}"] = -1.5
        self.points, self.at = vertices(self.tree, q), np.array([7.0, -5.0, 0.0])
        network.start("robot_simulator", {"robot": "nao_v6", **raised})
        network.start("tree_state_publisher", {"robot": "nao_v6"})
        viewer = network.start("web_viewer", {"port": 0, "fixed_frame": "odom"})
        address = network.until(
            lambda: re.search(r"http://localhost:\d+", viewer.output), "the page"
        )
        network.log_line(viewer, "showing robot")
        self._frames = network.publisher(TFMessage, "/tf", TF_QOS)
        for _ in range(10):
            self.walk()
            network.spin_for(0.1)
        self.page = browser.new_page(viewport=DESKTOP)
        self.page.goto(address.group())
        has_world = "!!window.__viserMutable?.nodeRefFromName?.['/world']"
        until(self.page, network, lambda: self.page.evaluate(has_world), "a scene")

    def walk(self, step=(0.0, 0.0, 0.0)):
        """Publish where the robot is after a step (m)."""
        self.at = self.at + step
        stamped = TransformStamped(child_frame_id=self.tree.base_name)
        stamped.header.frame_id = "odom"
        stamped.header.stamp = self.network.node.get_clock().now().to_msg()
        place, turn = stamped.transform.translation, stamped.transform.rotation
        (place.x, place.y, place.z), turn.w = self.at.tolist(), 1.0
        self._frames.publish(TFMessage(transforms=[stamped]))

    def drawn_at(self):
        """Return where the page draws the robot (m)."""
        shift = "Object.values(window.__viserMutable.nodeRefFromName['/world'].position)"
        return self.at + self.page.evaluate(shift)

    def is_in_view(self):
        self.walk()
        return share(self.page, self.points + self.drawn_at()).max() > 0.5


def test_a_robot_that_has_walked_is_in_view(browser, network):
    walker = Walker(browser, network)
    until(walker.page, network, walker.is_in_view, "the robot")
    walker.page.close()


def test_a_walking_robot_is_followed(browser, network):
    walker = Walker(browser, network)
    page = walker.page
    until(page, network, walker.is_in_view, "the robot")
    page.get_by_label("Follow", exact=True).check()
    page.wait_for_timeout(500)
    begin = walker.drawn_at()
    for _ in range(20):
        walker.walk([0.2, 0.1, 0.0])
        page.wait_for_timeout(100)
    until(page, network, walker.is_in_view, "the robot that walks")
    until(
        page, network, lambda: np.allclose(walker.drawn_at(), begin, atol=2e-3), "the same place"
    )
    # The lines of the ground stay with the world.
    ground = page.evaluate(
        "Object.values(window.__viserMutable.nodeRefFromName['/ground'].position)"
    )
    shift = (walker.drawn_at() - walker.at - ground)[:2]
    np.testing.assert_allclose(shift, np.round(shift), atol=2e-3)
    page.get_by_label("Follow", exact=True).uncheck()
    page.wait_for_timeout(500)
    walker.walk([4.0, 0.0, 0.0])
    until(page, network, lambda: not walker.is_in_view(), "the robot's leave")
    page.get_by_role("button", name="Fit", exact=True).click()
    until(page, network, walker.is_in_view, "the robot again")
    page.close()


def test_shapes_that_are_not_drawn_are_named(browser, network, tmp_path):
    path = tmp_path / "arm.urdf"
    path.write_text(
        "<robot name='arm'><link name='top'><visual><geometry><mesh filename='lost.stl'/>"
        "</geometry></visual></link></robot>"
    )
    page, _ = opened(browser, network, str(path), DESKTOP)
    words = page.get_by_text("shapes not drawn: 1; the first: top: ")
    until(page, network, words.count, "the reason")
    page.close()


def test_another_robot_takes_the_place_of_the_first(browser, network):
    viewer = network.start("web_viewer", {"port": 0})
    publisher = network.publisher(String, "robot_description", LATCHED)

    def describe(urdf):
        publisher.publish(String(data=urdf))

    describe(write_urdf(load_robot("panda")))
    address = network.until(lambda: re.search(r"http://localhost:\d+", viewer.output), "the page")
    page, errors = browser.new_page(viewport=DESKTOP), []
    page.on("console", lambda m: errors.append(m.text) if m.type == "error" else None)
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto(address.group())
    panda = page.get_by_text("panda_joint7")
    panda.wait_for()
    describe("<robot")
    network.log_line(viewer, "rejected the robot description")
    assert panda.count()
    describe("<robot name='table'><link name='top'/></robot>")
    until(page, network, lambda: not panda.count(), "a robot of one link")
    describe(write_urdf(load_robot("ur5")))
    page.get_by_text("elbow_joint").wait_for()
    assert panda.count() == 0
    page.wait_for_timeout(500)
    assert errors == []
    assert "internal error" not in viewer.output
    page.close()
