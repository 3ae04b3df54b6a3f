"""The table of methods against the documentation, the message types and the simulated robot."""

from __future__ import annotations

import re
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nao_motion_interfaces.srv as srv
import numpy as np
import pytest

from harness.nao.requests import REQUESTS, WHOLE_BODY, lists
from rigid_tree_kinematics.nao.errors import NaoError
from rigid_tree_kinematics.nao.guard.walk_state import WalkEffect
from rigid_tree_kinematics.nao.model.body import NaoBody
from rigid_tree_kinematics.nao.model.postures import posture_angles
from rigid_tree_kinematics.nao.robot.robot_state import RobotState
from rigid_tree_kinematics.nao.simulated.robot.robot import CYCLE, SimulatedRobot
from rigid_tree_kinematics.nao.simulated.robot.tasks import Task
from rigid_tree_kinematics.nao.simulated.server import services_of
from rigid_tree_kinematics.nodes.nao.methods import METHODS
from rigid_tree_kinematics.nodes.nao.robot.checks import checked
from rigid_tree_kinematics.nodes.nao.robot.robot import NaoRobot

DOCUMENT = (Path(__file__).parents[3] / "docs" / "nao.md").read_text()
ROW = re.compile(r"^\| `([\w.]+)` \| `(\w+)` \| (\w+) \| (.*) \|$", re.MULTILINE)
BY_NAME = {method.name: method for method in METHODS}
ALIASES = {"ALMotion.killWalk"}  # simulated, but not offered: an alias of killMove
OUTCOME = {"success", "message"}
LONGEST = 3.0  # s of simulated time that a call of these requests takes

every_method = pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)


def request_of(method):
    return method.kind.Request(**REQUESTS.get(method.name, {}))


def fields_of(message):
    return set(message.get_fields_and_field_types())


# -- documentation -------------------------------------------------------------------------------


@dataclass(frozen=True)
class Documented:
    naoqi: str
    kind: str
    note: str


DOCUMENTED = {
    name: Documented(naoqi, kind, note) for naoqi, name, kind, note in ROW.findall(DOCUMENT)
}


def test_the_documentation_has_the_rows_of_the_table_in_their_order():
    assert len(BY_NAME) == len(METHODS) == len(ROW.findall(DOCUMENT))
    assert list(DOCUMENTED) == [method.name for method in METHODS]


@every_method
def test_a_row_is_documented_with_its_type(method):
    documented = DOCUMENTED[method.name]
    assert documented.naoqi == method.naoqi.removeprefix("ALMotion.")
    assert documented.kind == method.kind.__name__
    assert ("also an action" in documented.note) == (method.lasting is not None)


def test_every_method_of_the_simulated_robot_is_offered():
    services = services_of(SimulatedRobot())
    simulated = {
        f"{service}.{method}"
        for service in ("ALMotion", "ALRobotPosture")
        for method in services[service]
    }
    assert simulated - ALIASES == {method.naoqi for method in METHODS}


# -- messages ------------------------------------------------------------------------------------


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


@every_method
def test_every_field_of_a_request_becomes_an_argument(method):
    request = Watched(request_of(method))
    method.arguments(request)
    assert fields_of(request.message) <= request.read


@every_method
def test_every_field_of_a_reply_is_filled_with_what_the_robot_returns(method, behaviours):
    behaviour = behaviours[method.name]
    reply = Watched(method.kind.Response())
    method.fill(behaviour.value, reply, request_of(method), NaoBody())
    assert reply.written == fields_of(reply.message) - OUTCOME


@pytest.mark.parametrize(
    "method", [method for method in METHODS if method.lasting], ids=lambda method: method.name
)
def test_an_action_has_the_fields_of_the_service(method):
    lasting = method.lasting
    assert (
        lasting.kind.Goal.get_fields_and_field_types()
        == method.kind.Request.get_fields_and_field_types()
    )
    assert (
        lasting.kind.Result.get_fields_and_field_types()
        == method.kind.Response.get_fields_and_field_types()
    )
    assert "seconds" in lasting.kind.Feedback.get_fields_and_field_types()
    assert lasting.stop in METHODS
    goal = lasting.kind.Goal(**REQUESTS[method.name])
    stopped_by = lasting.stop.arguments(request_of(lasting.stop))
    assert len(lasting.stop.arguments(goal)) == len(stopped_by)


# -- behaviour of the simulated robot ------------------------------------------------------------


class Robot:
    """A simulated robot whose time passes only where a test says so."""

    def __init__(self):
        self.robot = SimulatedRobot()
        self.services = services_of(self.robot)
        self.stand()

    def stand(self):
        """Have it awake and standing, its head turned, with nothing under way."""
        self.call("ALMotion.killAll")
        model, posture = self.robot.model, posture_angles(self.robot.body, "StandInit")
        posture |= {"HeadYaw": 0.3, "HeadPitch": -0.1}
        self.live(1.0)
        model.stiffnesses[:] = 1.0
        model.set_angles(list(posture), list(posture.values()))
        assert not self.walks

    def call(self, naoqi, *arguments):
        service, name = naoqi.split(".")
        return self.services[service][name](*arguments)

    def live(self, seconds):
        for _ in range(round(seconds / CYCLE)):
            self.robot.step()

    @property
    def walks(self):
        return self.call("ALMotion.moveIsActive")


@dataclass(frozen=True)
class Behaviour:
    """What a method did to a robot that stood."""

    value: Any
    blocks: bool
    moves_joints: bool
    walks: bool  # soon after the call


def observed(robot, method):
    """Call a method of a standing robot; return what it did."""
    robot.stand()
    before = robot.robot.model.commands.copy()
    if method.name in WHOLE_BODY:
        robot.call("ALMotion.wbEnable", True)
        robot.call("ALMotion.wbEnableEffectorControl", "LArm", True)
    value = robot.call(method.naoqi, *method.arguments(request_of(method)))
    robot.live(0.1)
    walks = robot.walks
    if isinstance(value, Task):
        for _ in range(round(LONGEST / CYCLE)):
            robot.robot.step()
        assert value.is_done
    moved = not np.array_equal(robot.robot.model.commands, before)
    if isinstance(value, Future):
        return Behaviour(value.result(), False, moved, walks)
    if isinstance(value, Task):
        return Behaviour(value.outcome(), True, moved, walks)
    return Behaviour(value, False, moved, walks)


@pytest.fixture(scope="module")
def behaviours():
    robot = Robot()
    return {method.name: observed(robot, method) for method in METHODS}


@every_method
def test_a_method_that_blocks_is_documented_as_such(method, behaviours):
    returns_later = "blocks" in DOCUMENTED[method.name].note
    assert behaviours[method.name].blocks == returns_later
    if method.lasting:
        assert behaviours[method.name].blocks


@every_method
def test_a_method_that_starts_a_walk_says_so(method, behaviours):
    assert behaviours[method.name].walks == bool(method.walk & WalkEffect.STARTS)


@pytest.mark.parametrize(
    "method",
    [method for method in METHODS if method.walk & WalkEffect.ENDS],
    ids=lambda method: method.name,
)
def test_a_method_that_says_it_ends_the_walk_does(method):
    """Not the other way round: a walk that ended unnoticed is stopped once more, to no harm."""
    robot = Robot()
    robot.call("ALMotion.move", 0.05, 0.0, 0.0)
    robot.live(0.5)
    assert robot.walks
    value = robot.call(method.naoqi, *method.arguments(request_of(method)))
    if isinstance(value, Task):
        robot.live(LONGEST)
        if not value.is_done:  # it waits for somebody else to stop the robot
            robot.call("ALMotion.stopMove")
            robot.live(LONGEST)
        assert value.is_done
    robot.live(0.5)  # the last step
    assert not robot.walks


@every_method
def test_a_method_that_moves_joints_or_walks_names_limp_ones(method, behaviours):
    """Except wake_up and rest, which change the stiffness themselves."""
    limp = NaoRobot(None, NaoBody(), None, None)
    none = np.zeros(len(limp.body.joint_names))
    limp.state = RobotState(
        limp.body,
        tuple(range(len(none))),
        *(none,) * 5,
        np.eye(4),
        [0.0] * 3,
        np.zeros(3),
        np.zeros(3),
        [0.0] * 3,
        (),
        [],
    )
    remarks = checked(limp, method, request_of(method))
    behaviour = behaviours[method.name]
    moves = behaviour.moves_joints or behaviour.walks
    says = any("will not move" in remark for remark in remarks)
    assert says == (moves and method.name not in ("wake_up", "rest"))


# -- arguments and values ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "fields", "wanted"),
    [
        ("get_angles", {"names": ["Body"], "use_sensors": True}, ["Body", True]),
        ("get_angles", {"names": ["A", "B"]}, [["A", "B"], False]),
        (
            "set_angles",
            {"names": ["A"], "angles": [0.5], "fraction_max_speed": 0.25},
            ["A", 0.5, 0.25],
        ),
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
    ],
)
def test_requests_become_the_methods_arguments(name, fields, wanted):
    method = BY_NAME[name]
    assert method.arguments(method.kind.Request(**fields)) == wanted


@pytest.mark.parametrize(("count", "row"), [(4, 12), (3, 16)])
def test_the_times_decide_how_a_path_of_transforms_is_divided(count, row):
    request = srv.PositionInterpolations.Request(
        names=["LArm"],
        paths=lists([float(k) for k in range(48)]),
        axis_masks=[7],
        time_lists=lists([float(k + 1) for k in range(count)]),
    )
    path = BY_NAME["transform_interpolations"].arguments(request)[2][0]
    assert path == [[float(k) for k in range(n * row, n * row + 12)] for n in range(count)]


def filled(name, value, /, **fields):
    method = BY_NAME[name]
    reply = method.kind.Response()
    method.fill(value, reply, method.kind.Request(**fields), NaoBody())
    return reply


def test_values_of_a_real_robots_shape_are_understood():
    names = ["Model Type", "Head Version", "Body Version"]
    config = filled("get_robot_config", [names, ["naoH25", "VERSION_50", "VERSION_50"]])
    assert (config.names, config.values[0]) == (names, "naoH25")
    tasks = filled("get_task_list", [["angleInterpolation", 12, "ALMotion", 20]]).tasks
    assert [(task.name, task.id) for task in tasks] == [("angleInterpolation", 12)]
    limits = filled("get_limits", [[-2.0, 2.0, 8.0]], name="HeadYaw").limits
    assert [(row.name, row.max_torque) for row in limits] == [("HeadYaw", 0.0)]
    assert filled("go_to_posture", None).value


def test_limits_of_another_body_are_not_given_wrong_names():
    rows = [[-2.0, 2.0, 8.0, 1.0]] * 22  # of a robot without wrists and hands
    with pytest.raises(NaoError, match="set the parameters version"):
        filled("get_limits", rows, name="Body")
