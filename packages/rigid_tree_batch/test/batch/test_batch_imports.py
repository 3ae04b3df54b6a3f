"""Missing packages are reported with the install command."""

from harness.start.imports import check_missing

TASKS = {
    "zarr": "from rigid_tree_batch import ReachMap; ReachMap.open('map.zarr')",
    "pyarrow": "from rigid_tree_batch import ik_data; ik_data('ur5', 'poses', 1)",
}


def test_tasks_report_their_missing_packages(tmp_path):
    check_missing(TASKS, tmp_path)
