"""Modules without kernels load no heavy libraries; missing packages are reported."""

from harness.start.imports import check_light, check_missing

LIGHT = ("rigid_tree_web.nodes.web_viewer",)
TASKS = {
    "mcap_ros2": (
        "from rigid_tree_web.panels.recording import read_mcap; "
        "from rigid_tree_kinematics import load_robot; "
        "read_mcap(b'', load_robot('ur5').compiled(), 'a.mcap')"
    ),
    **dict.fromkeys(
        ("viser", "nh3", "markdown_it"),
        "from rigid_tree_web.web.guard import Guard; "
        "from rigid_tree_web.web.page import open_page; "
        "open_page('localhost', 0, Guard.of('localhost'), print)",
    ),
}


def test_light_modules_load_nothing_heavy():
    check_light(LIGHT)


def test_tasks_report_their_missing_packages(tmp_path):
    check_missing(TASKS, tmp_path)
