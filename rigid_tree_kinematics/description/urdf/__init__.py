"""URDF and xacro: reading and writing."""

from rigid_tree_kinematics.description.urdf.element import (
    BLANKS,
    CHANGES,
    Document,
    Element,
    decoded_xml,
)
from rigid_tree_kinematics.description.urdf.urdf_reader import (
    read_urdf,
    read_urdf_elements,
    read_urdf_file,
)
from rigid_tree_kinematics.description.urdf.urdf_writer import write_urdf
from rigid_tree_kinematics.description.urdf.xacro_reader import (
    read_xacro_file,
    xacro_arguments,
    xacro_text,
)
