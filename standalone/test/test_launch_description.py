"""Launch descriptions: arguments, includes, groups and events."""

from threading import Thread

import pytest
from launch import (
    Event,
    EventHandler,
    LaunchDescription,
    LaunchDescriptionSource,
    LaunchService,
)
from launch.actions import (
    DeclareLaunchArgument,
    EmitEvent,
    GroupAction,
    IncludeLaunchDescription,
    LogInfo,
    OpaqueFunction,
    RegisterEventHandler,
    SetEnvironmentVariable,
    SetLaunchConfiguration,
    Shutdown,
    TimerAction,
)
from launch.conditions import IfCondition, UnlessCondition
from launch.event_handlers import OnShutdown
from launch.launch_description_sources import (
    AnyLaunchDescriptionSource,
    InvalidLaunchFileError,
    PythonLaunchDescriptionSource,
    get_launch_description_from_any_launch_file,
)
from launch.substitutions import LaunchConfiguration, TextSubstitution
from launching import FIXTURES, note, run


def configuration(name: str):
    return lambda context: context.launch_configurations.get(name)


def test_argument_has_default_or_given_value():
    notes = []
    exit_code, _ = run(
        [
            SetLaunchConfiguration("given", "from outside"),
            DeclareLaunchArgument("given", default_value="default"),
            DeclareLaunchArgument("other", default_value=["d", LaunchConfiguration("given")]),
            note(notes, configuration("given")),
            note(notes, configuration("other")),
        ]
    )
    assert exit_code == 0
    assert notes == ["from outside", "dfrom outside"]


@pytest.mark.parametrize(
    "entities",
    [
        [DeclareLaunchArgument("missing")],
        [
            SetLaunchConfiguration("choice", "c"),
            DeclareLaunchArgument("choice", choices=["a", "b"]),
        ],
        [LogInfo(msg=LaunchConfiguration("absent"))],
        [OpaqueFunction(function=lambda context: [][0])],
        [LogInfo(msg="", condition=IfCondition("perhaps"))],
    ],
    ids=["argument missing", "not among choices", "no configuration", "error", "no condition"],
)
def test_error_sets_exit_code_1_and_stops_the_launch(entities):
    notes = []
    shutdown = RegisterEventHandler(OnShutdown(on_shutdown=[note(notes, "shut down")]))
    exit_code, _ = run([shutdown, *entities, note(notes, "not reached")])
    assert exit_code == 1
    assert notes == ["shut down"]


def test_bad_declarations_are_rejected():
    with pytest.raises(RuntimeError, match="choices"):
        DeclareLaunchArgument("a", default_value="c", choices=["a", "b"])
    with pytest.raises(RuntimeError, match="empty"):
        DeclareLaunchArgument("a", choices=[])


@pytest.mark.parametrize(
    ("kwargs", "description"),
    [
        ({}, "no description given"),
        ({"description": "what for"}, "what for"),
        ({"choices": ["a"]}, "One of: ['a']"),
        ({"description": "what", "choices": ["a"]}, "what. Valid choices are: ['a']"),
        ({"description": "what.", "choices": ["a"]}, "what. Valid choices are: ['a']"),
    ],
)
def test_description_of_argument(kwargs, description):
    assert DeclareLaunchArgument("a", **kwargs).description == description


@pytest.mark.parametrize("truth", ["true", "True", " 1 "])
@pytest.mark.parametrize("falsehood", ["false", "FALSE", "0"])
def test_conditions(truth, falsehood):
    notes = []
    run(
        [
            GroupAction([note(notes, "if true")], condition=IfCondition(truth)),
            GroupAction([note(notes, "if false")], condition=IfCondition(falsehood)),
            GroupAction([note(notes, "unless true")], condition=UnlessCondition(truth)),
            GroupAction([note(notes, "unless false")], condition=UnlessCondition(falsehood)),
        ]
    )
    assert notes == ["if true", "unless false"]


def test_group_is_a_scope_by_default(monkeypatch):
    monkeypatch.setenv("A_VARIABLE", "outside")
    notes = []
    change = [
        SetLaunchConfiguration("a", "inside"),
        SetEnvironmentVariable("A_VARIABLE", "inside"),
    ]
    look = [
        note(notes, configuration("a")),
        note(notes, lambda context: context.environment["A_VARIABLE"]),
    ]
    exit_code, _ = run(
        [
            SetLaunchConfiguration("a", "outside"),
            GroupAction([*look, *change, *look]),
            *look,
            GroupAction(change, scoped=False),
            *look,
        ]
    )
    assert exit_code == 0
    assert notes == ["outside"] * 2 + ["inside"] * 2 + ["outside"] * 2 + ["inside"] * 2


def test_include_has_arguments_but_no_scope():
    notes = []
    inner = LaunchDescription(
        [
            DeclareLaunchArgument("a"),
            note(notes, configuration("a")),
            SetLaunchConfiguration("b", "from inside"),
        ]
    )
    exit_code, _ = run(
        [
            IncludeLaunchDescription(
                LaunchDescriptionSource(inner),
                launch_arguments=[("a", TextSubstitution(text="given"))],
            ),
            note(notes, configuration("a")),
            note(notes, configuration("b")),
        ]
    )
    assert exit_code == 0
    assert notes == ["given", "given", "from inside"]


def test_include_without_a_required_argument_fails():
    inner = LaunchDescription([DeclareLaunchArgument("a", description="what for")])
    exit_code, context = run([IncludeLaunchDescription(LaunchDescriptionSource(inner))])
    assert exit_code == 1
    action = IncludeLaunchDescription(LaunchDescriptionSource(inner))
    with pytest.raises(RuntimeError, match=r"'a'.*what for"):
        action.execute(context)


@pytest.mark.parametrize(
    "source", [PythonLaunchDescriptionSource, AnyLaunchDescriptionSource, str]
)
def test_launch_file_is_included(source):
    path = str(FIXTURES / "including.launch.py")
    exit_code, _ = run(
        [
            IncludeLaunchDescription(source(path), launch_arguments=[("model", "nao")]),
        ]
    )
    assert exit_code == 0


def test_broken_launch_files_are_reported(tmp_path):
    for name, content, message in (
        ("a.launch.py", "def", "SyntaxError"),
        ("b.launch.py", "x = 1", "generate_launch_description"),
        ("c.launch.py", "import no_such_module_here", "no_such_module_here"),
    ):
        path = tmp_path / name
        path.write_text(content)
        with pytest.raises(InvalidLaunchFileError, match=message):
            get_launch_description_from_any_launch_file(str(path))
        exit_code, _ = run([IncludeLaunchDescription(str(path))])
        assert exit_code == 1


def test_arguments_are_listed_once_including_those_of_includes():
    inner = LaunchDescription([DeclareLaunchArgument("a"), DeclareLaunchArgument("b")])
    outer = LaunchDescription(
        [
            DeclareLaunchArgument("a", description="the outer one"),
            IncludeLaunchDescription(LaunchDescriptionSource(inner)),
            GroupAction([DeclareLaunchArgument("c")]),
            GroupAction([DeclareLaunchArgument("d")], condition=IfCondition("true")),
            DeclareLaunchArgument("e", condition=IfCondition("true")),
            RegisterEventHandler(
                EventHandler(matcher=lambda event: False, entities=[DeclareLaunchArgument("f")])
            ),
            TimerAction(period=1.0, actions=[DeclareLaunchArgument("g")]),
        ]
    )
    arguments = outer.get_launch_arguments()
    assert [argument.name for argument in arguments] == list("abcdefg")
    assert arguments[0].description == "the outer one"
    conditional = [argument.name for argument in arguments if argument._conditionally_included]
    assert conditional == list("defg")


def test_opaque_function_may_return_entities():
    notes = []

    def function(context, *args, **kwargs):
        return [note(notes, args), note(notes, kwargs)]

    run([OpaqueFunction(function=function, args=[1, 2], kwargs={"a": 3})])
    assert notes == [(1, 2), {"a": 3}]
    with pytest.raises(TypeError):
        OpaqueFunction(function="not callable")


class Hello(Event):
    name = "test.Hello"


def test_newest_handlers_get_the_event_first_and_locals_contain_it():
    notes = []

    def handler(label, **kwargs):
        return EventHandler(
            matcher=lambda event: isinstance(event, Hello),
            entities=[note(notes, lambda context: (label, context.locals.event.name))],
            **kwargs,
        )

    run(
        [
            RegisterEventHandler(handler("older")),
            RegisterEventHandler(handler("once", handle_once=True)),
            EmitEvent(event=Hello()),
            EmitEvent(event=Hello()),
        ]
    )
    assert [label for label, _ in notes] == ["once", "older", "older"]
    assert {name for _, name in notes} == {"test.Hello"}


def test_timer_fires_unless_cancelled():
    notes = []
    cancelled = TimerAction(period=0.2, actions=[note(notes, "cancelled")])
    exit_code, _ = run(
        [
            cancelled,
            TimerAction(period=0.4, actions=[note(notes, "second")]),
            TimerAction(period=LaunchConfiguration("p", default=0.1), actions=[note(notes, 1)]),
            OpaqueFunction(function=lambda context: cancelled.cancel()),
        ]
    )
    assert exit_code == 0
    assert notes == [1, "second"]
    with pytest.raises(TypeError):
        TimerAction(period=1, actions=[])


def test_shutdown_cancels_timers_and_runs_handlers():
    notes = []
    exit_code, _ = run(
        [
            RegisterEventHandler(
                OnShutdown(on_shutdown=lambda event, context: notes.append(event.reason))
            ),
            TimerAction(period=1000.0, actions=[note(notes, "not reached")]),
            Shutdown(reason="enough"),
        ]
    )
    assert exit_code == 0
    assert notes == ["enough"]


def test_service_can_be_shut_down_and_run_again():
    service = LaunchService()
    for _ in range(2):
        end = OpaqueFunction(function=lambda _: Thread(target=service.shutdown).start())
        service.include_launch_description(LaunchDescription([end]))
        assert service.run(shutdown_when_idle=False) == 0
        assert service.context.is_shutdown
