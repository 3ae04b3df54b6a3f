"""Launches of moveit.launch.py with an invalid value exit with a reason and exit code 1."""

from pathlib import Path

from harness.start.launch_arguments import check_wrong_value

VALUES = {
    "/no/file": "cannot read '/no/file'",
    "a.yaml": "'a.yaml' must look like 'initial_",
    "b.yaml": "'b.yaml': the position of 'panda_joint1'",
}


def test_wrong_values_name_the_argument(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("panda_joint1: 1.0")
    (tmp_path / "b.yaml").write_text("initial_positions: {panda_joint1: [1, 2]}")
    for file, why in VALUES.items():
        words = ["rigid_tree_moveit", "moveit.launch.py", f"initial_positions:={file}"]
        check_wrong_value(words, why, tmp_path)
