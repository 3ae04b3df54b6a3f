"""Reads and writes closed loops in URDF, with the element <loop> of URDF+.

URDF+ is an extension by Chignoli, Slotine, Wensing and Kim (arXiv 2411.19753, 2024); readers of
plain URDF ignore its elements. The type "ball" is not part of URDF+.
"""

from xml.etree import ElementTree
from xml.etree.ElementTree import SubElement

import numpy as np

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.description.urdf.element import Element
from rigid_tree_kinematics.description.urdf.urdf_parts import read_axis
from rigid_tree_kinematics.model import Joint, Loop, RigidBody, RigidBodyTree
from rigid_tree_kinematics.model.transforms import rotation_taking_z_to, transform

LOOP = "loop"
MOST_LOOPS = 1000
ENDS = {"predecessor": "a", "successor": "b"}  # with the endings of their frames' names
TYPES = {"fixed": "fixed", "ball": "ball", "revolute": "revolute", "continuous": "revolute"}


def write_loops(root: ElementTree.Element, tree: RigidBodyTree) -> None:
    """Add the tree's loops to a document."""
    for loop in tree.loops:
        element = SubElement(root, LOOP, name=loop.name, type=loop.type)
        for role, link in zip(ENDS, (loop.frame, loop.other), strict=True):
            end = SubElement(element, role, link=link)
            SubElement(end, "origin", xyz="0 0 0", rpy="0 0 0")
        if loop.type == "revolute":
            SubElement(element, "axis", xyz="0 0 1")


def read_loops(root: Element, tree: RigidBodyTree) -> None:
    """Add the loops of a document to its tree.

    A frame of a loop that is not a link's frame becomes a body on a fixed joint.
    """
    elements, loops = root.all(LOOP), []
    if len(elements) > MOST_LOOPS:
        raise root.error(f"the robot has {len(elements)} loops; at most {MOST_LOOPS}")
    for element in elements:
        element.check_known(("name", "type"), (*ENDS, "axis"))
        name, kind = element.text("name"), element.text("type")
        if kind not in TYPES:
            element.remark(f"a {kind} joint that closes a loop is ignored")
            continue
        T_joint_frame = np.eye(4)
        if TYPES[kind] == "revolute":
            axis = Joint(name, "revolute", read_axis(element, "revolute")).axis
            T_joint_frame = transform(rotation=rotation_taking_z_to(axis))
        first, second = (_frame(element, role, name, tree, T_joint_frame) for role in ENDS)
        loops.append(Loop(name, first, second, TYPES[kind]))
    tree.loops = loops


def _frame(loop: Element, role: str, name: str, tree: RigidBodyTree, T_joint_frame: Array) -> str:
    """Return the name of the body that is a loop's frame on one of its links."""
    end = loop.child(role)
    if end is None:
        raise loop.error(f'the loop has no <{role}>; write <{role} link="..."/>')
    end.check_known(("link",), ("origin",))
    link, T_link_frame = end.text("link"), end.origin() @ T_joint_frame
    with end.located():
        parent = tree.get_body(link)
        if np.array_equal(T_link_frame, np.eye(4)):
            return parent.name
        frame = f"{name}_{ENDS[role]}"
        joint = Joint(f"{frame}_joint")
        joint.set_fixed_transform(T_link_frame)
        return tree.add_body(RigidBody(frame, joint), parent.name).name
