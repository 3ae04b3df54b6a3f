"""The parameters of the planner, except those of its robot."""

from dataclasses import dataclass, fields
from functools import partial
from typing import Any

from rigid_tree_kinematics.collision import Scene, load_scene
from rigid_tree_kinematics.errors import ConfigurationError
from rigid_tree_kinematics.nodes.common.process import (
    LARGEST_INTEGER,
    Parameters,
    at_start,
    parameter,
)
from rigid_tree_kinematics.planning import PlanSettings
from rigid_tree_kinematics.text import told_apart

LONGEST_PLAN, MOST_RUNS = 600.0, 1000  # s; a plan occupies a thread

distance = partial(parameter, high=100.0, or_zero=True, unit="rad and m")


@dataclass(frozen=True)
class PlannerSettings(Parameters):
    """The values of the parameters."""

    planner: str = parameter("rrt_connect", "rrt_connect, aorrtc, optimize or rrt.")
    time_limit: float = parameter(
        5.0,
        "Default time limit of plans, including waiting for TF, inverse "
        "kinematics and timing, on a steady clock.",
        low=0.001,
        high=LONGEST_PLAN,
        unit="s",
    )
    step: float = distance(0.0, "Maximum length of a motion added to a tree. 0: 1.25.", 0.001)
    goal_bias: float = parameter(0.05, "Fraction of samples that are goals (rrt).", 0.0, 0.9)
    goal_threshold: float = distance(
        0.0,
        "Distance from a goal at which the tree is connected to it (rrt). 0: half a step.",
        0.0001,
    )
    spacing: float = distance(
        0.0, "Minimum distance between nodes (rrt), less than the step. 0: any.", 0.0001
    )
    maximum_attempts: int = parameter(
        100_000, "Maximum number of consecutive failed samples.", 1, 10**9
    )
    maximum_nodes: int = parameter(100_000, "Maximum number of nodes of a search.", 2, 10**8)
    runs: int = parameter(
        1, "Number of searches per plan; the shortest path is returned.", 1, MOST_RUNS
    )
    seed: int = parameter(0, "Random seed: equal seeds give equal paths.", 0, LARGEST_INTEGER)
    shorten: bool = parameter(True, "Whether to take shortcuts.")
    resample_step: float = distance(
        0.0, "Maximum distance between neighboring points of the path. 0: its corners only.", 0.001
    )
    velocity_scale: float = parameter(1.0, "Fraction of the velocity limits.", 0.001, 1.0)
    acceleration_scale: float = parameter(1.0, "Fraction of acceleration_limit.", 0.001, 1.0)
    acceleration_limit: float = parameter(
        5.0,
        "Acceleration limit of joints without one in the robot description (URDF 1.2).",
        low=0.001,
        high=1000.0,
        unit="rad/s^2 or m/s^2",
    )
    jerk_limit: float = parameter(
        0.0,
        "Jerk limit of joints without one in the description; scales do not apply. 0: none.",
        low=0.01,
        high=1e6,
        or_zero=True,
        unit="rad/s^3 or m/s^3",
    )
    max_corner_deviation: float = parameter(
        -1.0,
        "Maximum distance between a corner of the path and the trajectory; 0: it stops at all "
        "corners. Below 0: no bound.",
        low=-1.0,
        high=100.0,
        unit="rad and m",
    )
    padding: float = at_start(
        0.0, "Distance below which two bodies are in collision.", 0.0, 1.0, unit="m"
    )
    scene: str = at_start(
        "", "Initial obstacles: a bundled scene's name, or the path of a .yaml file. Empty: none."
    )
    srdf: str = at_start(
        "",
        "Path or text of an SRDF: all pairs of links that it does not disable are checked for "
        "collisions. Empty: none.",
    )
    disabled_pairs: tuple[str, ...] = at_start(
        ("",), "Pairs of links that are not checked for collisions, each entry 'link_a link_b'."
    )
    checked_pairs: tuple[str, ...] = at_start(
        ("",),
        "Pairs of links that are checked for collisions although they are excluded otherwise, "
        "each entry 'link_a link_b'.",
    )
    point_topics: tuple[str, ...] = at_start(
        ("points",), "Topics of sensor_msgs/PointCloud2 whose points are obstacles. Empty: none."
    )
    voxel_size: float = parameter(
        0.02,
        "Size of the cells that points are merged into; each is an obstacle, a sphere around "
        "the cell.",
        low=0.001,
        high=1.0,
        unit="m",
    )
    point_lifetime: float = parameter(
        0.0,
        "How long points are kept. 0: until the next cloud of the same topic.",
        low=0.05,
        high=86_400.0,
        or_zero=True,
        unit="s",
    )
    body_padding: float = at_start(
        0.03,
        "Points nearer to the robot or to attached objects are ignored.",
        low=0.0,
        high=1.0,
        unit="m",
    )
    tip: str = parameter(
        "",
        "The link whose path is drawn for trees and plans. Empty: the end of the longest chain.",
    )
    frame_prefix: str = parameter("", "Prefix of the robot's frame names in TF, such as 'left/'.")
    feedback_rate: float = parameter(
        10.0, "How often a running action sends feedback.", 0.1, 100.0, unit="Hz"
    )
    threads: int = at_start(4, "Number of plans that run in parallel; others wait.", 2, 64)

    def check(self) -> None:
        """Raise PlanningError or ConfigurationError for invalid settings."""
        self.plan_settings()
        for name in ("disabled_pairs", "checked_pairs"):
            self.link_pairs(name)
        step = self.plan_settings().longest_step
        if self.spacing >= step:
            most, spacing = told_apart(step, self.spacing)
            reason = f"less than a step, which is {most}, not {spacing}"
            raise ConfigurationError(f"parameter 'spacing' is {reason}")
        topics = self.sensor_topics
        if len(set(topics)) < len(topics):
            raise ConfigurationError(f"parameter 'point_topics' has a topic twice: {list(topics)}")

    @property
    def sensor_topics(self) -> tuple[str, ...]:
        """The topics of point clouds."""
        return tuple(topic for topic in self.point_topics if topic)

    def initial_scene(self) -> Scene:
        """Return the scene at the start; a RigidTreeError if it cannot be read."""
        return load_scene(self.scene) if self.scene else Scene()

    def plan_settings(self) -> PlanSettings:
        """Return the settings of the library for requests without their own."""
        names = {field.name for field in fields(PlanSettings)}
        values: dict[str, Any] = {
            field.name: getattr(self, field.name) for field in fields(self) if field.name in names
        }
        for name in ("step", "goal_threshold", "resample_step", "jerk_limit"):
            values[name] = values[name] or None
        if self.max_corner_deviation < 0.0:
            values["max_corner_deviation"] = None
        return PlanSettings(**values)

    def link_pairs(self, name: str) -> list[tuple[str, str]]:
        """Return the pairs of links of a parameter; raises ConfigurationError."""
        pairs = []
        for entry in getattr(self, name):
            links = entry.split()
            if links and len(links) != 2:
                reason = f"'{entry}' is not two link names, as in 'link_a link_b'"
                raise ConfigurationError(f"parameter '{name}': {reason}")
            pairs += [(links[0], links[1])] if links else []
        return pairs
