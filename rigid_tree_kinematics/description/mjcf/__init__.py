"""MJCF, MuJoCo's format: reading."""

from rigid_tree_kinematics.description.mjcf.mjcf_reader import (
    MJCF,
    is_mjcf,
    mjcf_srdf,
    read_mjcf,
    read_mjcf_file,
)
