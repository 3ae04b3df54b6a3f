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
from harness.page.projection import pixels
from harness.processes import TIMEOUT
from rigid_tree_kinematics import load_robot

TIP = "panda_link8"  # the target's body
BEGIN = [-0.5, -0.4, 0.2, -1.9, 0.3, 1.9, 0.5]  # left of the panel


class Page:
    """The page and the nodes of its robot; subclasses can have others."""

    robot, begin = "panda", BEGIN

    def __init__(self, browser: Any, network: Network) -> None:
        self.network = network
        self.tree = load_robot(self.robot)
        self.states = network.record(JointState, "joint_states")
        begin = dict(zip(self.tree.joint_names, self.begin, strict=True))
        initial = {f"initial_positions.{joint}": q for joint, q in begin.items()}
        network.start("robot_simulator", {"robot": self.robot, **initial})
        self.publisher = network.start("tree_state_publisher", {"robot": self.robot})
        self.start_planner()
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
        self.wait_for_controls()

    def start_planner(self) -> None:
        """Start the nodes for inverse kinematics and plans."""
        self.network.start("ik_server", {"robot": self.robot})
        self.network.start("rrt_planner", {"robot": self.robot, "scene": "panda_pillars"})

    def wait_for_controls(self) -> None:
        """Wait until the panel can move the robot."""
        self.browser.get_by_text("panda_joint7").wait_for()
        self.until(lambda: not self.slider("panda_joint1").is_disabled(), "sliders that move")

    def until(self, condition: Callable[[], Any], what: str) -> Any:
        """Wait while both the page and the network are processed."""

        def met() -> Any:
            self.browser.wait_for_timeout(20)
            self.network.spin_for(0.02)  # all joint states, not one per call
            return condition()

        return self.network.until(met, what)

    def slider(self, joint: str) -> Any:
        """Return the field of a joint's position."""
        label = f"//label[normalize-space()='{joint}']"
        row = self.browser.locator(f"xpath={label}/ancestor::*[.//input][1]")
        return row.locator("input:visible").first

    def numbers(self, label: str) -> Any:
        """Return the three fields of a vector."""
        row = f"//label[normalize-space()='{label}']/ancestor::*[.//input]"
        return self.browser.locator(f"xpath={row}").last.locator("input:visible")

    def where(self) -> np.ndarray:
        """Return a configuration later than this call; earlier ones may still be on their way."""
        begin = Time(nanoseconds=time.time_ns()).to_msg()

        def later() -> bool:
            stamp = self.states[-1].header.stamp
            return (stamp.sec, stamp.nanosec) > (begin.sec, begin.nanosec)

        self.until(later, "joint states")
        return self.positions(self.states[-1])

    def positions(self, state: JointState) -> np.ndarray:
        """Return the configuration of a joint state, without mimic joints."""
        return np.array(state.position[: len(self.tree.joint_names)])

    def picture(self) -> np.ndarray:
        """Return the page as pixels, (height, width, 3)."""
        return plt.imread(io.BytesIO(self.browser.screenshot(scale="css")))[:, :, :3]

    def scene(self) -> np.ndarray:
        """Return the part of the page beside the panels."""
        return self.picture()[:, :620]

    def still(self) -> np.ndarray:
        """Return the scene once it has not changed for a second."""
        last, since = self.scene(), time.monotonic()
        end = since + TIMEOUT
        while time.monotonic() < since + 1.0:
            assert time.monotonic() < end, "the scene never rests"
            self.browser.wait_for_timeout(100)
            if np.abs((now := self.scene()) - last).max() > 0.0:
                last, since = now, time.monotonic()
        return last

    def choose(self, label: str, option: str) -> None:
        """Choose an option of a list."""
        self.browser.get_by_label(label, exact=True).click()
        self.browser.get_by_role("option", name=option, exact=True).click()

    def restore(self) -> None:
        """Have the robot at BEGIN, and the panel as it was opened."""
        self.errors.clear()
        self.browser.set_viewport_size(WINDOW)
        for label in ("Drag a target", "Drag a ghost", "Cartesian path", "Plan again", "Plot"):
            box = self.browser.get_by_label(label, exact=True).locator("visible=true")
            if box.count() and box.first.is_checked():
                box.first.uncheck()
        self.choose("Angles", "rad")
        if self.browser.get_by_label("Body", exact=True).input_value() != TIP:
            self.choose("Body", TIP)
        self.put(self.begin)

    def unfold(self, folder: str) -> None:
        """Open a folder of the panel, or close it."""
        title = self.browser.get_by_text(folder, exact=True).locator("visible=true")
        self.until(title.count, f"the folder {folder}")
        title.first.click()

    def show_target(self, label: str = "Drag a target") -> None:
        """Show the target at the flange, that of the robot or of the ghost."""
        before = self.still()
        self.browser.get_by_label(label).check()
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

    def turn(self, node: str = " panda_link1") -> float:
        """Return how far a node of the scene is turned about z, rad: the first joint's position.

        Its name ends in ``node``; the first one is taken.
        """
        nodes = self.browser.evaluate(
            "(end) => Object.entries(window.__viserMutable.nodeRefFromName)"
            ".filter(([name, node]) => node && name.endsWith(end))"
            ".map(([_, node]) => [node.quaternion.z, node.quaternion.w])",
            node,
        )
        return float(2.0 * np.arctan2(*nodes[0]))

    def until_turned(self, position: float) -> None:
        """Wait until the page shows the first joint at a position, rad."""
        self.until(lambda: abs(self.turn() - position) < 2e-3, f"the first joint at {position}")

    def pixel(self, point: Any) -> np.ndarray:
        """Return the pixel of a point of the world."""
        return pixels(self.browser, point)[0]
