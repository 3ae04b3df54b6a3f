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
from launch.events import Shutdown as ShutdownEvent
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


def test_declarations_have_valid_choices_and_a_description():
    with pytest.raises(RuntimeError, match="choices"):
        DeclareLaunchArgument("a", default_value="c", choices=["a", "b"])
    with pytest.raises(RuntimeError, match="empty"):
        DeclareLaunchArgument("a", choices=[])
    for given, description in (
        ({}, "no description given"),
        ({"description": "what for"}, "what for"),
        ({"choices": ["a"]}, "One of: ['a']"),
        ({"description": "what.", "choices": ["a"]}, "what. Valid choices are: ['a']"),
    ):
        assert DeclareLaunchArgument("a", **given).description == description


def test_conditions():
    for words, truth in (("true True 1", True), ("false FALSE 0", False)):
        for word in words.split():
            notes = []
            made = IfCondition(f" {word} "), UnlessCondition(word)
            run([GroupAction([note(notes, type(c).__name__)], condition=c) for c in made])
            assert notes == ["IfCondition" if truth else "UnlessCondition"], word


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
    given = [("a", TextSubstitution(text="given"))]
    include = IncludeLaunchDescription(LaunchDescriptionSource(inner), launch_arguments=given)
    reporting = [note(notes, configuration(name)) for name in "ab"]
    assert run([include, *reporting])[0] == 0
    assert notes == ["given", "given", "from inside"]

    lacking = LaunchDescription([DeclareLaunchArgument("x", description="what for")])
    exit_code, context = run([IncludeLaunchDescription(LaunchDescriptionSource(lacking))])
    assert exit_code == 1
    with pytest.raises(RuntimeError, match=r"'x'.*what for"):
        IncludeLaunchDescription(LaunchDescriptionSource(lacking)).execute(context)


def test_launch_file_is_included():
    path = str(FIXTURES / "including.launch.py")
    for source in (PythonLaunchDescriptionSource, AnyLaunchDescriptionSource, str):
        include = IncludeLaunchDescription(source(path), launch_arguments=[("model", "nao")])
        assert run([include])[0] == 0


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
    first = TimerAction(period=LaunchConfiguration("p", default=0.1), actions=[note(notes, 1)])
    second = TimerAction(period=0.4, actions=[note(notes, "second")])
    stop = OpaqueFunction(function=lambda context: cancelled.cancel())
    assert run([cancelled, second, first, stop])[0] == 0
    assert notes == [1, "second"]
    with pytest.raises(TypeError):
        TimerAction(period=1, actions=[])


def test_shutdown_cancels_timers_and_runs_handlers():
    for end in (Shutdown(reason="enough"), EmitEvent(event=ShutdownEvent(reason="enough"))):
        notes = []
        reporting = OnShutdown(
            on_shutdown=[note(notes, lambda context: context.locals.event.reason)]
        )
        late = TimerAction(period=1000.0, actions=[note(notes, "not reached")])
        assert run([RegisterEventHandler(reporting), late, end])[0] == 0
        assert notes == ["enough"]


def test_service_can_be_shut_down_and_run_again():
    service = LaunchService()
    for _ in range(2):
        end = OpaqueFunction(function=lambda _: Thread(target=service.shutdown).start())
        service.include_launch_description(LaunchDescription([end]))
        assert service.run(shutdown_when_idle=False) == 0
        assert service.context.is_shutdown
