"""SDF, the format of Gazebo's models: reading."""

from rigid_tree_kinematics.description.sdf.sdf_files import SDF
from rigid_tree_kinematics.description.sdf.sdf_reader import read_sdf, read_sdf_file
