"""The parameters of MoveIt's configuration files that a node was started with."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from rcl_interfaces.msg import ParameterDescriptor
from rclpy.node import Node

from rigid_tree_kinematics.description.srdf import Bounds, with_joint_limits
from rigid_tree_kinematics.errors import ConfigurationError
from rigid_tree_kinematics.model import RigidBodyTree
from rigid_tree_kinematics.model.joints import INTERVAL
from rigid_tree_kinematics.nodes.base import RobotDescription
from rigid_tree_kinematics.nodes.planning import ACTIONS, Controller

PLANNING = "robot_description_planning"  # MoveIt's name for joint_limits.yaml and Pilz' limits
KINEMATICS = "robot_description_kinematics"  # MoveIt's name for kinematics.yaml
CONTROLLERS = "moveit_simple_controller_manager"  # MoveIt's name for moveit_controllers.yaml
TRAJECTORY, GRIPPER = "FollowJointTrajectory", "GripperCommand"  # types of controllers
# Weights of the orientation, of KDL's plugin and of pick_ik and bio_ik: 0 ignores it.
ORIENTATION_WEIGHTS = ("orientation_vs_position", "rotation_scale")
# MoveIt's names of parameters that have other names here.
SAME: dict[str, str] = {
    "ompl.start_state_max_bounds_error": "start_state_max_bounds_error",
    f"{PLANNING}.default_velocity_scaling_factor": "velocity_scale",
    f"{PLANNING}.default_acceleration_scaling_factor": "acceleration_scale",
    **{
        f"{PLANNING}.cartesian_limits.{name}": name
        for name in ("max_trans_vel", "max_trans_acc", "max_trans_dec", "max_rot_vel")
    },
}


@dataclass(frozen=True)
class GroupSolver:
    """Inverse kinematics of a group: its default time limit (s), and what it reaches."""

    timeout: float | None = None
    position_only: bool = False  # whether it ignores the orientation


@dataclass(frozen=True)
class GivenLimits:
    """Limits by position name (rad, m, s); those that are not given are missing."""

    positions: dict[str, Bounds] = field(default_factory=dict)
    velocity: dict[str, float] = field(default_factory=dict)
    acceleration: dict[str, float] = field(default_factory=dict)
    jerk: dict[str, float] = field(default_factory=dict)

    @property
    def rates(self) -> dict[str, dict[str, float]]:
        """The limits of the derivatives."""
        kinds = ("velocity", "acceleration", "jerk")
        return {kind: getattr(self, kind) for kind in kinds}

    def of_planner(self, tree: RigidBodyTree) -> dict[str, dict[str, float]]:
        """Return the limits of the derivatives, as arguments of MotionPlanner."""
        own = set(tree.position_names)  # not of mimic joints
        return {
            f"{kind}_limits": {name: value for name, value in values.items() if name in own}
            for kind, values in self.rates.items()
        }

    def applied(self, description: RobotDescription) -> RobotDescription:
        """Return a robot with these limits of positions and velocities; raises ModelError."""
        if not (self.positions or self.velocity):
            return description
        tree = with_joint_limits(description.tree, self.positions, self.velocity)
        return replace(description, tree=tree)


class Given:
    """The parameters of MoveIt's configuration that a node was started with.

    Those that are read are declared, so that the others can be reported.
    """

    def __init__(self, node: Node, values: Mapping[str, Any]) -> None:
        self._node, self._values = node, values
        self.notes: list[str] = []  # on parameters without effect

    def value(self, name: str, default: Any = None) -> Any:
        """Return a parameter, or a default for one that was not given."""
        if name not in self._values:
            return default
        if not self._node.has_parameter(name):
            reason = "As in MoveIt's configuration files."
            descriptor = ParameterDescriptor(description=reason, read_only=True)
            descriptor.dynamic_typing = True
            self._node.declare_parameter(name, self._values[name], descriptor)
        return self._values[name]

    def number(self, name: str, low: float = -math.inf) -> float | None:
        """Return a finite number above ``low``, None if not given; raises ConfigurationError."""
        value = self.value(name)
        if value is None:
            return None
        is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
        if not is_number or not low < value < math.inf:
            wanted = "finite" if low == -math.inf else f"finite and above {low:g}"
            raise ConfigurationError(f"{name} must be {wanted}, not '{value}'")
        return float(value)

    def by_our_names(self) -> dict[str, Any]:
        """Return the parameters that have other names here, by these."""
        return {ours: self.value(name) for name, ours in SAME.items() if name in self._values}

    def joint_limits(self, tree: RigidBodyTree) -> GivenLimits:
        """Return the limits of joint_limits.yaml for a robot; raises ConfigurationError."""
        found = GivenLimits()
        for joint in tree.joints:
            for name, position in zip(joint.position_names, joint.layout.positions, strict=True):
                prefix = f"{PLANNING}.joint_limits.{name}"
                # Like in MoveIt, positions on circles have no limits, and the flag is not needed.
                if position.kind == INTERVAL:
                    self.value(f"{prefix}.has_position_limits")
                    bounds = [self.number(f"{prefix}.{end}_position") for end in ("min", "max")]
                    if bounds != [None, None]:
                        found.positions[name] = bounds[0], bounds[1]
                for kind, values in found.rates.items():
                    flag, most = f"{prefix}.has_{kind}_limits", f"{prefix}.max_{kind}"
                    is_set = self._values.get(flag)
                    if not isinstance(is_set, bool) or (is_set and most not in self._values):
                        continue  # without its flag or its value, it has no effect
                    if joint.mimic is not None and kind != "velocity":
                        continue  # it follows the motion of its source
                    self.value(most)
                    if self.value(flag) is True:
                        values[name] = self.number(most, 0.0) or math.inf
        return found

    def start_tolerances(self, tree: RigidBodyTree) -> dict[str, float]:
        """Return the start tolerances of joints that have their own; raises ConfigurationError."""
        prefix = "trajectory_execution.allowed_start_tolerance_joints"
        given = {name: self.number(f"{prefix}.{name}") for name in tree.position_names}
        return {name: value for name, value in given.items() if value is not None and value >= 0.0}

    def solvers(self, groups: Iterable[str]) -> dict[str, GroupSolver]:
        """Return the settings of kinematics.yaml; raises ConfigurationError."""
        found = {}
        for group in groups:
            prefix = f"{KINEMATICS}.{group}"
            flag = f"{prefix}.position_only_ik"
            only = isinstance(self._values.get(flag), bool) and bool(self.value(flag))
            for name in ORIENTATION_WEIGHTS:
                if self._values.get(f"{prefix}.{name}") == 0:
                    only = self.value(f"{prefix}.{name}") == 0
            timeout = self.number(f"{prefix}.kinematics_solver_timeout", 0.0)
            found[group] = GroupSolver(timeout, only)
        return found

    def controllers(self) -> tuple[Controller, ...]:
        """Return the controllers of moveit_controllers.yaml, preferred ones first.

        Those that are incomplete or of an unknown type are noted.
        """
        parameter = f"{CONTROLLERS}.controller_names"
        names = _names(self._values.get(parameter))
        if names:
            self.value(parameter)
        found = [self._controller(name) for name in names]
        known = [controller for controller in found if controller is not None]
        preferred = {
            each.name for each in known if self.value(f"{CONTROLLERS}.{each.name}.default", False)
        }
        return tuple(sorted(known, key=lambda each: each.name not in preferred))

    def _controller(self, name: str) -> Controller | None:
        """Return a controller; None, and a note, for one that is incomplete or unknown."""
        prefix = f"{CONTROLLERS}.{name}"
        kind = str(self._values.get(f"{prefix}.type", ""))
        joints = _names(self._values.get(f"{prefix}.joints"))
        if kind not in ACTIONS or not joints:
            reason = f"type '{kind}'; known: {', '.join(ACTIONS)}" if joints else "no joints"
            self.notes.append(f"{prefix} ({reason})")
            return None

        def value(key: str, default: Any) -> Any:
            return self.value(f"{prefix}.{key}", default)

        def number(key: str) -> float:
            return self.number(f"{prefix}.{key}") or 0.0

        for key in ("type", "joints"):
            value(key, None)
        action = "/".join(filter(None, (name, str(value("action_ns", "")))))
        controller = Controller(action, name, joints, ACTIONS[kind])
        if kind == GRIPPER:
            if not value("parallel", False):
                joints = (value("command_joint", "") or joints[0],)
            allowed = bool(value("allow_failure", False))
            controller = replace(controller, joints=joints, allow_failure=allowed)
        elif kind != TRAJECTORY:  # ParallelGripperCommand
            joints, speed = joints[:1], number("max_velocity")
            controller = replace(controller, joints=joints, max_velocity=speed)
        if kind != TRAJECTORY:
            controller = replace(controller, max_effort=number("max_effort"))
        return controller


def _names(value: Any) -> tuple[str, ...]:
    """Return the names of a list; none of another value."""
    return tuple(str(name) for name in value if name) if isinstance(value, list) else ()
