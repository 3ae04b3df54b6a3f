"""Modules without kernels load no heavy libraries."""

from harness.start.imports import check_light

LIGHT = ("rigid_tree_nao.model.motion_model", "rigid_tree_nao.simulated.server")


def test_light_modules_load_nothing_heavy():
    check_light(LIGHT)
