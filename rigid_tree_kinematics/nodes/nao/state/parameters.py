"""The parameters of nao_bridge."""

from __future__ import annotations

from dataclasses import dataclass

from rigid_tree_kinematics.nodes.common.process import Parameters, parameter


@dataclass(frozen=True)
class BridgeSettings(Parameters):
    """The values of the parameters."""

    nao_ip: str = parameter("127.0.0.1", "Name or address of the robot.", start_only=True)
    nao_port: int = parameter(9559, "Port of its NAOqi.", low=1, high=65535, start_only=True)
    user: str = parameter(
        "", "User, for NAOqi 2.8 and later over tcps (port 9503). Empty: tcp.", start_only=True
    )
    password: str = parameter("", "Password of that user.", start_only=True)
    version: str = parameter("V6", "The robot: V6, V5, V4, V33 or V32.", start_only=True)
    body_type: str = parameter(
        "H25", "H25, or H21 without wrists and hands (not V6).", start_only=True
    )
    frame_prefix: str = parameter(
        "", "Prefix of every frame name, such as 'nao/'.", start_only=True
    )
    odom_frame: str = parameter(
        "odom", "Frame of the odometry: ALMotion's FRAME_WORLD.", start_only=True
    )
    rate: float = parameter(
        50.0, "Rate at which the robot is read.", low=1.0, high=100.0, unit="Hz", start_only=True
    )
    patience: float = parameter(
        1.0,
        "Time after which a reading fails, and the connection counts as lost.",
        low=0.05,
        high=60.0,
        unit="s",
        start_only=True,
    )
    cmd_vel_timeout: float = parameter(
        0.5, "Time without cmd_vel after which the walk stops.", low=0.05, high=60.0, unit="s"
    )
    walk_range: float = parameter(
        10.0, "Maximum distance of a place to walk to.", low=0.01, high=1000.0, unit="m"
    )
