"""The parameters of servo_node, with the names of moveit_servo."""

from dataclasses import dataclass
from typing import Any

from rigid_tree_kinematics.errors import ConfigurationError
from rigid_tree_kinematics.nodes.base import Parameters, parameter
from rigid_tree_kinematics.servo import HALT, SLIDE, ServoSettings

PREFIX = "moveit_servo."
TRAJECTORY = "trajectory_msgs/JointTrajectory"
ARRAY = "std_msgs/Float64MultiArray"
UNITLESS = "unitless"
SPEED = "Speed for a command of 1. 0: none."
SPEEDS: dict[str, Any] = {"low": 0.001, "or_zero": True, "high": 100.0}
DISTANCE: dict[str, Any] = {"low": 0.0001, "high": 1.0, "unit": "m"}


def _servo(default: Any, description: str, name: str = "", **options: Any) -> Any:
    return parameter(default, description, name=PREFIX + name, **options)


@dataclass(frozen=True)
class ServoParameters(Parameters):
    """The values of the parameters."""

    publish_period: float = _servo(
        0.01, "Time between two commands.", low=0.001, high=1.0, unit="s", start_only=True
    )
    move_group_name: str = _servo(
        "",
        "The group that moves. Empty: the one with most joints among those with a tip.",
        start_only=True,
    )
    active_subgroup: str = _servo(
        "", "The group of the joints that move, if not all of move_group_name."
    )
    command_in_type: str = _servo(
        UNITLESS,
        "Whether commands are fractions of the speeds in scale, or in m/s and rad/s.",
        choices=(UNITLESS, "speed_units"),
    )
    scale_linear: float = _servo(0.4, SPEED, "scale.linear", unit="m/s", **SPEEDS)
    scale_rotational: float = _servo(0.8, SPEED, "scale.rotational", unit="rad/s", **SPEEDS)
    scale_joint: float = _servo(0.5, SPEED, "scale.joint", unit="rad/s or m/s", **SPEEDS)
    incoming_command_timeout: float = _servo(
        0.1, "Age at which commands are ignored.", low=0.001, high=10.0, unit="s"
    )
    apply_twist_commands_about_ee_frame: bool = _servo(
        True,
        "Whether twists rotate the tip about itself; otherwise about the origin of their frame.",
    )
    cartesian_command_in_topic: str = _servo(
        "~/delta_twist_cmds", "Topic of incoming twists.", start_only=True
    )
    joint_command_in_topic: str = _servo(
        "~/delta_joint_cmds", "Topic of incoming joint velocities.", start_only=True
    )
    pose_command_in_topic: str = _servo(
        "~/pose_target_cmds", "Topic of incoming poses.", start_only=True
    )
    status_topic: str = _servo("~/status", "Topic of the status.", start_only=True)
    command_out_topic: str = _servo(
        "joint_trajectory", "Topic of the outgoing commands.", start_only=True
    )
    command_out_type: str = _servo(
        TRAJECTORY, "Type of the outgoing commands.", choices=(TRAJECTORY, ARRAY), start_only=True
    )
    publish_joint_positions: bool = _servo(
        True, "Whether commands have positions.", start_only=True
    )
    publish_joint_velocities: bool = _servo(
        True,
        "Whether commands have velocities; std_msgs/Float64MultiArray has positions if these "
        "are enabled.",
        start_only=True,
    )
    check_collisions: bool = _servo(True, "Whether to slow down and halt near obstacles.")
    self_collision_proximity_threshold: float = _servo(
        0.01,
        "Distance of two links at which motions toward each other slow down, or that is kept when "
        "sliding.",
        **DISTANCE,
    )
    scene_collision_proximity_threshold: float = _servo(
        0.02,
        "Distance to an obstacle at which motions toward it slow down, or that is kept when "
        "sliding.",
        **DISTANCE,
    )
    collision_check_rate: float = _servo(
        25.0,
        "How often distances are measured; steps in between account for the motion since. Sliding "
        "measures them in each step.",
        low=1.0,
        high=1000.0,
        unit="Hz",
    )
    lower_singularity_threshold: float = _servo(
        17.0,
        "Condition number from which motions toward a singularity slow down.",
        low=1.0,
        high=1e6,
    )
    hard_stop_singularity_threshold: float = _servo(
        30.0, "Condition number at which motions toward a singularity halt.", low=1.0, high=1e6
    )
    halt_all_joints_in_joint_mode: bool = _servo(True, "Whether a joint at its limit halts all.")
    halt_all_joints_in_cartesian_mode: bool = _servo(
        True, "Whether a joint at its limit halts all."
    )
    joint_limit_margins: tuple[float, ...] = _servo(
        (0.1,),
        "How far joints stay from their limits: one number for all, or one for each.",
        low=0.0,
        high=10.0,
        unit="rad or m",
    )
    override_velocity_scaling_factor: float = _servo(
        0.0, "Fraction of all speeds. 0: 1.", low=0.001, or_zero=True, high=1.0
    )
    acceleration_limit: float = parameter(
        5.0,
        "Acceleration limit of joints without one in the robot description (URDF 1.2).",
        low=0.001,
        high=1000.0,
        unit="rad/s^2 or m/s^2",
    )
    jerk_limit: float = parameter(
        0.0,
        "Jerk limit of joints without one in joint_limits.yaml or the description. 0: none.",
        low=0.1,
        or_zero=True,
        high=1e6,
        unit="rad/s^3 or m/s^3",
    )
    when_blocked: str = parameter(
        HALT,
        "What a joint limit or an obstacle does to a motion: it slows it down on its path to a "
        "stop, or the robot leaves the path and slides along.",
        choices=(HALT, SLIDE),
    )
    srdf: str = parameter("", "Path or text of an SRDF with the groups.", start_only=True)
    padding: float = parameter(
        0.0,
        "Distance below which two bodies are in collision.",
        low=0.0,
        high=1.0,
        unit="m",
        start_only=True,
    )
    frame_prefix: str = parameter("", "Prefix of the robot's frame names in TF, such as 'left/'.")

    def check(self) -> None:
        """Raise ConfigurationError for inconsistent values."""
        if not self.publish_joint_positions and not self.publish_joint_velocities:
            raise ConfigurationError(
                f"{PREFIX}publish_joint_positions or publish_joint_velocities must be true"
            )
        if self.command_out_type == TRAJECTORY and not self.publish_joint_positions:
            raise ConfigurationError(f"a {TRAJECTORY} needs positions: publish_joint_positions")
        self.servo_settings()

    def servo_settings(self, joint_mode: bool = False) -> ServoSettings:
        """Return the library's settings; which joints a limit halts can differ for joint jogs."""
        margins = self.joint_limit_margins or (0.0,)
        return ServoSettings(
            period=self.publish_period,
            linear_speed=self.scale_linear,
            rotational_speed=self.scale_rotational,
            acceleration_limit=self.acceleration_limit,
            jerk_limit=self.jerk_limit,
            joint_limit_margins=margins,
            halt_all_joints=self.halt_all_joints_in_joint_mode
            if joint_mode
            else self.halt_all_joints_in_cartesian_mode,
            lower_singularity_threshold=self.lower_singularity_threshold,
            hard_stop_singularity_threshold=self.hard_stop_singularity_threshold,
            self_distance=self.self_collision_proximity_threshold,
            scene_distance=self.scene_collision_proximity_threshold,
            when_blocked=self.when_blocked,
            velocity_override=self.override_velocity_scaling_factor,
        )
