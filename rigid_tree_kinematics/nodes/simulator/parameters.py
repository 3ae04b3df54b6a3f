"""The parameters of the simulator, besides those that name its robot."""

from __future__ import annotations

from dataclasses import dataclass

from rigid_tree_kinematics.dynamics.driven_robot import CONTROLLERS, MODES
from rigid_tree_kinematics.nodes.common.process import Parameters, parameter


@dataclass(frozen=True)
class SimulatorSettings(Parameters):
    """The values of the parameters."""

    mode: str = parameter(
        "kinematic",
        "kinematic: the robot is where its trajectory is, within the velocity limits. dynamic: "
        "motors of limited effort move it. free: no motors, it falls.",
        choices=MODES,
    )
    controller: str = parameter(
        "computed_torque", "Of mode dynamic; pd_gravity is the softer one.", choices=CONTROLLERS
    )
    bandwidth: float = parameter(
        20.0,
        "How quickly the controller of mode dynamic corrects errors.",
        low=1.0,
        high=200.0,
        unit="rad/s",
    )
    rate: float = parameter(100.0, "Joint states a second.", low=1.0, high=1000.0, unit="Hz")
    real_time_factor: float = parameter(
        1.0, "How many seconds of the simulation pass in one second.", low=0.01, high=100.0
    )
    paused: bool = parameter(False, "Begin paused; later there is a service.", start_only=True)
    publish_clock: bool = parameter(
        False,
        "Publish the time of the simulation on /clock, and stamp with it.",
        start_only=True,
    )
    controllers: tuple[str, ...] = parameter(
        ("",),
        "Names that stand in front of follow_joint_trajectory and joint_trajectory, one for each "
        "controller that MoveIt or rqt knows.",
        start_only=True,
    )
    gripper_controllers: tuple[str, ...] = parameter(
        ("",),
        "Names that stand in front of gripper_cmd, one for each joint whose slide a mimic joint "
        "follows. Empty: gripper_action_controller.",
        start_only=True,
    )
    path_tolerance: float = parameter(
        0.0,
        "How far a joint may be off its trajectory where a goal does not say. 0: any.",
        low=1e-6,
        high=100.0,
        or_zero=True,
        unit="rad or m",
    )
    goal_tolerance: float = parameter(
        0.01,
        "How far a joint may be off at the end where a goal does not say. 0: any.",
        low=1e-6,
        high=100.0,
        or_zero=True,
        unit="rad or m",
    )
    stopped_velocity_tolerance: float = parameter(
        0.01,
        "At which velocity a joint has arrived. 0: any.",
        low=1e-6,
        high=100.0,
        or_zero=True,
        unit="rad/s or m/s",
    )
    goal_time: float = parameter(
        5.0,
        "How long after the end of its trajectory a joint may arrive. 0: no limit.",
        low=0.01,
        high=3600.0,
        or_zero=True,
        unit="s",
    )
