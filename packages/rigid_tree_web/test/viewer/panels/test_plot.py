"""The plot, playback and files of recordings on the page of web_viewer, in a real browser."""

import csv
import io

import numpy as np
import pytest
from builtin_interfaces.msg import Duration
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from harness.page.robot import BEGIN

SECONDS = 2  # of a motion
# The chart says what it draws: its data, size, and whether a line has a path.
CHART = """() => {
  const {chart} = Object.values(window.__viserTestpoints.uplots ?? {})[0] ?? {};
  if (!chart) return null;
  const box = chart.over.getBoundingClientRect();
  const legend = chart.root.querySelector(".u-legend").getBoundingClientRect();
  return {
    data: chart.data.map((row) => Array.from(row)),
    labels: chart.series.map((series) => series.label),
    colors: chart.series.map((series) => series._stroke),
    box: [box.x, box.y, box.width, box.height],
    legend: legend.height,
  };
}"""

FILE = "input[type=file][accept='.csv,.mcap']"


@pytest.fixture(scope="module")
def page(shared_page):
    shared_page.restore()
    shared_page.unfold("Motion")
    yield shared_page
    shared_page.browser.get_by_label("Plot").uncheck()
    shared_page.unfold("Motion")


def chart(page):
    return page.browser.evaluate(CHART)


def record(page, target):
    """Record a motion of the first joint."""
    page.browser.get_by_role("button", name="Record", exact=True).click()
    page.browser.get_by_role("button", name="Stop recording").wait_for()
    point = JointTrajectoryPoint(positions=[target], time_from_start=Duration(sec=SECONDS))
    motion = JointTrajectory(joint_names=["panda_joint1"], points=[point])
    page.network.publisher(JointTrajectory, "joint_trajectory", 10).publish(motion)
    # The page can lag behind this process, and records what it has received.
    field = page.slider("panda_joint1")
    page.until(lambda: abs(float(field.input_value()) - target) < 1e-3, "the arrival on the page")
    page.browser.get_by_role("button", name="Stop recording").click()
    page.browser.get_by_role("button", name="Record", exact=True).wait_for()


def test_curves_of_the_last_seconds_and_their_limits_are_seen(page):
    page.browser.get_by_label("Plot").check()
    page.choose("Quantity", "Position")
    compiled = page.tree.compiled()
    limits = sorted([*compiled.lower, *compiled.upper])

    def wide():
        """Return the chart of positions once it is wide."""
        shown = chart(page)
        found = sorted(row[0] for row in shown["data"][8:]) if shown else []
        is_wide = found and shown["box"][2] > 300
        return shown if is_wide and found == pytest.approx(limits) else None

    shown = page.until(wide, "a wide chart with limits")
    assert shown["box"][3] > 120
    assert shown["legend"] < shown["box"][3]  # it does not fill the window
    assert shown["labels"][:8] == ["s", *page.tree.joint_names]
    assert len(set(shown["colors"][1:8])) == 7
    np.testing.assert_allclose([row[-1] for row in shown["data"][1:8]], page.where(), atol=1e-3)
    # The values below the mouse are read from the legend: here the last ones.
    x, y, width, height = shown["box"]
    page.browser.mouse.move(x + 0.99 * width, y + 0.5 * height)
    first = page.browser.locator(".u-series", has_text="panda_joint1").first
    page.until(lambda: first.locator(".u-value").inner_text() not in ("--", ""), "a value")
    value = float(first.locator(".u-value").inner_text().replace("−", "-"))
    assert value == pytest.approx(page.where()[0], abs=0.01)


def test_velocities_of_a_recording_keep_their_limits(page):
    page.put(BEGIN)
    page.browser.get_by_label("Plot").check()
    record(page, 0.4)
    page.browser.get_by_role("button", name="Play back").click()
    page.choose("Quantity", "Velocity")
    limit = page.tree.compiled().velocity_limit[0]

    def speeds():
        shown = chart(page)
        return shown and shown["labels"][1:] and np.array(shown["data"][1])

    def bounds():
        return {row[0] for row in (chart(page) or {"data": []})["data"][8:]}

    page.until(lambda: {limit, -limit} <= bounds() and np.max(speeds()) > 0.2, "velocities")
    mean = (0.4 - BEGIN[0]) / SECONDS
    assert mean < np.max(speeds()) < 2.2 * mean
    page.choose("Quantity", "Acceleration")
    page.until(lambda: chart(page) and len(chart(page)["labels"]) == 8, "no limits")
    page.browser.get_by_role("button", name="Back to the robot").click()


def test_a_recording_is_saved_loaded_and_played_in_a_loop(page):
    page.put([0.4, *BEGIN[1:]])
    page.browser.get_by_label("Plot").check()
    record(page, -0.6)
    page.browser.get_by_role("button", name="Play back").click()
    page.until(lambda: page.turn() < -0.4, "the playback")
    with page.browser.expect_download() as download:
        page.browser.get_by_role("button", name="Download CSV").click()
    text = download.value.path().read_text()
    rows = list(csv.DictReader(io.StringIO(text)))
    assert float(rows[-1]["panda_joint1"]) == pytest.approx(-0.6, abs=0.01)
    assert min(float(row["panda_joint1/velocity"]) for row in rows) < -0.3
    # Another file: the first joint at 1 rad, then at 2 rad.
    head, *_ = text.splitlines()
    lines = [head]
    for time, at in ((0.0, 1.0), (0.5, 2.0), (1.0, 2.0)):
        values = {"time": time, "panda_joint1": at}
        lines.append(",".join(str(values.get(name, 0.0)) for name in head.split(",")))
    load = {"name": "a.csv", "mimeType": "text/csv", "buffer": "\n".join(lines).encode()}
    page.browser.locator(FILE).set_input_files(load)
    page.until_turned(1.0)
    page.browser.get_by_label("Loop").check()
    page.choose("Speed", "1/2")
    page.browser.get_by_role("button", name="Play back").click()
    for at in (2.0, 1.0, 2.0):
        page.until_turned(at)
    bad = {"name": "b.csv", "mimeType": "text/csv", "buffer": b"time,x\n1,2\n"}
    page.browser.locator(FILE).set_input_files(bad)
    page.until(lambda: page.browser.get_by_text("not a recording: b.csv:1").count(), "a rejection")
    page.browser.get_by_role("button", name="Back to the robot").click()
    page.until_turned(-0.6)
    # Later tests wait for the end of a playback, which a loop shows for a moment only.
    page.browser.get_by_label("Loop").uncheck()
    page.choose("Speed", "1")
    page.browser.get_by_label("Plot").uncheck()
    page.until(lambda: not page.browser.locator(".uplot canvas").count(), "no plot")
    # viser drops what comes for a chart that was replaced meanwhile, and says so.
    assert [error for error in page.errors if "non-existent component" not in error] == []
    assert "internal error" not in page.viewer.output


def test_a_recording_is_saved_and_loaded_as_mcap(page):
    pytest.importorskip("mcap_ros2")
    page.put(BEGIN)
    record(page, 0.2)
    page.browser.get_by_role("button", name="Play back").click()
    page.until_turned(0.2)
    with page.browser.expect_download() as download:
        page.browser.get_by_role("button", name="Download MCAP").click()
    file = {"name": "a.mcap", "mimeType": "", "buffer": download.value.path().read_bytes()}
    page.browser.get_by_role("button", name="Back to the robot").click()
    page.browser.locator(FILE).set_input_files(file)
    page.until_turned(BEGIN[0])
    page.browser.get_by_role("button", name="Back to the robot").click()
    page.until_turned(0.2)
