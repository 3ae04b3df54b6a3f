"""The parameters of the inverse kinematics server, besides those that name its robot."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

from rclpy.node import Node

from rigid_tree_kinematics.nodes.common.parameters import (
    declare_integer,
    declare_number,
    declare_text,
    number,
)

# name: (default, lowest, highest, what it is)
NUMBERS: dict[str, tuple[float, float, float, str]] = {
    "timeout": (
        0.1,
        0.001,
        60.0,
        "How long a request that names no timeout is worked on at most, waiting for TF "
        "included, s on a steady clock.",
    ),
    "position_tolerance": (
        1e-6,
        1e-9,
        0.1,
        "Largest position error of a solution if the request names none, m.",
    ),
    "orientation_tolerance": (
        1e-6,
        1e-9,
        0.5,
        "Largest orientation error of a solution if the request names none, rad.",
    ),
    "tracking_rate": (
        100.0,
        1.0,
        1000.0,
        "How often ik_joint_states is published while ik_target is recent, Hz.",
    ),
    "tracking_timeout": (
        0.5,
        0.01,
        60.0,
        "How old the last ik_target may be before the robot is let stand, s.",
    ),
}
INTEGERS: dict[str, tuple[int, int, int, str]] = {
    "max_restarts": (
        100,
        0,
        100_000,
        "How many random starts are tried, when the search from the seed fails, before a target "
        "counts as unreachable.",
    ),
    "random_seed": (
        0,
        0,
        2**31 - 1,
        "Where the random starts begin: equal requests with equal seeds get equal answers.",
    ),
}
TEXTS: dict[str, str] = {
    "frame_prefix": "What stands in front of the robot's frame names in TF, such as 'left/'.",
    "tracked_body": "The body that follows topic ik_target, by link name. Empty: none does.",
    "tracked_base": "The body that stands still meanwhile. Empty: the robot's root.",
}
THREADS = (
    4,
    2,
    64,
    "How many callbacks, requests among them, run at the same time. Set at start only.",
)


@dataclass(frozen=True)
class IkSettings:
    """The values of the parameters; units and meaning are in the tables above."""

    timeout: float
    position_tolerance: float
    orientation_tolerance: float
    tracking_rate: float
    tracking_timeout: float
    max_restarts: int
    random_seed: int
    frame_prefix: str
    tracked_body: str
    tracked_base: str
    threads: int


SETTINGS = frozenset(field.name for field in fields(IkSettings))


def declare_settings(node: Node) -> IkSettings:
    """Declare the parameters; ConfigurationError or a parameter exception if one is bad."""
    values: dict[str, Any] = {
        name: declare_number(node, name, default, text, low, high)
        for name, (default, low, high, text) in NUMBERS.items()
    }
    for name, limits in INTEGERS.items():
        values[name] = declare_integer(node, name, *limits)
    for name, text in TEXTS.items():
        values[name] = declare_text(node, name, "", text)
    values["threads"] = declare_integer(node, "threads", *THREADS, read_only=True)
    return IkSettings(**values)


def changed_settings(settings: IkSettings, changed: Mapping[str, Any]) -> IkSettings:
    """Return the settings after a change; ConfigurationError for a number out of range.

    Parameters that are no settings are left out. rclpy itself has checked texts and integers.
    """
    values = {name: value for name, value in changed.items() if name in SETTINGS}
    for name in values.keys() & NUMBERS.keys():
        _, low, high, _ = NUMBERS[name]
        values[name] = number(name, values[name], low, high)
    return replace(settings, **values)
