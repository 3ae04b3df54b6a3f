"""What is shown beside a robot: the markers and points of other nodes, by topic."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Layer:
    """A topic of markers or points; ``latched`` where latecomers get its last message."""

    topic: str
    label: str
    latched: bool


LAYERS = (
    Layer("scene_markers", "Obstacles", True),
    Layer("planning_tree", "Planning tree", False),
    Layer("planned_path", "Planned path", True),
    Layer("trace", "Trace", False),
)
POINTS = Layer("seen_points", "Seen points", True)
