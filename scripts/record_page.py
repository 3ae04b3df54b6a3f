"""Record docs/page.gif: a Panda moves around two pillars on the page of web_viewer.

    . standalone/setup.bash && python scripts/record_page.py

It needs Debian's chromium and playwright. The simulation runs slowly because screenshots are slow.
"""

from __future__ import annotations

import io
import os
import shutil
import signal
import socket
import subprocess
import time
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.sync_api import sync_playwright

GIF = Path(__file__).parents[1] / "docs" / "page.gif"
WINDOW = {"width": 960, "height": 600}
SIZE = 640, 400
SLOWNESS, PERIOD = 20.0, 1.5  # of the simulation; s between two pictures
FLAGS = [
    "--no-sandbox",
    "--use-gl=angle",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
]
# Have shadows, and no notice of the slow rendering.
LIKE_A_GPU = """
const extension = WebGL2RenderingContext.prototype.getExtension;
WebGL2RenderingContext.prototype.getExtension = function (name) {
  return name === "WEBGL_debug_renderer_info" ? null : extension.call(this, name);
};
"""
PACKAGE = "rigid_tree_kinematics"
SIDES = "{panda_joint1: 1.0, panda_joint2: 0.3, panda_joint4: -1.8, panda_joint6: 2.1}"


def main() -> None:
    """Start the robot and the page, move, and write the pictures that were taken."""
    os.environ |= {"ROS_AUTOMATIC_DISCOVERY_RANGE": "LOCALHOST", "ROS_DOMAIN_ID": "86"}
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    words = ["robot:=panda", "scene:=panda_pillars", "web:=true", f"web_port:={port}"]
    words += [f"initial_positions:={SIDES}", f"real_time_factor:={1.0 / SLOWNESS:g}"]
    launch = subprocess.Popen(["ros2", "launch", PACKAGE, "bringup.launch.py", *words])
    try:
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(
                executable_path=shutil.which("chromium"), args=FLAGS
            )
            page = browser.new_page(viewport=WINDOW)
            page.add_init_script(LIKE_A_GPU)
            wait_for(port)
            page.goto(f"http://127.0.0.1:{port}")
            page.get_by_text("inverse kinematics").wait_for(timeout=120_000)
            page.wait_for_timeout(10_000)  # until the robot is drawn
            write(moving(page, "panda_joint1=-1.0") + moving(page, "panda_joint1=1.0"))
    finally:
        launch.send_signal(signal.SIGINT)
        launch.wait()


def wait_for(port: int) -> None:
    """Return when the page is served."""
    while True:
        try:
            socket.create_connection(("127.0.0.1", port)).close()
            return
        except ConnectionRefusedError:
            time.sleep(0.2)


def moving(page: Any, target: str) -> list[Image.Image]:
    """Return pictures of a planned motion."""
    pictures = []
    program = subprocess.Popen(["ros2", "run", PACKAGE, "move_robot", target])
    while program.poll() is None:
        begin = time.monotonic()
        pictures.append(Image.open(io.BytesIO(page.screenshot())).convert("RGB"))
        time.sleep(max(0.0, begin + PERIOD - time.monotonic()))
    return pictures


def write(pictures: list[Image.Image]) -> None:
    """Write an animation with the colors of its first, middle and last picture."""
    small = [picture.resize(SIZE, Image.Resampling.LANCZOS) for picture in pictures]
    width, height = SIZE
    some = Image.new("RGB", (width, 3 * height))
    for row, picture in enumerate((small[0], small[len(small) // 2], small[-1])):
        some.paste(picture, (0, row * height))
    # The most different colors: the small robot is not gray.
    palette = some.quantize(128, method=Image.Quantize.MAXCOVERAGE)
    first, *others = [
        picture.quantize(palette=palette, dither=Image.Dither.NONE) for picture in small
    ]
    duration = round(1000 * PERIOD / SLOWNESS)
    first.save(GIF, save_all=True, append_images=others, duration=duration, loop=0)
    print(f"{GIF}: {len(small)} pictures, {GIF.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
