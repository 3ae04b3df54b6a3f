"""A browser, and web_viewer's page with a simulated Panda, for all files of this folder."""

from collections.abc import Iterator

import pytest

from harness.network import Network
from harness.page.browser import opened_browser
from harness.page.robot import Page
from harness.start.fixtures import network, ros, shared_network

__all__ = ["network", "ros", "shared_network"]

browser = pytest.fixture(scope="package", name="browser")(opened_browser)


@pytest.fixture(scope="package")
def shared_page(browser, tmp_path_factory) -> Iterator[Page]:
    network = Network(tmp_path_factory.mktemp("page"))
    made = Page(browser, network)
    yield made
    made.browser.close()
    network.close()


@pytest.fixture
def page(shared_page: Page) -> Page:
    """The same for all tests: its robot at BEGIN, nothing checked."""
    shared_page.restore()
    return shared_page
