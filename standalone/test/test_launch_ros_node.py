"""Node's command line, as rcl parses it in a real node."""

import json
import os
import sys
from pathlib import Path

import pytest
import rclpy
import yaml
from launch import LaunchContext
from launch.actions import GroupAction, SetLaunchConfiguration
from launch.substitutions import LaunchConfiguration, SubstitutionFailure, TextSubstitution
from launch_ros.actions import Node, PushROSNamespace, PushRosNamespace, SetParameter
from launch_ros.parameter_descriptions import ParameterValue
from launch_ros.substitutions import ExecutableInPackage, FindPackageShare
from launching import install, output_of, run
from rclpy.node import Node as RclpyNode

PROGRAM = (
    "#!/bin/sh\nexec {python} -c 'import json, sys; print(json.dumps(sys.argv[1:]))' \"$@\"\n"
)


@pytest.fixture(autouse=True)
def prefix(tmp_path, monkeypatch) -> Path:
    """An installed package whose executable ``talker`` prints its arguments."""
    prefix = tmp_path / "install"
    install(prefix, "a_package", "talker", PROGRAM.format(python=sys.executable))
    monkeypatch.setenv("AMENT_PREFIX_PATH", str(prefix), prepend=os.pathsep)
    return prefix


def talker(**kwargs) -> Node:
    return Node(package="a_package", executable="talker", **kwargs)


def arguments_of(node: Node, *others, in_group=False) -> list[str]:
    """Return the arguments that the executable received."""
    return json.loads(output_of(node, *others, in_group=in_group)[0])


class Seen:
    """Name and parameters of a node with these arguments."""

    def __init__(self, arguments: list[str]) -> None:
        context = rclpy.Context()
        rclpy.init(args=["talker", *arguments], context=context)
        try:
            node = RclpyNode(
                "own_name", context=context, automatically_declare_parameters_from_overrides=True
            )
            self.name = node.get_fully_qualified_name()
            self.topic = node.resolve_topic_name("chatter")
            values = {name: p.value for name, p in node._parameters.items()}
            self.parameters = {
                name: list(value)
                if hasattr(value, "__len__") and not isinstance(value, (str, bytes))
                else value
                for name, value in values.items()
                if name not in ("use_sim_time", "start_type_description_service")
            }
            self.use_sim_time = values.get("use_sim_time")
            node.destroy_node()
        finally:
            rclpy.shutdown(context=context)


def seen(node: Node, *others, in_group=False) -> Seen:
    return Seen(arguments_of(node, *others, in_group=in_group))


def test_arguments_come_before_ros_arguments():
    node = talker(arguments=["a", LaunchConfiguration("b")], ros_arguments=["--log-level", "info"])
    arguments = arguments_of(node, SetLaunchConfiguration("b", "2"))
    assert arguments == ["a", "2", "--ros-args", "--log-level", "info", "--ros-args"]


@pytest.mark.parametrize(
    ("pushed", "namespace", "name", "full_name"),
    [
        ([], None, None, "/own_name"),
        ([], None, "n", "/n"),
        ([], "a", "n", "/a/n"),
        ([], "/a/b", None, "/a/b/own_name"),
        ([], "", "n", "/n"),
        (["a"], None, "n", "/a/n"),
        (["a"], "b", "n", "/a/b/n"),
        (["a"], "/b", "n", "/b/n"),
        (["a", "b"], "c", "n", "/a/b/c/n"),
        (["a", "/b"], None, "n", "/b/n"),
        (["a/"], "b/", "n", "/a/b/n"),
        ([""], None, "n", "/n"),
        (["/"], "a", "n", "/a/n"),
        (["a"], [LaunchConfiguration("x"), "_y"], "n", "/a/x_y/n"),
    ],
)
def test_namespaces_are_composed(pushed, namespace, name, full_name):
    node = talker(namespace=namespace, name=name)
    pushes = [PushROSNamespace(part) for part in pushed]
    assert seen(node, SetLaunchConfiguration("x", "x"), *pushes).name == full_name


def test_namespace_ends_with_its_group():
    outside = talker(name="n")
    assert seen(outside, GroupAction([PushRosNamespace("a"), talker()])).name == "/n"
    inside = talker(name="n")
    assert seen(inside, PushRosNamespace("a"), in_group=True).name == "/a/n"


@pytest.mark.parametrize(
    "entities",
    [
        [PushROSNamespace("not valid")],
        [talker(namespace="not valid")],
        [talker(name="not/valid")],
        [Node(package="a_package", executable="no_such_executable")],
        [Node(package="no_such_package", executable="talker")],
        [talker(parameters=[{"a": TextSubstitution(text="[1, two]")}])],
        [talker(parameters=[{"a": TextSubstitution(text="{1: 2}")}])],
        [talker(parameters=[{"a": []}])],
    ],
    ids=["pushed", "namespace", "name", "executable", "package", "mixed", "mapping", "empty"],
)
def test_invalid_nodes_are_errors(entities):
    assert run(entities)[0] == 1


VALUES = [
    (1, 1),
    (1.5, 1.5),
    (True, True),
    ("text", "text"),
    ("", ""),
    ("5", "5"),
    ("true", "true"),
    ("a: b # c", "a: b # c"),
    ("line\nline", "line\nline"),
    ([1, 2], [1, 2]),
    ([1, 2.5], [1.0, 2.5]),
    ([True, False], [True, False]),
    (["a", "b"], ["a", "b"]),
    (["1", "2"], ["1", "2"]),
    (("a",), ["a"]),
    (LaunchConfiguration("n"), 3),
    (LaunchConfiguration("t"), "text"),
    (LaunchConfiguration("empty"), ""),
    (LaunchConfiguration("list"), [1, 2]),
    (["a", LaunchConfiguration("n")], "a3"),
    ([["a", LaunchConfiguration("n")], "b"], ["a3", "b"]),
    ([[LaunchConfiguration("n")], [LaunchConfiguration("n")]], [3, 3]),
    (ParameterValue(LaunchConfiguration("n"), value_type=str), "3"),
    (ParameterValue(LaunchConfiguration("n"), value_type=float), 3.0),
    (ParameterValue(LaunchConfiguration("t"), value_type=str), "text"),
    (ParameterValue(["x", LaunchConfiguration("n")], value_type=str), "x3"),
    (ParameterValue([1, 2]), [1, 2]),
]


def test_parameters_reach_the_node():
    settings = [
        SetLaunchConfiguration(name, text)
        for name, text in {"n": "3", "t": "text", "empty": "", "list": "[1, 2]"}.items()
    ]
    given = {f"p{k}": value for k, (value, _) in enumerate(VALUES)}
    parameters = seen(talker(parameters=[given]), *settings).parameters
    for k, (_, expected) in enumerate(VALUES):
        found = parameters[f"p{k}"]
        assert (found, type(found)) == (expected, type(expected)), VALUES[k]


def test_parameters_are_nested_and_later_entries_override_earlier_ones(tmp_path):
    file = tmp_path / "parameters.yaml"
    file.write_text(yaml.dump({"/**": {"ros__parameters": {"a": 1, "b": {"k": 2}, "f": 6}}}))
    node = talker(
        parameters=[
            {"a": 0, "d": 4},
            str(file),
            file,
            {"b": {"c": 3, "e": {"g": "x"}}, ("h", LaunchConfiguration("i")): 7},
        ],
    )
    assert seen(node, SetLaunchConfiguration("i", "i")).parameters == {
        "a": 1,
        "d": 4,
        "b.c": 3,
        "b.k": 2,
        "f": 6,
        "b.e.g": "x",
        "hi": 7,
    }
    assert seen(talker(parameters=[file, {"a": 0}])).parameters == {"a": 0, "b.k": 2, "f": 6}


def test_wrong_parameters_are_rejected_and_a_missing_file_is_skipped():
    for parameters in ("file", {"a": 1}, [{"a": object()}], [{"a": [1, object()]}]):
        with pytest.raises(TypeError):
            talker(parameters=parameters)
    assert arguments_of(talker(parameters=["/no/such/file", {"a": 1}])).count("--params-file") == 1


def test_remappings():
    node = talker(
        remappings=[("chatter", [LaunchConfiguration("t"), "_new"]), ("x", "y")], namespace="s"
    )
    assert seen(node, SetLaunchConfiguration("t", "topic")).topic == "/s/topic_new"


def test_parameters_for_all_nodes_of_a_group():
    settings = [SetLaunchConfiguration("x", "x"), SetLaunchConfiguration("v", "3")]
    parameters = [
        SetParameter("use_sim_time", True),
        SetParameter(["n", LaunchConfiguration("x")], LaunchConfiguration("v")),
        SetParameter("own", 1),
    ]
    inside = seen(talker(parameters=[{"own": 2}]), *settings, *parameters, in_group=True)
    assert (inside.parameters, inside.use_sim_time) == ({"nx": 3, "own": 2}, True)
    outside = seen(talker(), *settings, GroupAction([*parameters, talker()]))
    assert (outside.parameters, outside.use_sim_time) == ({}, False)


def test_packages_and_executables_are_found(prefix):
    context = LaunchContext()
    share = FindPackageShare(["a_", "package"])
    assert share.perform(context) == str(prefix / "share" / "a_package")
    executable = ExecutableInPackage("talker", "a_package")
    assert executable.perform(context) == str(prefix / "lib" / "a_package" / "talker")
    with pytest.raises(SubstitutionFailure, match="listener"):
        ExecutableInPackage("listener", "a_package").perform(context)


def test_process_name_is_the_executable_or_exec_name(prefix):
    plain, named = talker(), talker(exec_name="radio")
    assert run([plain, named])[0] == 0
    assert plain.process_details["name"].startswith("talker-")
    assert named.process_details["name"].startswith("radio-")
    by_path = Node(executable=str(prefix / "lib" / "a_package" / "talker"))
    assert arguments_of(by_path) == ["--ros-args"]
