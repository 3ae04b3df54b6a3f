"""The curves of ``benchmarks.planning.scene_growth``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

# Panels: the table, what is along x, and the columns with their names.
PANELS: tuple[tuple[str, str, dict[str, str]], ...] = (
    (
        "shapes",
        "shapes in the scene",
        {"ready_ms": "scene ready", "moved_ms": "one shape moved", "exact_ms": "exact check"},
    ),
    (
        "points",
        "points in the cloud",
        {
            "whole_ready_ms": "cloud ready",
            "thinned_ms": "thinned to voxels",
            "whole_plan_ms": "plan",
            "thinned_plan_ms": "plan, thinned",
        },
    ),
    (
        "joints",
        "joints of the arm",
        {"plan_ms": "first path, median", "plan_p95_ms": "first path, 95 %"},
    ),
)


def draw(report: dict[str, Any], file: Path) -> None:
    """Draw the tables of a report into a PNG file."""
    figure = Figure(figsize=(11.0, 3.4), layout="constrained")
    for axes, (table, along, columns) in zip(figure.subplots(1, 3), PANELS, strict=True):
        sizes = [row[table] for row in report[table]]
        for column, name in columns.items():
            axes.plot(sizes, [row[column] for row in report[table]], marker="o", label=name)
        axes.set(xlabel=along, ylabel="processor time (ms)")
        if table != "joints":
            axes.set(xscale="log", yscale="log")
        axes.grid(alpha=0.3)
        axes.legend(fontsize=8)
    figure.savefig(file, dpi=110)
