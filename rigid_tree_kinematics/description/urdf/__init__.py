"""URDF and xacro: reading and writing."""

from rigid_tree_kinematics.description.urdf.element import (
    BLANKS,
    CHANGES,
    CONTENT,
    Document,
    Element,
    decoded_xml,
    parse_xml,
    root_tag,
)
from rigid_tree_kinematics.description.urdf.urdf_parts import UrdfJoint, placed_inertia
from rigid_tree_kinematics.description.urdf.urdf_reader import (
    MOST_LINKS,
    URDF,
    connected_tree,
    read_description_file,
    read_urdf,
    read_urdf_elements,
    read_urdf_file,
)
from rigid_tree_kinematics.description.urdf.urdf_shapes import placed_solids, with_extent
from rigid_tree_kinematics.description.urdf.urdf_writer import with_joint_frames, write_urdf
from rigid_tree_kinematics.description.urdf.xacro_reader import (
    read_xacro_file,
    xacro_arguments,
    xacro_text,
)
