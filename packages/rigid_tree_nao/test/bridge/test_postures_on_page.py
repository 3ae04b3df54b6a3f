"""A NAO's postures on web_viewer's page, separate from tests that starve the browser."""

import re
from importlib.util import find_spec

import pytest

from harness.page.browser import WINDOW


@pytest.mark.skipif(find_spec("qi") is None, reason="libqi: pip install qi (Python 3.8 to 3.12)")
def test_a_nao_takes_postures(browser, lonely_bridge):
    nao = lonely_bridge()
    nao.network.start("tree_state_publisher", {"robot": "nao_v6"}, "lonely")
    viewer = nao.network.start("web_viewer", {"port": 0, "robots": ["lonely"]})
    address = nao.until(lambda: re.search(r"http://localhost:\d+", viewer.output), "the page")
    page = browser.new_page(viewport=WINDOW)
    page.goto(address.group())

    def until(condition, what):
        def met():
            page.wait_for_timeout(20)
            return condition()

        nao.until(met, what)

    until(lambda: page.get_by_role("button", name="Crouch").count(), "its button")
    until(lambda: page.get_by_text("connection: connected").count(), "its connection")
    page.get_by_role("button", name="Wake up").click()
    until(lambda: nao.call("robot_is_wake_up").value, "a robot that is awake")
    page.get_by_role("button", name="Crouch").click()
    until(lambda: nao.call("get_posture").text == "Crouch", "the posture")
    page.close()
