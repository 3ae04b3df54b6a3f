"""Sensor points around a robot: its own body filtered out, the rest as cells of a grid."""

from rigid_tree_kinematics.perception.own_body import OwnBody
from rigid_tree_kinematics.perception.seen_cells import (
    SeenCells,
    cell_centers,
    cell_radius,
    cells_along_axes,
    octree_data,
)

__all__ = [
    "OwnBody",
    "SeenCells",
    "cell_centers",
    "cell_radius",
    "cells_along_axes",
    "octree_data",
]
