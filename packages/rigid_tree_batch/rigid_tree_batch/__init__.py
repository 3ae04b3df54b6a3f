"""Maps and datasets of millions of poses and motions: chunked, resumable, parallel.

A job is plain data. It is split into chunks, each with its own seed, so results do not depend on
the number of workers. Chunks are written as they complete, and an interrupted run continues with
the missing ones.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rigid_tree_kinematics.lazy_names import lazy_names

if TYPE_CHECKING:
    from rigid_tree_batch.figure import show_reachability
    from rigid_tree_batch.ik_rows import IKDataJob, ik_data
    from rigid_tree_batch.job import BatchError
    from rigid_tree_batch.motions import MotionDataJob, motion_data, plan_batch
    from rigid_tree_batch.reach_map import (
        BasePlacements,
        ReachMap,
        base_placement,
        orientations,
    )
    from rigid_tree_batch.reachability import ReachabilityJob, reachability_map

__all__ = [
    "BasePlacements",
    "BatchError",
    "IKDataJob",
    "MotionDataJob",
    "ReachMap",
    "ReachabilityJob",
    "base_placement",
    "ik_data",
    "motion_data",
    "orientations",
    "plan_batch",
    "reachability_map",
    "show_reachability",
]

# Imported on first use: reading a map needs neither inverse kinematics nor planning.
__getattr__ = lazy_names(__name__)
