"""Robots as YAML tables of (modified) DH rows."""

from rigid_tree_kinematics.description.table.table_bodies import GEOMETRY_KEYS, read_geometry
from rigid_tree_kinematics.description.table.table_reader import (
    read_table,
    read_table_file,
    table_text,
    table_variants,
)
from rigid_tree_kinematics.description.table.yaml_section import Constants, Section, read_entries
