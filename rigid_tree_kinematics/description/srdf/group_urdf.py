"""The URDF of a part of a robot."""

from __future__ import annotations

import copy
from collections.abc import Collection
from xml.etree import ElementTree

from rigid_tree_kinematics.errors import DescriptionError


def group_urdf(urdf: str, name: str, joints: Collection[str]) -> str:
    """Return the URDF of some joints and the links that they move, as robot ``name``.

    The first joint's parent link has no shapes and mass, like in MoveIt's ``get_urdf``. Raises
    DescriptionError if the joints are not one tree.
    """
    robot = ElementTree.fromstring(urdf)
    chosen = [joint for joint in robot.findall("joint") if joint.get("name") in joints]
    ends = [(_link(joint, "parent"), _link(joint, "child")) for joint in chosen]
    moved = [child for _, child in ends]
    roots = list(dict.fromkeys(parent for parent, _ in ends if parent not in moved))
    if len(roots) != 1:
        found = f"they start at {', '.join(roots)}" if roots else "there are none"
        raise DescriptionError(f"the joints of '{name}' are not one tree: {found}")
    part = ElementTree.Element("robot", name=name)
    links = [link for link in robot.findall("link") if link.get("name") in moved]
    used = {item.get("name") for link in links for item in link.iter("material")}
    materials = [item for item in robot.findall("material") if item.get("name") in used]
    ElementTree.SubElement(part, "link", name=roots[0])
    part.extend(copy.deepcopy(item) for item in (*materials, *links, *chosen))
    return ElementTree.tostring(part, encoding="unicode")


def _link(joint: ElementTree.Element, end: str) -> str:
    element = joint.find(end)
    return "" if element is None else element.get("link", "")
