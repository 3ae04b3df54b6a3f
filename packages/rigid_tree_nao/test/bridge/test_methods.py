"""The table of methods against the documentation, the message types and the simulated robot."""

import asyncio
import math
import re
import sys
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nao_motion_interfaces.srv as srv
import numpy as np
import pytest
from nao_harness.clockless import ClocklessNao
from nao_harness.requests import REQUESTS, WHOLE_BODY, lists

from harness.processes import run
from rigid_tree_nao.errors import NaoError
from rigid_tree_nao.guard import WalkEffect
from rigid_tree_nao.model.body import NaoBody
from rigid_tree_nao.model.postures import posture_angles
from rigid_tree_nao.nodes.methods import METHODS
from rigid_tree_nao.nodes.methods.outcomes import Done
from rigid_tree_nao.nodes.robot import NaoRobot
from rigid_tree_nao.robot.nao_state import NaoState
from rigid_tree_nao.simulated.absent import ABSENT
from rigid_tree_nao.simulated.methods.walk_methods import OLDER_NAMES
from rigid_tree_nao.simulated.robot.tasks import Task

DOCUMENT = (Path(__file__).parents[4] / "docs" / "nao.md").read_text()
ROW = re.compile(r"^\| `([\w.]+)` \| `(\w+)` \| (\w+) \| (.*) \|$", re.MULTILINE)
# Simulated, but not offered: older names, switches without effect, and what the bridge replaces.
NOT_OFFERED = {
    *(f"ALMotion.{name}" for name in (*ABSENT["ALMotion"], *OLDER_NAMES.values())),
    *("ALMotion.killWalk", "ALMotion.getWalkArmsEnabled", "ALMotion.setMotionConfig"),
    *("ALMotion.areNotificationsEnabled", "ALMotion.setEnableNotifications"),
    "ALMotion.wbGoToBalanceWithSpeed",
    *("ALRobotPosture.getPostureFamilyList", "ALRobotPosture.setMaxTryNumber"),
} - {"ALMotion.walkTo"}
OUTCOME = {"success", "message"}
LONGEST = 3.0  # s of simulated time that a call of these requests takes


def request_of(method):
    return method.kind.Request(**REQUESTS.get(method.name, {}))


def arguments_of(method):
    return method.arguments(request_of(method))


def fields_of(message):
    return set(message.get_fields_and_field_types())


# -- documentation -------------------------------------------------------------------------------


NOTES = {name: note for _, name, _, note in ROW.findall(DOCUMENT)}


def test_the_documentation_and_the_simulated_robot_have_the_rows_of_the_table():
    rows = [(m.naoqi.removeprefix("ALMotion."), m.name, m.kind.__name__) for m in METHODS.values()]
    assert [row[:3] for row in ROW.findall(DOCUMENT)] == rows
    for method in METHODS.values():
        is_action = "also an action" in NOTES[method.name]
        assert is_action == (method.action is not None), method.name

    services = ClocklessNao().services
    rooms = ("ALMotion", "ALRobotPosture")
    simulated = {f"{room}.{method}" for room in rooms for method in services[room]}
    assert simulated - NOT_OFFERED == {method.naoqi for method in METHODS.values()}


# -- messages ------------------------------------------------------------------------------------


def test_the_bridge_needs_no_messages_of_the_older_drivers():
    program = "import sys; sys.modules['naoqi_bridge_msgs'] = None; import "
    ended = run(sys.executable, "-c", program + "rigid_tree_nao.nodes.nao_bridge")
    assert ended.returncode == 0, ended.stderr


class Watched:
    """A message that keeps which of its fields are read and written."""

    def __init__(self, message):
        self.__dict__.update(message=message, read=set(), written=set())

    def __getattr__(self, name):
        self.read.add(name)
        return getattr(self.message, name)

    def __setattr__(self, name, value):
        self.written.add(name)
        setattr(self.message, name, value)


def test_every_field_of_a_request_becomes_an_argument():
    for method in METHODS.values():
        request = Watched(request_of(method))
        method.arguments(request)
        assert fields_of(request.message) <= request.read, method.name


def test_every_field_of_a_reply_is_filled(behaviors):
    for method in METHODS.values():
        reply = Watched(method.kind.Response())
        method.fill(behaviors[method.name].value, reply, arguments_of(method), NaoBody())
        assert reply.written == fields_of(reply.message) - OUTCOME, method.name


def test_an_action_has_the_fields_of_the_service():
    for method in METHODS.values():
        if not method.action:
            continue
        action, stop = method.action.kind, METHODS[method.action.stop]
        for ours, service in ((action.Goal, "Request"), (action.Result, "Response")):
            fields = getattr(method.kind, service).get_fields_and_field_types()
            assert ours.get_fields_and_field_types() == fields, method.name
        assert "seconds" in action.Feedback.get_fields_and_field_types(), method.name
        goal = action.Goal(**REQUESTS[method.name])
        assert len(stop.arguments(goal)) == len(arguments_of(stop)), method.name


# -- behavior of the simulated robot ------------------------------------------------------------


class Robot(ClocklessNao):
    """A simulated robot that stands."""

    def __init__(self):
        super().__init__()
        self.stand()

    def stand(self):
        """Have it awake and standing, its head turned, an arm moved, with nothing under way."""
        self.killAll()
        model, posture = self.model, posture_angles(self.robot.body, "StandInit")
        posture |= {"HeadYaw": 0.3, "HeadPitch": -0.1, "LShoulderPitch": 1.3}
        self.advance(1.0)
        model.stiffnesses[:] = 1.0
        model.set_angles(list(posture), list(posture.values()))
        assert not self.walks

    def call(self, naoqi, *arguments):
        service, name = naoqi.split(".")
        return self.services[service][name](*arguments)

    @property
    def walks(self):
        return self.moveIsActive()


@dataclass(frozen=True)
class Behavior:
    """What a method did to a robot that stood."""

    value: Any
    blocks: bool
    moves_joints: bool
    walks: bool  # soon after the call


def observed(robot, method):
    """Call a method of a standing robot; return what it did."""
    robot.stand()
    before = robot.model.commands.copy()
    if method.name in WHOLE_BODY:
        robot.wbEnable(True)
        robot.wbEnableEffectorControl("LArm", True)
    value = robot.call(method.naoqi, *arguments_of(method))
    robot.advance(0.1)
    walks = robot.walks
    if isinstance(value, Task):
        robot.advance(LONGEST)
        assert value.done()
    moved = not np.array_equal(robot.model.commands, before)
    blocks = isinstance(value, Task)
    if isinstance(value, Future):
        value = value.result()
    return Behavior(value, blocks, moved, walks)


@pytest.fixture(scope="module")
def behaviors():
    robot = Robot()
    return {method.name: observed(robot, method) for method in METHODS.values()}


def test_methods_that_block_or_start_a_walk_are_documented_as_such(behaviors):
    for method in METHODS.values():
        behavior = behaviors[method.name]
        assert behavior.blocks == ("blocks" in NOTES[method.name]), method.name
        assert behavior.blocks or not method.action, method.name
        assert behavior.walks == bool(method.walk & WalkEffect.STARTS), method.name


def test_method_marked_as_ending_the_walk_ends_it():
    """Not the other way round: a walk that ended unnoticed is stopped once more, to no harm."""
    robot = Robot()
    for method in METHODS.values():
        if not method.walk & WalkEffect.ENDS:
            continue
        robot.stand()
        robot.move(0.05, 0.0, 0.0)
        robot.advance(0.5)
        assert robot.walks, method.name
        value = robot.call(method.naoqi, *arguments_of(method))
        if isinstance(value, Task):
            robot.advance(LONGEST)
            assert value.done(), method.name
        robot.advance(0.5)  # the last step
        assert not robot.walks, method.name


def test_a_method_that_moves_joints_or_walks_names_joints_without_stiffness(behaviors):
    """Except wake_up and rest, which change the stiffness themselves."""
    robot = NaoRobot(None, NaoBody(), None, None)
    none, vector = np.zeros(len(robot.body.joint_names)), np.zeros(3)
    joints = tuple(range(len(none)))
    robot.state = NaoState(
        *(robot.body, joints, *(none,) * 5, np.eye(4), [0.0] * 3, vector, vector, [0.0] * 3),
        *((), []),
    )
    for method in METHODS.values():
        remarks = method.remarks(robot, arguments_of(method))
        behavior = behaviors[method.name]
        moves = behavior.moves_joints or behavior.walks
        warns = any("will not move" in remark for remark in remarks)
        assert warns == (moves and method.name not in ("wake_up", "rest")), method.name


# -- arguments and values ------------------------------------------------------------------------


def test_requests_become_the_methods_arguments():
    for name, fields, wanted in (
        ("get_angles", {"names": ["Body"], "use_sensors": True}, ["Body", True]),
        ("get_angles", {"names": ["A", "B"]}, [["A", "B"], False]),
        ("set_angles", {"names": ["A"], "angles": [0.5]}, ["A", 0.5, 0.0]),
        ("set_stiffnesses", {"names": ["Body"], "stiffnesses": [1.0]}, ["Body", 1.0]),
        ("kill_tasks_using_resources", {"names": ["Head"]}, [["Head"]]),
        (
            "angle_interpolation",
            {
                "names": ["A"],
                "angle_lists": lists([0.5, 1.0]),
                "time_lists": lists([1.0, 2.0]),
                "is_absolute": True,
            },
            [["A"], [[0.5, 1.0]], [[1.0, 2.0]], True],
        ),
        ("get_position", {"name": "LArm", "space": 2}, ["LArm", 2, False]),
        ("move", {"x": 0.5, "y": 0.25, "theta": -1.0}, [0.5, 0.25, -1.0]),
        ("wb_enable_balance_constraint", {"name": "Legs", "enable": True}, [True, "Legs"]),
        (
            "set_transform",
            {"name": "LArm", "transform": [float(k) for k in range(16)], "axis_mask": 7},
            ["LArm", 0, [float(k) for k in range(12)], 0.0, 7],
        ),
        (
            "position_interpolations",
            {
                "names": ["LArm"],
                "paths": lists([float(k) for k in range(12)]),
                "axis_masks": [7],
                "time_lists": lists([1.0, 2.0]),
            },
            [["LArm"], 0, [[[0.0, 1, 2, 3, 4, 5], [6, 7, 8, 9, 10, 11]]], [7], [[1.0, 2.0]]],
        ),
        ("go_to_posture", {"posture_name": "Sit", "speed": 0.5}, ["Sit", 0.5]),
    ):
        method = METHODS[name]
        assert method.arguments(method.kind.Request(**fields)) == wanted, name

    # The times decide how a path of transforms is divided.
    numbers = [float(k) for k in range(48)]
    for count, row in ((4, 12), (3, 16)):
        times = lists([float(k + 1) for k in range(count)])
        request = srv.PositionInterpolations.Request(
            names=["LArm"], paths=lists(numbers), axis_masks=[7], time_lists=times
        )
        path = METHODS["transform_interpolations"].arguments(request)[2][0]
        assert path == [numbers[n * row : n * row + 12] for n in range(count)], count


def test_paths_without_a_name_or_an_axis_mask_each_are_rejected():
    for name, path in (("position", [0.0] * 6), ("transform", [0.0] * 12)):
        method = METHODS[f"{name}_interpolations"]
        right = {"names": ["LArm", "RArm"], "axis_masks": [7, 7]}
        shared = {"paths": lists(path, path), "time_lists": lists([1.0], [1.0])}
        assert method.arguments(method.kind.Request(**right, **shared))
        for wrong in ({"names": ["LArm"]}, {"axis_masks": [7]}):
            with pytest.raises(NaoError, match="2 paths"):
                method.arguments(method.kind.Request(**{**right, **wrong}, **shared))


def filled(name, value, /, **fields):
    method = METHODS[name]
    reply = method.kind.Response()
    method.fill(value, reply, method.arguments(method.kind.Request(**fields)), NaoBody())
    return reply


def test_values_of_a_real_robots_shape_are_understood_or_rejected():
    names = ["Model Type", "Head Version", "Body Version"]
    config = filled("get_robot_config", [names, ["naoH25", "VERSION_50", "VERSION_50"]])
    assert (config.names, config.values[0]) == (names, "naoH25")
    tasks = filled("get_task_list", [["angleInterpolation", 12, "ALMotion", 20]]).tasks
    assert [(task.name, task.id) for task in tasks] == [("angleInterpolation", 12)]
    limits = filled("get_limits", [[-2.0, 2.0, 8.0]], name="HeadYaw").limits
    assert [(row.name, row.max_torque) for row in limits] == [("HeadYaw", 0.0)]
    assert filled("go_to_posture", None).value

    # Limits of another body are not given wrong names.
    rows = [[-2.0, 2.0, 8.0, 1.0]] * 22  # of a robot without wrists and hands
    with pytest.raises(NaoError, match="set the parameters version"):
        filled("get_limits", rows, name="Body")


def test_the_feet_are_the_places_of_the_left_and_the_right_one():
    # The form of NAOqi's documentation, "getFootSteps".
    feet = [[0.1, 0.05, 0.2], [0.1, -0.05, 0.2]]
    reply = filled("get_foot_steps", [feet, [], [["RLeg", 0.6, [0.02, -0.1, 0.0]]]])
    found = [(step.leg_name, step.x, step.y, step.theta) for step in reply.feet]
    assert found == [("LLeg", *feet[0]), ("RLeg", *feet[1])]
    assert reply.changeable[0].leg_name == "RLeg"


class Walker:
    """A robot that has walked to a place."""

    walk_range = 1.0

    def __init__(self, *place):
        self.place = place

    def stiffness_warning(self, names):
        return ""

    async def query(self, *call):
        return self.place


def test_places_are_relative_to_the_one_before():
    moves = [[0.8, 0.0, math.pi / 2.0], [0.5, 0.0, 0.0], [0.5, 0.0, 0.3]]
    method = METHODS["move_to_places"]
    assert method.check(Walker(), [moves[:2]]) == [""]
    with pytest.raises(NaoError, match=r"1\.281 m away"):  # the root of 0.8^2 + 1.0^2
        method.check(Walker(), [moves])
    done = Done([moves], True, 0.0, [1.0, 2.0, math.pi])
    assert asyncio.run(method.outcome(Walker(0.2, 1.0, -math.pi / 2.0 + 0.3), done)) == ""
    missed = asyncio.run(method.outcome(Walker(0.5, 2.0, -math.pi / 2.0 + 0.3), done))
    assert "did not arrive" in missed
