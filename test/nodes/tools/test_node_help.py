"""``ros2 run ... NODE --help``: every program describes itself, and starts nothing."""

from ament_index_python.packages import get_package_prefix

from harness.processes import run
from rigid_tree_kinematics.launching import PACKAGE
from rigid_tree_kinematics.node_help import help_of, parameters_of


def test_a_program_prints_its_help_and_ends() -> None:
    program = f"{get_package_prefix(PACKAGE)}/lib/{PACKAGE}/frame_watch"
    for flag in ("-h", "--help"):
        ended = run(program, flag)
        assert (ended.returncode, ended.stderr) == (0, "")
        assert ended.stdout == help_of("frame_watch") + "\n"


def test_parameters_have_their_types_defaults_and_ranges() -> None:
    found = {parameter.name: parameter for parameter in parameters_of("frame_watch")}
    assert found["timeout"][1:4] == ("double", "30.0", "0.1 to 3600")
    assert found["frames"][1:4] == ("string[]", '[""]', "")
    assert "timeout (double, default 30.0, 0.1 to 3600)" in help_of("frame_watch")
    assert "-p robot:=panda" in help_of("ik_server")
