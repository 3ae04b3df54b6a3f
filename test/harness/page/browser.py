"""Debian's chromium, controlled by playwright."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from typing import Any

import pytest

WINDOW = {"width": 960, "height": 640}  # pixels; software rendering is slow
FLAGS = (
    "--no-sandbox",  # CI runs as root
    "--use-gl=angle",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


def opened_browser() -> Iterator[Any]:
    """Yield a browser; skip the test without one."""
    path = shutil.which("chromium") or shutil.which("google-chrome")
    if path is None:
        pytest.skip("no browser is installed; on Debian: sudo apt install chromium")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=path, args=list(FLAGS))
        yield opened
        opened.close()
