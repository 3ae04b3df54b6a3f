"""A tree as an object of urdf_parser_py."""

from __future__ import annotations

from typing import Any

from rigid_tree_kinematics.description import write_urdf
from rigid_tree_kinematics.model import RigidBodyTree
from rigid_tree_kinematics.needed_packages import needs


def urdf_parser_robot(tree: RigidBodyTree) -> Any:
    """Return a tree as a ``urdf_parser_py.urdf.Robot``.

    It corresponds to ``description.write_urdf``, with its additional links. Raises
    MissingPackageError without urdf_parser_py.

    Example:
        >>> robot = urdf_parser_robot(load_robot("ur5"))
        >>> round(robot.joint_map["elbow_joint"].limit.upper, 3)
        3.142
    """
    with needs("urdf_parser_py", "an object of urdf_parser_py", "pip install urdf-parser-py"):
        from urdf_parser_py.urdf import Robot

    robot = Robot.from_xml_string(write_urdf(tree))
    for joint in tree.joints:
        # The parser sets missing edges to zero.
        if joint.calibration is not None:
            calibration = robot.joint_map[joint.name].calibration
            calibration.rising = joint.calibration.rising
            calibration.falling = joint.calibration.falling
    return robot
