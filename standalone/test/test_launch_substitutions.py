"""Substitutions: their texts, and their descriptions in ``--show-args``."""

import os
import shutil
import sys
from typing import List  # noqa: UP035 (the type annotation launch documents)

import pytest
from launch import LaunchContext, Substitution
from launch.substitutions import (
    Command,
    EnvironmentVariable,
    FindExecutable,
    LaunchConfiguration,
    PathJoinSubstitution,
    PythonExpression,
    SubstitutionFailure,
    TextSubstitution,
    ThisLaunchFileDir,
)
from launch.utilities import normalize_to_list_of_substitutions, perform_substitutions
from launch_ros.parameter_descriptions import ParameterValue


@pytest.fixture
def context(monkeypatch) -> LaunchContext:
    monkeypatch.setenv("A_VARIABLE", "from the environment")
    context = LaunchContext()
    context.launch_configurations.update(robot="panda", count="3", yes="true", name_of="robot")
    return context


NUMBER = LaunchConfiguration("count")
YES = LaunchConfiguration("yes")


@pytest.mark.parametrize(
    ("substitution", "text"),
    [
        (TextSubstitution(text="as it is"), "as it is"),
        (LaunchConfiguration("robot"), "panda"),
        (LaunchConfiguration("absent", default="nao"), "nao"),
        (LaunchConfiguration("absent", default=5), "5"),
        (LaunchConfiguration("absent", default=["a", LaunchConfiguration("robot")]), "apanda"),
        (LaunchConfiguration([LaunchConfiguration("name_of")]), "panda"),
        (EnvironmentVariable("A_VARIABLE"), "from the environment"),
        (EnvironmentVariable("NOT_THERE", default_value=["d", NUMBER]), "d3"),
        (PathJoinSubstitution(["a", LaunchConfiguration("robot"), "c.yaml"]), "a/panda/c.yaml"),
        (PythonExpression([NUMBER, " + 1"]), "4"),
        (PythonExpression("sqrt(16.0)"), "4.0"),
        (PythonExpression("os.sep", ["os"]), os.sep),
        (PythonExpression(["'", LaunchConfiguration("robot"), "' == 'panda'"]), "True"),
        (Command([sys.executable, " -c 'print(1 + 1)'"]), "2\n"),
        (Command("sh -c 'echo text; echo noise >&2'", on_stderr="ignore"), "text\n"),
        (Command("sh -c 'echo noise >&2'", on_stderr="capture"), "noise\n"),
        (FindExecutable(name="sh"), shutil.which("sh")),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Substitution) else value,
)
def test_substitution_returns_text(context, substitution, text):
    assert substitution.perform(context) == text


@pytest.mark.parametrize(
    ("substitution", "message"),
    [
        (LaunchConfiguration("absent"), "absent"),
        (EnvironmentVariable("NOT_THERE"), "NOT_THERE"),
        (FindExecutable(name="no-such-program-here"), "PATH"),
        (Command("no-such-program-here"), "no-such-program-here"),
        (Command("sh -c 'exit 3'"), "failed"),
        (Command("sh -c 'echo trouble >&2'"), "trouble"),
        (Command("true", on_stderr="sometimes"), "on_stderr"),
        (ThisLaunchFileDir(), "ThisLaunchFileDir .*launch file"),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Substitution) else value,
)
def test_failure_names_its_cause(context, substitution, message):
    with pytest.raises(SubstitutionFailure, match=message):
        substitution.perform(context)


def test_description():
    for substitution, description in (
        (TextSubstitution(text="x"), "'x'"),
        (LaunchConfiguration(["a", "b"]), "LaunchConfig('a' + 'b')"),
        (EnvironmentVariable("HOME"), "EnvVar('HOME')"),
        (PathJoinSubstitution(["a", "b"]), "PathJoin(''a' + 'b'')"),
        (PythonExpression("1"), "PythonExpr('1', ['math'])"),
        (Command("ls"), "Command('ls')"),
        (FindExecutable(name="sh"), "FindExec('sh')"),
        (ThisLaunchFileDir(), "ThisLaunchFileDir()"),
    ):
        assert substitution.describe() == description


def test_normalization_accepts_text_substitution_and_mixtures(context):
    for some, text in (("a", "a"), (NUMBER, "3"), (["a", NUMBER], "a3"), (("a", "b"), "ab")):
        assert perform_substitutions(context, normalize_to_list_of_substitutions(some)) == text
    with pytest.raises(TypeError, match="int"):
        normalize_to_list_of_substitutions(["a", 5])  # type: ignore[list-item]


@pytest.mark.parametrize(
    ("value", "data_type", "expected"),
    [
        (1.5, float, 1.5),
        (NUMBER, int, 3),
        (NUMBER, float, 3.0),
        (NUMBER, str, "3"),
        (NUMBER, None, 3),
        (YES, bool, True),
        (TextSubstitution(text="0"), bool, False),
        (TextSubstitution(text="[1, 2]"), List[int], [1, 2]),  # noqa: UP006
        ([1, 2.5], List[float], [1.0, 2.5]),  # noqa: UP006
        (["a", [NUMBER]], List[str], ["a", "3"]),  # noqa: UP006
        ([[NUMBER], [NUMBER]], List[int], [3, 3]),  # noqa: UP006
    ],
)
def test_typed_value(context, value, data_type, expected):
    result = ParameterValue(value, value_type=data_type).evaluate(context)
    assert result == expected
    assert type(result) is type(expected)


def test_a_value_of_the_wrong_type_is_rejected(context):
    """Values before the launch, texts during it."""
    numbers = List[int]  # noqa: UP006
    for value, data_type in (("a", int), ([1, "a"], None), ([1], int), (["a"], numbers)):
        with pytest.raises((TypeError, ValueError)):
            ParameterValue(value, value_type=data_type)
    for text, data_type in (
        ("three", int),
        ("perhaps", bool),
        ("[1, a]", numbers),
        ("5", numbers),
    ):
        value = ParameterValue(TextSubstitution(text=text), value_type=data_type)
        with pytest.raises(ValueError):  # noqa: PT011 (the wording differs)
            value.evaluate(context)
