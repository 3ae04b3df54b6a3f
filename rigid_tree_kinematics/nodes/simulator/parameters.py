"""The parameters of robot_simulator."""

from dataclasses import dataclass
from functools import partial

from rigid_tree_kinematics.execution import CONTROLLERS, MODES
from rigid_tree_kinematics.nodes.common.process import Parameters, at_start, parameter

_tolerance = partial(parameter, low=1e-6, high=100.0, or_zero=True)


@dataclass(frozen=True)
class SimulatorSettings(Parameters):
    """The values of the parameters."""

    srdf: str = at_start(
        "", "Path or text of an SRDF with initial states. Empty: the robot starts at home."
    )
    initial_state: str = at_start(
        "",
        "The state of the SRDF to start at. Empty: the first one without collisions, or the "
        "nearest configuration to home without any.",
    )
    mode: str = parameter(
        "kinematic",
        "kinematic: the robot follows its trajectory exactly, within the velocity limits. "
        "dynamic: motors of limited effort move it. free: it falls, without motors.",
        choices=MODES,
    )
    controller: str = parameter(
        "computed_torque",
        "Controller of mode dynamic; pd_gravity is more compliant.",
        choices=CONTROLLERS,
    )
    bandwidth: float = parameter(
        20.0, "Bandwidth of the controller of mode dynamic.", low=1.0, high=200.0, unit="rad/s"
    )
    jerk_limit: float = parameter(
        0.0,
        "Jerk limit of grippers and of joints whose trajectory is stopped. 0: these stop at once.",
        low=0.1,
        or_zero=True,
        high=1e6,
        unit="rad/s^3 or m/s^3",
    )
    rate: float = parameter(100.0, "Rate of the joint states.", low=1.0, high=1000.0, unit="Hz")
    real_time_factor: float = parameter(1.0, "Simulated seconds per second.", low=0.01, high=100.0)
    paused: bool = at_start(False, "Start paused; ~/pause changes it.")
    publish_clock: bool = at_start(False, "Publish simulated time on /clock, and stamp with it.")
    controllers: tuple[str, ...] = at_start(
        ("",),
        "Names of the trajectory controllers, as in ros2_control. The one with an empty "
        "name advertises follow_joint_trajectory and joint_trajectory without a prefix, for any "
        "joints.",
    )
    gripper_controllers: tuple[str, ...] = at_start(
        ("",),
        "Names of more controllers with a GripperCommand action. There is always "
        "gripper_action_controller. Without <controller>.joints, one for each prismatic joint "
        "that a mimic joint follows.",
    )
    parallel_gripper_controllers: tuple[str, ...] = at_start(
        ("",),
        "The same for ParallelGripperCommand. There is always parallel_gripper_action_controller.",
    )
    allow_partial_joints_goal: bool = parameter(
        False, "Controllers with a name also accept trajectories of some of their joints."
    )
    allow_nonzero_velocity_at_trajectory_end: bool = parameter(
        False, "Controllers with a name also accept trajectories that do not end at rest."
    )
    path_tolerance: float = _tolerance(
        0.0,
        "Maximum deviation from the trajectory, unless a goal sets it. 0: no limit.",
        unit="rad or m",
    )
    goal_tolerance: float = _tolerance(
        0.01,
        "Maximum deviation from the end point, unless a goal sets it. 0: no limit.",
        unit="rad or m",
    )
    stopped_velocity_tolerance: float = _tolerance(
        0.01, "Maximum velocity of a joint that has arrived. 0: no limit.", unit="rad/s or m/s"
    )
    goal_time: float = parameter(
        5.0,
        "Time after the end of the trajectory within which joints must arrive. 0: no limit.",
        low=0.01,
        high=3600.0,
        or_zero=True,
        unit="s",
    )
