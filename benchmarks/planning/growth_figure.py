"""The curves of ``benchmarks.planning.scene_growth``."""

from __future__ import annotations

from typing import Any

from matplotlib.figure import Figure

# Panels: the table, the x axis, and the columns with their names.
PANELS: tuple[tuple[str, str, dict[str, str]], ...] = (
    (
        "shapes",
        "shapes in the scene",
        {"ready ms": "scene ready", "moved ms": "one shape moved", "exact ms": "exact check"},
    ),
    (
        "points",
        "points in the cloud",
        {
            "all: ready ms": "cloud ready",
            "reducing ms": "reduced to voxels",
            "all: plan ms": "plan",
            "voxels: plan ms": "plan, voxels",
        },
    ),
    (
        "joints",
        "joints of the arm",
        {"median ms": "first path, median", "95 % ms": "first path, 95 %"},
    ),
)


def draw(tables: dict[str, Any], file: str) -> None:
    """Draw the tables into a PNG file."""
    figure = Figure(figsize=(11.0, 3.4), layout="constrained")
    for axes, (table, along, columns) in zip(figure.subplots(1, 3), PANELS, strict=True):
        rows = tables.get(table, {})
        sizes = [int(size) for size in rows]
        for column, name in columns.items():
            curve = [row[column] for row in rows.values()]
            axes.plot(sizes, curve, marker="o", label=name)
        axes.set(xlabel=along, ylabel="processor time (ms)")
        if table != "joints":
            axes.set(xscale="log", yscale="log")
        axes.grid(alpha=0.3)
        axes.legend(fontsize=8)
    figure.savefig(file, dpi=110)
