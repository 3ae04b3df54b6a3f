"""Settings of a servo, with moveit_servo's names and defaults where available."""

import math
from dataclasses import dataclass, fields

from rigid_tree_kinematics.errors import ConfigurationError
from rigid_tree_kinematics.text import told_apart

HALT, SLIDE = "halt", "slide"  # values of ServoSettings.when_blocked


@dataclass(frozen=True)
class ServoSettings:
    """Limits and rates of a servo.

    Args:
        period: s, of a step.
        linear_speed, rotational_speed: m/s and rad/s, of a tip that follows a pose; 0: no limit.
        acceleration_limit: rad/s^2 or m/s^2, of joints whose description has none (URDF 1.2).
        jerk_limit: rad/s^3 or m/s^3, likewise; 0: none. Delays motions by
            ``acceleration_limit / jerk_limit``.
        joint_limit_margins: rad or m, minimum distance of joints from their limits: one for all,
            or one per joint.
        halt_all_joints: whether a joint at its limit stops the others too, which keeps the tip on
            its path.
        lower_singularity_threshold: condition number of the Jacobian above which the tip slows
            down when it approaches a singularity.
        hard_stop_singularity_threshold: condition number at which it stops.
        self_distance, scene_distance: m, within which approaching motions slow down, or that are
            kept when sliding.
        when_blocked: what a joint limit or an obstacle does to a motion: ``halt`` slows it down on
            its path to a stop, ``slide`` lets it leave its path and slide along.
        velocity_override: fraction of the speed that is used, from 0 to 1; 0 means 1.

    Example:
        >>> settings = ServoSettings(period=0.002, acceleration_limit=2.0)
        >>> robot = load_robot("panda")
        >>> servo = Servo(robot, robot.joint_names, "panda_link8", settings)
        >>> print(servo.step_joints([0.5, 0, 0, 0, 0, 0, 0]).velocities[0].round(3))  # rad/s
        0.004
    """

    period: float = 0.01
    linear_speed: float = 0.4
    rotational_speed: float = 0.8
    acceleration_limit: float = 5.0
    jerk_limit: float = 0.0
    joint_limit_margins: tuple[float, ...] = (0.1,)
    halt_all_joints: bool = True
    lower_singularity_threshold: float = 17.0
    hard_stop_singularity_threshold: float = 30.0
    self_distance: float = 0.01
    scene_distance: float = 0.02
    when_blocked: str = HALT
    velocity_override: float = 0.0

    def __post_init__(self) -> None:
        """Raise ConfigurationError for invalid numbers."""
        for item in fields(self):
            value = getattr(self, item.name)
            if item.name == "when_blocked":
                if value not in (HALT, SLIDE):
                    raise ConfigurationError(f"when_blocked: {HALT} or {SLIDE}, not {value!r}")
                continue
            for number in value if isinstance(value, tuple) else (value,):
                if not (math.isfinite(number) and number >= 0.0):
                    raise ConfigurationError(
                        f"{item.name}: finite and not negative, not {number:g}"
                    )
        for name in ("period", "acceleration_limit", "self_distance", "scene_distance"):
            if getattr(self, name) == 0.0:
                raise ConfigurationError(f"{name} must be above 0")
        if self.hard_stop_singularity_threshold <= self.lower_singularity_threshold:
            hard, lower = told_apart(
                self.hard_stop_singularity_threshold, self.lower_singularity_threshold
            )
            raise ConfigurationError(
                f"hard_stop_singularity_threshold {hard} is not above "
                f"lower_singularity_threshold {lower}"
            )
