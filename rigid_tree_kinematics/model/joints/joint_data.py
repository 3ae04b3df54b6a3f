"""Data of a joint beside its motion: mimic relation, friction, calibration, soft limits."""

from __future__ import annotations

import math
from dataclasses import dataclass

from rigid_tree_kinematics.errors import ModelError


@dataclass(frozen=True)
class Mimic:
    """This joint's position is ``multiplier * position(joint) + offset`` (rad or m).

    Example:
        >>> gripper = RigidBodyTree("gripper")
        >>> for name in ("left", "right"):
        ...     joint = Joint(name, "prismatic", limits=(0, 0.04))
        ...     joint.mimic = Mimic("left") if name == "right" else None
        ...     body = gripper.add_body(RigidBody(f"{name}_finger", joint), "base")
        >>> gripper.joint_names
        ('left',)
    """

    joint: str
    multiplier: float = 1.0
    offset: float = 0.0

    def __post_init__(self) -> None:
        if not (math.isfinite(self.multiplier) and math.isfinite(self.offset)):
            raise ModelError(f"mimic of '{self.joint}': multiplier and offset must be finite")


@dataclass(frozen=True)
class JointDynamics:
    """Viscous damping (N m s/rad or N s/m) and Coulomb friction (N m or N).

    Example:
        >>> from rigid_tree_kinematics.dynamics import friction_torque
        >>> robot = load_robot("double_pendulum")
        >>> robot.get_joint("joint_A").dynamics = JointDynamics(damping=0.1)
        >>> print(friction_torque(robot, [2.0, 0.0]))
        [0.2 0. ]
    """

    damping: float = 0.0
    friction: float = 0.0

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if not math.isfinite(value):
                raise ModelError(f"a joint's {name} must be finite, not {value!r}")


@dataclass(frozen=True)
class Calibration:
    """Positions (rad or m) of the rising and falling edges of a reference switch, or None."""

    rising: float | None = None
    falling: float | None = None


@dataclass(frozen=True)
class SafetyController:
    """Soft limits (rad or m) within the joint limits, and the controller's gains.

    Example:
        >>> joint = Joint("elbow", "revolute", limits=(-2.5, 2.5))
        >>> joint.safety_controller = SafetyController(soft_upper_limit=2.4)
        >>> joint.soft_limits
        (-2.5, 2.4)
    """

    soft_lower_limit: float = -math.inf
    soft_upper_limit: float = math.inf
    k_position: float = 0.0
    k_velocity: float = 0.0
