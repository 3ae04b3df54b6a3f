"""Missing packages are reported."""

from harness.start.imports import check_missing

TASKS = {
    "mcap_ros2": (
        "from rigid_tree_web.panels.recording import read_mcap; "
        "from rigid_tree_kinematics import load_robot; "
        "read_mcap(b'', load_robot('ur5').compiled(), 'a.mcap')"
    ),
    **dict.fromkeys(
        ("viser", "nh3", "markdown_it"),
        "from rigid_tree_web.web.guard import AccessGuard; "
        "from rigid_tree_web.web.page import open_page; "
        "open_page('localhost', 0, AccessGuard.of('localhost'), print)",
    ),
}


def test_tasks_report_their_missing_packages(tmp_path):
    check_missing(TASKS, tmp_path)
