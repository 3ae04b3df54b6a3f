"""A caption over the scene, and the tab of the robot that it is about."""

import re

import pytest
from std_msgs.msg import String

from harness.page.projection import canvas
from harness.probe import LATCHED
from rigid_tree_kinematics import load_robot
from rigid_tree_kinematics.description import write_urdf

DESKTOP, PHONE = {"width": 1100, "height": 700}, {"width": 390, "height": 844}


@pytest.fixture(scope="module")
def viewer(shared_network):
    """The address of a page with the robots left and right, and its network."""
    network = shared_network
    robots = {"robots": ["left", "right"], "frame_prefixes": ["left/", "right/"]}
    started = network.start("web_viewer", {"port": 0, **robots})
    address = network.until(lambda: re.search(r"http://localhost:\d+", started.output), "the page")
    text = write_urdf(load_robot("planar_two_link"))
    for robot in ("left", "right"):
        publisher = network.publisher(String, f"{robot}/robot_description", LATCHED)
        publisher.publish(String(data=text))
    network.until(lambda: started.output.count("showing robot") == 2, "both robots")
    return address.group(), network


@pytest.mark.parametrize("window", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_a_caption_is_over_the_scene_and_its_robots_tab_is_open(viewer, browser, window):
    address, network = viewer
    page = browser.new_page(viewport=window)
    page.goto(address)
    tab = page.locator("[role=tab]", has_text="right")
    tab.wait_for(state="attached")

    def until(condition, what):
        network.until(lambda: page.wait_for_timeout(50) or condition(), what)

    until(lambda: page.evaluate("!!window.__viserMutable?.camera"), "a scene")

    network.publisher(String, "caption", LATCHED).publish(String(data="2/7 **Planning**"))
    shown = network.publisher(String, "shown_robot", LATCHED)
    shown.publish(String(data="right"))
    until(lambda: tab.get_attribute("aria-selected") == "true", "the robot's tab")
    over = page.locator(".caption-over strong", has_text="Planning")
    place = over.bounding_box()
    left, top, width, height = canvas(page)
    assert left < place["x"] < place["x"] + place["width"] < left + width
    assert top < place["y"] < place["y"] + place["height"] < top + height
    shown.publish(String())
    page.close()
