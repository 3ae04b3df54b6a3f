"""The parameters of nao_bridge."""

from __future__ import annotations

from dataclasses import dataclass

from rclpy.node import Node

from rigid_tree_kinematics.nodes.common.parameters import (
    declare_integer,
    declare_number,
    declare_text,
    number,
)

TIMEOUTS = (0.05, 60.0)  # s


@dataclass(frozen=True)
class BridgeSettings:
    """What the parameters say at start."""

    nao_ip: str
    nao_port: int
    user: str
    password: str
    version: str
    body_type: str
    frame_prefix: str
    odom_frame: str
    rate: float  # Hz
    patience: float  # s
    cmd_vel_timeout: float  # s


def declare_settings(node: Node) -> BridgeSettings:
    """Declare the parameters; return their values. ConfigurationError for one out of range."""
    return BridgeSettings(
        nao_ip=declare_text(node, "nao_ip", "127.0.0.1", "Name or address of the robot."),
        nao_port=declare_integer(node, "nao_port", 9559, 1, 65535, "Port of its NAOqi."),
        user=declare_text(
            node, "user", "", "User, for NAOqi 2.8 and later over tcps (port 9503). Empty: tcp."
        ),
        password=declare_text(node, "password", "", "Password of that user."),
        version=declare_text(node, "version", "V6", "The robot: V6, V5, V4, V33 or V32."),
        body_type=declare_text(
            node, "body_type", "H25", "H25, or H21 without wrists and hands (not V6)."
        ),
        frame_prefix=declare_text(
            node, "frame_prefix", "", "Put in front of every frame name, such as 'nao/'."
        ),
        odom_frame=declare_text(
            node, "odom_frame", "odom", "Frame of the odometry: ALMotion's FRAME_WORLD."
        ),
        rate=declare_number(node, "rate", 50.0, "Readings of the robot a second, Hz.", 1.0, 100.0),
        patience=declare_number(
            node,
            "patience",
            1.0,
            "How long a reading may take before the robot counts as gone, s.",
            *TIMEOUTS,
        ),
        cmd_vel_timeout=declare_number(
            node,
            "cmd_vel_timeout",
            0.5,
            "The walk stops when no cmd_vel came for so long, s.",
            *TIMEOUTS,
        ),
    )


def checked_timeout(value: object) -> float:
    """Return a new cmd_vel_timeout; ConfigurationError if it makes no sense."""
    return number("cmd_vel_timeout", value, *TIMEOUTS)
