"""The parameters of the planner, besides those that name its robot."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

from rclpy.node import Node

from rigid_tree_kinematics.errors import ConfigurationError
from rigid_tree_kinematics.nodes.common.parameters import (
    declare_flag,
    declare_integer,
    declare_number,
    declare_text,
    number,
)
from rigid_tree_kinematics.planning import PlanSettings

# name: (default, lowest, highest, what it is)
NUMBERS: dict[str, tuple[float, float, float, str]] = {
    "time_limit": (
        5.0,
        0.001,
        600.0,
        "How long a plan that names no limit may take, waiting for TF, inverse kinematics and "
        "timing of the search included, s on a steady clock.",
    ),
    "step": (1.5, 0.001, 100.0, "Longest motion added to a tree at once, rad and m."),
    "goal_bias": (0.05, 0.0, 1.0, "Share of samples that are a goal (rrt, rrt_star)."),
    "goal_threshold": (
        0.0,
        0.0,
        100.0,
        "How near to a goal the tree tries to reach it (rrt), rad and m. 0: half a step.",
    ),
    "spacing": (0.0, 0.0, 100.0, "Nodes nearer to another than this are refused (rrt)."),
    "resample_step": (
        0.0,
        0.0,
        100.0,
        "Longest distance of neighbouring points of the path, rad and m. 0: its corners only.",
    ),
    "velocity_scale": (1.0, 0.001, 1.0, "Fraction of the velocity limits that is used."),
    "acceleration_scale": (1.0, 0.001, 1.0, "Fraction of acceleration_limit that is used."),
    "acceleration_limit": (
        5.0,
        0.001,
        1000.0,
        "Of every joint, rad/s^2 or m/s^2: robot descriptions name none.",
    ),
    "padding": (
        0.0,
        0.0,
        1.0,
        "Distance below which two things count as touching, m. Set at start only.",
    ),
    "feedback_rate": (10.0, 0.1, 100.0, "How often a running action tells how far it is, Hz."),
}
INTEGERS: dict[str, tuple[int, int, int, str]] = {
    "runs": (1, 1, 1000, "Searches for each plan, of which the shortest path counts."),
    "maximum_attempts": (100_000, 1, 10**9, "Samples in a row that may fail before giving up."),
    "maximum_nodes": (100_000, 2, 10**8, "Nodes of a search before giving up."),
    "seed": (0, 0, 2**31 - 1, "Where random numbers begin: equal seeds give equal paths."),
}
TEXTS: dict[str, tuple[str, str]] = {
    "planner": ("rrt_connect", "rrt_connect, rrt or rrt_star."),
    "frame_prefix": ("", "What stands in front of the robot's frame names in TF: 'left/'."),
    "tip": (
        "",
        "The link whose way is drawn for trees and paths. Empty: the one that ends the longest "
        "chain.",
    ),
    "scene": (
        "",
        "Obstacles to begin with: a bundled scene's name, or the path of a .yaml file. Empty: "
        "none. Set at start only.",
    ),
    "srdf": (
        "",
        "Path or text of an SRDF whose disable_collisions count. Empty: none. Set at start only.",
    ),
}
THREADS = (
    4,
    2,
    64,
    "How many callbacks, requests among them, run at the same time. Set at start only.",
)


@dataclass(frozen=True)
class PlannerSettings:
    """The values of the parameters; units and meaning are in the tables above."""

    time_limit: float
    step: float
    goal_bias: float
    goal_threshold: float
    spacing: float
    resample_step: float
    velocity_scale: float
    acceleration_scale: float
    acceleration_limit: float
    padding: float
    feedback_rate: float
    runs: int
    maximum_attempts: int
    maximum_nodes: int
    seed: int
    planner: str
    frame_prefix: str
    tip: str
    scene: str
    srdf: str
    shorten: bool
    threads: int

    def plan_settings(self, **chosen: Any) -> PlanSettings:
        """Return what the library plans with; ``chosen`` values of a request come first."""
        names = {field.name for field in fields(PlanSettings)}
        values = {name: getattr(self, name) for name in names if hasattr(self, name)}
        for name in ("goal_threshold", "resample_step"):
            values[name] = values[name] or None
        return PlanSettings(**{**values, **chosen})


SETTINGS = frozenset(field.name for field in fields(PlannerSettings))
FIXED = ("padding", "scene", "srdf", "threads")


def declare_settings(node: Node) -> PlannerSettings:
    """Declare the parameters; ConfigurationError or a parameter exception if one is bad."""
    values: dict[str, Any] = {}
    for name, (default, low, high, text) in NUMBERS.items():
        values[name] = declare_number(node, name, default, text, low, high)
    for name, limits in INTEGERS.items():
        values[name] = declare_integer(node, name, *limits)
    for name, (word, text) in TEXTS.items():
        values[name] = declare_text(node, name, word, text)
    values["shorten"] = declare_flag(node, "shorten", True, "Whether to take shortcuts.")
    values["threads"] = declare_integer(node, "threads", *THREADS, read_only=True)
    settings = PlannerSettings(**values)
    settings.plan_settings()
    return settings


def changed_settings(settings: PlannerSettings, changed: Mapping[str, Any]) -> PlannerSettings:
    """Return the settings after a change; a RigidTreeError for a value that makes no sense."""
    values = {name: value for name, value in changed.items() if name in SETTINGS}
    for name in values.keys() & NUMBERS.keys():
        _, low, high, _ = NUMBERS[name]
        values[name] = number(name, values[name], low, high)
    for name in FIXED:
        if name in values and values[name] != getattr(settings, name):
            raise ConfigurationError(f"parameter '{name}' is set at start only; restart the node")
    after = replace(settings, **values)
    after.plan_settings()
    return after
