"""What ``ros2 launch`` does: find launch files, show their arguments, run them."""

from __future__ import annotations

import pytest
from ament_index_python.packages import PackageNotFoundError
from launching import FIXTURES, launched
from ros2launch.api import (
    InvalidLaunchFileError,
    MultipleLaunchFilesError,
    get_share_file_path_from_package,
    is_launch_file,
    launch_a_launch_file,
    print_arguments_of_launch_file,
)

INCLUDING = FIXTURES / "including.launch.py"


@pytest.fixture
def share(tmp_path, monkeypatch):
    """The share directory of an installed package ``a_package``."""
    (tmp_path / "share" / "ament_index" / "resource_index" / "packages").mkdir(parents=True)
    (tmp_path / "share" / "ament_index" / "resource_index" / "packages" / "a_package").touch()
    share = tmp_path / "share" / "a_package"
    share.mkdir()
    monkeypatch.setenv("AMENT_PREFIX_PATH", str(tmp_path))
    return share


def test_launch_file_is_found_anywhere_in_its_package(share):
    path = share / "launch" / "deep" / "a.launch.py"
    path.parent.mkdir(parents=True)
    path.touch()
    find = {"package_name": "a_package", "file_name": "a.launch.py"}
    assert get_share_file_path_from_package(**find) == str(path)
    assert is_launch_file(str(path))
    assert not is_launch_file(str(share / "b.launch.py"))
    assert not is_launch_file(str(share))
    (share / "a.launch.py").touch()
    with pytest.raises(MultipleLaunchFilesError) as error:
        get_share_file_path_from_package(**find)
    assert sorted(error.value.paths) == sorted([str(path), str(share / "a.launch.py")])


def test_missing_files_and_packages_are_named(share):
    with pytest.raises(FileNotFoundError, match=r"b\.launch\.py.*a_package"):
        get_share_file_path_from_package(package_name="a_package", file_name="b.launch.py")
    with pytest.raises(PackageNotFoundError, match="no_such_package"):
        get_share_file_path_from_package(package_name="no_such_package", file_name="b.launch.py")


def test_arguments_are_shown_as_ros2_launch_shows_them(capsys):
    print_arguments_of_launch_file(launch_file_path=str(INCLUDING))
    assert capsys.readouterr().out == (
        "Arguments (pass arguments as '<name>:=<value>'):\n"
        "\n    'model':\n        which model\n        (default: 'panda')\n"
        "\n    'verbose':\n        no description given\n        (default: 'false')\n"
        "\n    'level':*\n        no description given\n        (default: '1')\n"
        "\n* argument(s) which are only used if specific conditions occur\n"
    )


def test_arguments_of_an_included_file_are_shown(tmp_path, capsys):
    outer = tmp_path / "outer.launch.py"
    outer.write_text(
        "from launch import LaunchDescription\n"
        "from launch.actions import IncludeLaunchDescription\n"
        "def generate_launch_description():\n"
        f"    included = IncludeLaunchDescription({str(FIXTURES / 'included.launch.py')!r})\n"
        "    return LaunchDescription([included])\n"
    )
    print_arguments_of_launch_file(launch_file_path=str(outer))
    assert capsys.readouterr().out == (
        "Arguments (pass arguments as '<name>:=<value>'):\n"
        "\n    'robot':\n        which robot. Valid choices are: ['panda', 'nao']\n"
        "\n    'inner':\n        no description given\n"
        "        (default: 'of ' + LaunchConfig('robot'))\n"
    )


def test_no_arguments(tmp_path, capsys):
    path = tmp_path / "empty.launch.py"
    path.write_text(
        "from launch import LaunchDescription\ngenerate_launch_description = LaunchDescription\n"
    )
    print_arguments_of_launch_file(launch_file_path=str(path))
    assert capsys.readouterr().out.endswith("\n  No arguments.\n")
    path.write_text("broken(")
    with pytest.raises(InvalidLaunchFileError):
        print_arguments_of_launch_file(launch_file_path=str(path))


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ((), ["robot=panda", "inner=of panda"]),
        (("model:=nao",), ["robot=nao", "inner=of nao"]),
        (("model:=a", "model:=nao", "inner:=x:=y"), ["robot=nao", "inner=x:=y"]),
    ],
)
def test_launch_file_runs_with_arguments(arguments, expected):
    with launched(INCLUDING, *arguments) as launch:
        assert launch.wait() == 0
    for text in expected:
        assert f"[INFO] [launch.user]: included {text}\n" in launch.output
    assert f"included file={FIXTURES / 'included.launch.py'}\n" in launch.output
    assert f"included directory={FIXTURES}\n" in launch.output
    assert "after include set_inside=yes" in launch.output
    assert "level=" not in launch.output


@pytest.mark.parametrize(
    ("arguments", "message"),
    [(("model:=pepper",), "pepper"), (("verbose:=perhaps",), "perhaps")],
)
def test_bad_arguments_fail(arguments, message):
    with launched(INCLUDING, *arguments) as launch:
        assert launch.wait() == 1
    assert message in launch.output
    assert "[ERROR] [launch]: Caught exception in launch" in launch.output


@pytest.mark.parametrize("argument", ["model", "model:=", ":=nao", "model=nao"])
def test_malformed_arguments_are_refused(argument):
    with pytest.raises(RuntimeError, match=f"'{argument}'"):
        launch_a_launch_file(launch_file_path=str(INCLUDING), launch_file_arguments=[argument])
