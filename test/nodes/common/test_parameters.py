"""Parameters as dataclasses: declarations, accepted and rejected values, for every node."""

import importlib
import pkgutil
from dataclasses import dataclass, fields
from typing import get_type_hints

import pytest
import rclpy
from rclpy.exceptions import InvalidParameterValueException
from rclpy.node import Node
from rclpy.parameter import Parameter
from std_msgs.msg import String

from harness.processes import wait_until
from harness.start.parameters import check_descriptions
from rigid_tree_kinematics import load_robot, nodes
from rigid_tree_kinematics.description import write_urdf
from rigid_tree_kinematics.errors import ConfigurationError
from rigid_tree_kinematics.nodes.common.process.parameters import (
    Parameters,
    on_parameter_change,
    parameter,
    shortened,
)
from rigid_tree_kinematics.nodes.common.requests import JointParameters
from rigid_tree_kinematics.nodes.common.robot import LATCHED, RobotSource
from rigid_tree_kinematics.nodes.planning.parameters import PlannerSettings


@dataclass(frozen=True)
class Settings(Parameters):
    rate: float = parameter(50.0, "Messages a second.", low=1.0, high=100.0, unit="Hz")
    count: int = parameter(3, "How many.", low=1, high=5)
    mode: str = parameter("slow", "The pace.", choices=("slow", "fast"))
    port: int = parameter(80, "The port.", low=0, high=99, start_only=True)
    pose: tuple[float, ...] = parameter((1.0, 2.0), "Where.", unit="m")
    names: tuple[str, ...] = parameter(("",), "Who.")
    loud: bool = parameter(False, "Whether to shout.")

    def check(self) -> None:
        if self.loud and self.mode == "slow":
            raise ConfigurationError("slow is not loud")


@pytest.fixture
def made(ros):
    nodes: list[Node] = []

    def make(**overrides: object) -> tuple[Node, Settings]:
        given = [Parameter(name, value=value) for name, value in overrides.items()]
        nodes.append(rclpy.create_node("settings", parameter_overrides=given))
        return nodes[-1], Settings.declare(nodes[-1])

    yield make
    for node in nodes:
        node.destroy_node()


def test_defaults_and_descriptors(made):
    node, settings = made()
    assert settings == Settings()
    described = node.describe_parameter("rate")
    assert described.description == "Messages a second [Hz]."
    assert described.floating_point_range[0].from_value == 1.0
    assert described.floating_point_range[0].to_value == 100.0
    assert node.describe_parameter("count").integer_range[0].to_value == 5
    assert node.describe_parameter("mode").description == "The pace. One of: slow, fast."
    port = node.describe_parameter("port")
    assert port.read_only
    assert port.description == "The port. Set at start only."


def test_values_at_start_are_converted_or_rejected_by_name(made):
    _, settings = made(rate=20, pose=[3, 4], names=["a", "b"])
    assert (settings.rate, settings.pose, settings.names) == (20.0, (3.0, 4.0), ("a", "b"))
    refused = (ConfigurationError, InvalidParameterValueException)
    nan = float("nan")
    for name, values in {
        "rate": (0.5, 1000, "fast", True, nan),
        "count": (6,),
        "mode": ("idle",),
        "pose": ([1.0, nan],),
        "loud": (True,),
    }.items():
        for value in values:
            with pytest.raises(refused, match="slow is not loud" if name == "loud" else name):
                made(**{name: value})


def test_changes_are_checked_then_taken_over(made):
    node, settings = made()

    def apply(changed):
        nonlocal settings
        settings = settings.changed(changed)

    on_parameter_change(node, lambda changed: settings.changed(changed), apply)

    def set_to(name, value):
        return node.set_parameters([Parameter(name, value=value)])[0]

    assert set_to("rate", 30).successful
    assert settings.rate == 30.0
    wrong = {"rate": (0, "x"), "mode": ("idle",), "count": (9,), "port": (81,), "loud": (True,)}
    for name, values in wrong.items():
        for result in (set_to(name, value) for value in values):
            assert not result.successful
            assert result.reason
    assert settings == Settings(rate=30.0)
    both = [Parameter("loud", value=True), Parameter("mode", value="fast")]
    assert node.set_parameters_atomically(both).successful
    assert settings.loud


def test_a_rejected_robot_leaves_the_parameters_of_the_present_one(ros):
    given = [Parameter("at.shoulder_lift_joint", value=100.0)]
    node = rclpy.create_node("joints", parameter_overrides=given)
    joints = JointParameters(node, "at", "Position of {}")
    joints.declare(load_robot("panda").compiled())
    before = node.get_parameters_by_prefix("at").keys()
    with pytest.raises(ConfigurationError, match="shoulder_lift_joint"):
        joints.declare(load_robot("ur5").compiled())
    assert len(before) == 7
    assert node.get_parameters_by_prefix("at").keys() == before
    node.destroy_node()


def test_a_parameters_robot_is_not_replaced_by_one_that_was_loading(ros):
    node = rclpy.create_node("source")
    used = []

    def prepare(description):
        if description.tree.name == "panda":  # which takes so long that a user names another one
            assert node.set_parameters([Parameter("robot", value="ur5")])[0].successful
        return description.tree.name

    source = RobotSource(node, prepare, used.append)
    source.begin()
    on_parameter_change(node, source.check, source.apply)
    publisher = node.create_publisher(String, "robot_description", LATCHED)
    publisher.publish(String(data=write_urdf(load_robot("panda"))))
    wait_until(lambda: rclpy.spin_once(node, timeout_sec=0.1) or used, "a robot")
    assert used == ["ur5"]
    assert source.from_parameters
    node.destroy_node()


NODES = {
    "frame_watch": {"frames": ["a b"]},
    "ik_server": {"robot": "panda"},
    "joint_state_source": {"robot": "panda"},
    "robot_simulator": {"robot": "panda"},
    "rrt_planner": {"robot": "panda"},
    "tree_state_publisher": {"robot": "panda"},
}


def test_every_parameter_of_a_node_has_a_description_and_every_number_a_range(network):
    check_descriptions(network, NODES)


def test_no_number_of_any_node_is_legal_and_useless():
    """Zero may have a meaning of its own; what is hardly more than it has none."""
    for module in pkgutil.walk_packages(nodes.__path__, f"{nodes.__name__}."):
        importlib.import_module(module.name)
    for program in nodes.programs().values():  # of all installed packages
        importlib.import_module(program.module)
    kinds = [kind for kind in Parameters.__subclasses__() if kind.__module__.startswith("rigid")]
    assert len(kinds) > 12
    for kind in kinds:
        for field in fields(kind):
            bounds = field.metadata["declaration"].range
            if get_type_hints(kind)[field.name] not in (float, tuple[float, ...]):
                continue
            for useless in (float("inf"), float("-inf"), float("nan")):
                with pytest.raises(ConfigurationError):
                    bounds.checked(field.name, useless)
            if "[Hz]" in field.metadata["declaration"].description:
                assert bounds.low >= 0.1, (kind, field.name)
            if bounds.or_zero:
                assert bounds.checked(field.name, 0) == 0.0
                with pytest.raises(ConfigurationError, match="must be 0 or in"):
                    bounds.checked(field.name, 5e-324)


def test_inconsistent_numbers_are_rejected():
    with pytest.raises(ConfigurationError, match="less than a step"):
        PlannerSettings(spacing=0.5, step=0.5).check()


def test_names_in_short():
    names = [
        "a.x.one",
        "a.x.two",
        "a.y.one",
        "a.y.two",
        "alone",
        "b.1",
        "b.2",
        "b.3",
        "b.4",
        "b.5",
    ]
    assert shortened(names, ["a.x.three"]) == ["a.{x, y}.{one, two}", "alone", "b.*"]
    assert shortened(names[5:], ["b.6"]) == ["b.{1, 2, 3, 4, 5}"]
    assert shortened(["b.1", "c.1"], []) == ["{b, c}.1"]
    assert shortened(["b", "b.1"], []) == ["b", "b.1"]
