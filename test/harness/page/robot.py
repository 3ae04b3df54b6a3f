"""web_viewer's page in a browser, with a simulated Panda."""

import io
import re
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from matplotlib import pyplot as plt
from rclpy.time import Time
from rigid_tree_interfaces.srv import SetState
from sensor_msgs.msg import JointState

from harness.network import Network
from harness.page.browser import WINDOW
from rigid_tree_kinematics import load_robot
from rigid_tree_kinematics.viewer.page import CAMERA, FIELD_OF_VIEW, LOOK_AT

BEGIN = [-0.5, -0.4, 0.2, -1.9, 0.3, 1.9, 0.5]  # left of the panel


class Page:
    """The page and the nodes of its robot."""

    def __init__(self, browser: Any, network: Network) -> None:
        self.network = network
        self.tree = load_robot("panda")
        self.states = network.hear(JointState, "joint_states")
        begin = dict(zip(self.tree.joint_names, BEGIN, strict=True))
        initial = {f"initial_positions.{joint}": q for joint, q in begin.items()}
        network.start("robot_simulator", {"robot": "panda", **initial})
        self.publisher = network.start("tree_state_publisher", {"robot": "panda"})
        network.start("ik_server", {"robot": "panda"})
        slow = {"velocity_scale": 0.3}  # time to put obstacles in the way
        network.start("rrt_planner", {"robot": "panda", "scene": "panda_pillars", **slow})
        self.viewer = network.start("web_viewer", {"port": 0})
        address = network.until(
            lambda: re.search(r"http://localhost:\d+", self.viewer.output), "the page's address"
        )
        network.until(lambda: "showing robot" in self.viewer.output, "the robot on the page")
        self.errors: list[str] = []
        self.browser = browser.new_page(viewport=WINDOW)
        self.browser.on(
            "console", lambda m: self.errors.append(m.text) if m.type == "error" else None
        )
        self.browser.on("pageerror", lambda error: self.errors.append(str(error)))
        self.browser.goto(address.group())
        self.browser.get_by_text("panda_joint7").wait_for()
        self.until(lambda: not self.slider("panda_joint1").is_disabled(), "sliders that move")

    def until(self, condition: Callable[[], Any], what: str) -> Any:
        """Wait while both the page and the network are processed."""

        def met() -> Any:
            self.browser.wait_for_timeout(20)
            self.network.live(0.02)  # all joint states, not one per call
            return condition()

        return self.network.until(met, what)

    def slider(self, joint: str) -> Any:
        """Return the field of a joint's position."""
        label = f"//label[normalize-space()='{joint}']"
        row = self.browser.locator(f"xpath={label}/ancestor::*[.//input][1]")
        return row.locator("input:visible").first

    def where(self) -> np.ndarray:
        """Return a configuration later than this call; earlier ones may still be on their way."""
        begin = Time(nanoseconds=time.time_ns()).to_msg()

        def later() -> bool:
            stamp = self.states[-1].header.stamp
            return (stamp.sec, stamp.nanosec) > (begin.sec, begin.nanosec)

        self.until(later, "joint states")
        return np.array(self.states[-1].position)

    def picture(self) -> np.ndarray:
        """Return the page as pixels, (height, width, 3)."""
        return plt.imread(io.BytesIO(self.browser.screenshot()))[:, :, :3]

    def scene(self) -> np.ndarray:
        """Return the part of the page beside the panels."""
        return self.picture()[190:, :630]

    def still(self) -> np.ndarray:
        """Return the scene once it has not changed for a second."""
        last, since = self.scene(), time.monotonic()
        while time.monotonic() < since + 1.0:
            self.browser.wait_for_timeout(100)
            if np.abs((now := self.scene()) - last).max() > 0.0:
                last, since = now, time.monotonic()
        return last

    def show_target(self) -> None:
        """Show the target at the flange."""
        before = self.still()
        self.browser.get_by_label("Drag a target").check()
        self.until(lambda: np.abs(self.scene() - before).max() > 0.3, "the target")
        self.still()

    def put(self, positions: list[float]) -> None:
        """Set the robot's positions, and wait until the page shows them."""
        state = JointState(name=list(self.tree.joint_names), position=positions)
        reply = self.network.call(SetState, "robot_simulator/set_state", state=state)
        assert reply.success, reply.message
        self.where()
        field = self.slider(self.tree.joint_names[0])
        self.until(
            lambda: abs(float(field.input_value()) - positions[0]) < 0.01, "the robot on the page"
        )

    def pixel(self, point: Any) -> np.ndarray:
        """Return the pixel of a point of the world, for the initial camera."""
        forward = np.array(LOOK_AT) - CAMERA
        forward /= np.linalg.norm(forward)
        right = np.cross(forward, [0.0, 0.0, 1.0])
        right /= np.linalg.norm(right)
        up = np.cross(right, forward)
        seen = np.array(point) - CAMERA
        scale = 0.5 * WINDOW["height"] / np.tan(0.5 * FIELD_OF_VIEW) / (seen @ forward)
        middle = 0.5 * np.array([WINDOW["width"], WINDOW["height"]])
        return middle + scale * np.array([seen @ right, -(seen @ up)])
