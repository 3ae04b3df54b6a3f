"""Launches of demos with an invalid argument or value exit with a reason and exit code 1."""

from pathlib import Path

from harness.start.launch_arguments import (
    TAKEN,
    check_failed_start,
    check_misspelt,
    check_wrong_value,
    taken_port,
)

PACKAGE = "rigid_tree_demos"
PLANAR = (PACKAGE, "planar_rrt.launch.py")


def test_misspelt_arguments_are_rejected() -> None:
    # Of the file that it includes.
    check_misspelt([PACKAGE, "double_pendulum.launch.py", "wob:=true"], "web")


def test_wrong_values_are_named() -> None:
    check_wrong_value([*PLANAR, "seed:=x"], "'seed' to 'x'")
    check_wrong_value([*PLANAR, "web:=true", "web_port:=abc"], "'port' to 'abc'")


def test_a_node_that_cannot_start_ends_the_launch(tmp_path: Path) -> None:
    with taken_port() as port:
        check_failed_start("demo.launch.py", {"web_port": port}, TAKEN, tmp_path / "log")
