"""Debian's chromium, controlled by playwright."""

import shutil
from collections.abc import Iterator
from typing import Any

import pytest

from harness.processes import TIMEOUT

PATIENCE = 1e3 * TIMEOUT  # ms
WINDOW = {"width": 960, "height": 640}  # pixels; software rendering is slow
FLAGS = (
    "--no-sandbox",  # CI runs as root
    "--use-gl=angle",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    # Only WebGL is drawn by it: for all else, above all screenshots, it takes ten times as long.
    "--disable-accelerated-2d-canvas",
    "--disable-gpu-rasterization",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
# Ten pictures a second: software rendering at full rate takes the processor from the nodes.
FEWER_PICTURES = """
const draw = window.requestAnimationFrame.bind(window), waiting = new Set();
let last = 0;
window.requestAnimationFrame = (frame) => {
  const number = ++last;
  waiting.add(number);
  setTimeout(() => draw((time) => waiting.delete(number) && frame(time)), 100);
  return number;
};
window.cancelAnimationFrame = (number) => waiting.delete(number);
"""
# viser's notice of software rendering covers a part of the scene for as long as a page is open.
NO_NOTICE = """
new MutationObserver(() => {
  for (const notice of document.querySelectorAll(".mantine-Notification-root"))
    if (notice.textContent.includes("Software WebGL")) notice.style.display = "none";
}).observe(document, { childList: true, subtree: true });
"""


class Browser:
    """A browser whose pages are drawn at a low rate."""

    def __init__(self, opened: Any) -> None:
        self._opened = opened

    def new_page(self, **options: Any) -> Any:
        page = self._opened.new_page(**options)
        page.set_default_timeout(PATIENCE)
        page.add_init_script(FEWER_PICTURES)
        page.add_init_script(NO_NOTICE)
        return page


def opened_browser() -> Iterator[Any]:
    """Yield a browser; skip the test without one."""
    path = shutil.which("chromium") or shutil.which("google-chrome")
    if path is None:
        pytest.skip("no browser is installed; on Debian: sudo apt install chromium")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=path, args=list(FLAGS))
        yield Browser(opened)
        opened.close()
