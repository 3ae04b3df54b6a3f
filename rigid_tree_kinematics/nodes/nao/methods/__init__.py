"""The table of NAO's methods that nao_bridge offers: one row a method, one file a group."""

from __future__ import annotations

from rigid_tree_kinematics.nodes.nao.methods import (
    cartesian,
    general,
    idle,
    joints,
    locomotion,
    postures,
    protection,
    stiffness,
    tasks,
    whole_body,
)
from rigid_tree_kinematics.nodes.nao.methods.method import Lasting, Method

__all__ = ["METHODS", "Lasting", "Method"]

METHODS: tuple[Method, ...] = (
    *stiffness.METHODS,
    *joints.METHODS,
    *locomotion.METHODS,
    *cartesian.METHODS,
    *whole_body.METHODS,
    *idle.METHODS,
    *protection.METHODS,
    *general.METHODS,
    *tasks.METHODS,
    *postures.METHODS,
)
