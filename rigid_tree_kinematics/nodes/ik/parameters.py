"""The parameters of the inverse kinematics server, besides those that name its robot."""

from dataclasses import dataclass

from rigid_tree_kinematics.nodes.common.process import LARGEST_INTEGER, Parameters, parameter


@dataclass(frozen=True)
class IkSettings(Parameters):
    """The values of the parameters."""

    timeout: float = parameter(
        0.1,
        "Timeout of requests without one of their own, including waiting for TF, on a steady "
        "clock.",
        low=0.001,
        high=60.0,
        unit="s",
    )
    position_tolerance: float = parameter(
        1e-6, "Position tolerance of requests without one of their own.", 1e-9, 0.1, unit="m"
    )
    orientation_tolerance: float = parameter(
        1e-6, "Orientation tolerance of requests without one of their own.", 1e-9, 0.5, unit="rad"
    )
    max_restarts: int = parameter(
        100,
        "Number of random seeds that are tried after the seed of the request before a target is "
        "unreachable.",
        low=0,
        high=100_000,
    )
    random_seed: int = parameter(
        0, "Seed of random numbers: equal requests get equal answers.", 0, LARGEST_INTEGER
    )
    frame_prefix: str = parameter("", "Prefix of the robot's frame names in TF, such as 'left/'.")
    tracked_body: str = parameter("", "The link that follows topic ik_target. Empty: none.")
    tracked_base: str = parameter(
        "", "The link that the target is relative to. Empty: the robot's root."
    )
    tracking_rate: float = parameter(
        100.0,
        "How often ik_joint_states is published while ik_target is recent.",
        low=1.0,
        high=1000.0,
        unit="Hz",
    )
    tracking_timeout: float = parameter(
        0.5, "Age of the last ik_target at which the robot is stopped.", 0.01, 60.0, unit="s"
    )
    threads: int = parameter(
        4,
        "Number of callbacks, requests included, that run in parallel.",
        low=2,
        high=64,
        start_only=True,
    )
