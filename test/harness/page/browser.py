"""Debian's chromium, controlled by playwright."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from harness.processes import TIMEOUT

CHROMIUM = Path(__file__).with_name("chromium.sh")
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
# Four pictures a second: software rendering at full rate takes the processor from the nodes.
FEWER_PICTURES = """
const draw = window.requestAnimationFrame.bind(window), waiting = new Set();
let last = 0;
window.requestAnimationFrame = (frame) => {
  const number = ++last;
  waiting.add(number);
  setTimeout(() => draw((time) => waiting.delete(number) && frame(time)), 250);
  return number;
};
window.cancelAnimationFrame = (number) => waiting.delete(number);
"""
# Edges of lines may be rough.
NO_ANTIALIASING = """
const get = HTMLCanvasElement.prototype.getContext;
HTMLCanvasElement.prototype.getContext = function (kind, options) {
  return get.call(this, kind, { ...options, antialias: false });
};
"""
# viser's notice of software rendering covers a part of the scene for as long as a page is open.
NO_NOTICE = """
new MutationObserver(() => {
  for (const notice of document.querySelectorAll(".mantine-Notification-root"))
    if (notice.textContent.includes("Software WebGL")) notice.style.display = "none";
}).observe(document, { childList: true, subtree: true });
"""


class Browser:
    """A browser whose pages are drawn at a low rate and resolution."""

    def __init__(self, opened: Any) -> None:
        self._opened = opened

    def new_page(self, **options: Any) -> Any:
        page = self._opened.new_page(device_scale_factor=0.5, **options)
        page.set_default_timeout(PATIENCE)
        for script in (FEWER_PICTURES, NO_ANTIALIASING, NO_NOTICE):
            page.add_init_script(script)
        return page


def opened_browser() -> Iterator[Any]:
    """Yield a browser; skip the test without one."""
    if not (shutil.which("chromium") or shutil.which("google-chrome")):
        pytest.skip("no browser is installed; on Debian: sudo apt install chromium")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=CHROMIUM, args=list(FLAGS))
        yield Browser(opened)
        opened.close()
