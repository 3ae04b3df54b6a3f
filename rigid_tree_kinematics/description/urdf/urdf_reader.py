"""Reading URDF documents.

Unlike ``urdf_parser_py``, this reader rejects repeated and missing links and entities, and its
errors name lines.
"""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from pathlib import Path

from rigid_tree_kinematics.description.urdf.urdf_document import LONGEST_NAME, UrdfDocument
from rigid_tree_kinematics.description.urdf.urdf_joints import UrdfJoint, read_joint
from rigid_tree_kinematics.description.urdf.urdf_links import (
    Materials,
    read_collisions,
    read_inertial,
    read_visuals,
)
from rigid_tree_kinematics.description.urdf.urdf_mimics import set_mimics
from rigid_tree_kinematics.description.urdf.xml_source import Element, parse_xml
from rigid_tree_kinematics.errors import DescriptionError
from rigid_tree_kinematics.files import read_plain_file
from rigid_tree_kinematics.model import Collision, Inertia, RigidBody, RigidBodyTree, Visual

# Elements for other programs.
EXTENSIONS = {
    "gazebo": "for the simulator Gazebo",
    "transmission": "for ros_control",
    "ros2_control": "for ros2_control",
    "sensor": "for simulators",
}
LONGEST_TEXT, MOST_LINKS = 32 * 2**20, 2000  # bytes; a robot of 100 links has 200,000
_VERSIONS = ("1.0", "1.1", "1.2")


def read_urdf(text: str, source: str = "<text>", directory: str | None = None) -> RigidBodyTree:
    """Return the tree that a URDF document describes.

    The root link becomes the tree's base; bodies are in depth-first order, children in the order
    of the document. Suspicious parts are reported in one DescriptionWarning.

    Args:
        text: the document.
        source: its name in errors and warnings, such as a path or topic.
        directory: folder of relative mesh files.

    Raises:
        DescriptionError: with line and element, if this is not a URDF of one tree.

    Example:
        >>> urdf = '<robot name="stand"><link name="floor"/></robot>'
        >>> read_urdf(urdf)
        RigidBodyTree('stand', 0 bodies on 'floor')
    """
    if not isinstance(text, str):
        raise DescriptionError(f"a URDF is text, not {type(text).__name__}", source)
    return _read(text, source, directory)


def read_urdf_file(path: str | Path) -> RigidBodyTree:
    """Return the tree of a .urdf file; see ``read_urdf``.

    Example:
        >>> with open("ur5.urdf", "w") as file:
        ...     length = file.write(write_urdf(load_robot("ur5")))
        >>> read_urdf_file("ur5.urdf")
        RigidBodyTree('ur5', 10 bodies on 'base_link')
    """
    file = Path(path)
    try:
        data = read_plain_file(file)
    except (OSError, ValueError) as error:  # ValueError: no path at all
        reason = error.strerror if isinstance(error, OSError) else error
        raise DescriptionError(f"cannot read the file: {reason}", str(file)) from error
    return _read(data, str(file), str(file.absolute().parent))


@dataclass(frozen=True)
class _Link:
    element: Element
    inertia: Inertia | None
    visuals: list[Visual]
    collisions: list[Collision]

    def fill(self, document: UrdfDocument, body: RigidBody) -> None:
        with document.located(self.element):
            body.inertia = self.inertia
        body.visuals = self.visuals
        body.collisions = self.collisions


def _read(data: str | bytes, source: str, directory: str | None) -> RigidBodyTree:
    if len(data) > LONGEST_TEXT:
        raise DescriptionError(f"the text has {len(data)} bytes; at most {LONGEST_TEXT}", source)
    return read_urdf_elements(parse_xml(data, source), source, directory)


def read_urdf_elements(root: Element, source: str, directory: str | None) -> RigidBodyTree:
    """Return the tree of a document's elements; see ``read_urdf``."""
    document = UrdfDocument(source, directory)
    if len(root.attributes.get("name", "")) > LONGEST_NAME:
        raise document.error(root, f"the robot's name has more than {LONGEST_NAME} characters")
    _check_root(document, root)
    links = _read_links(document, root)
    joints = _read_joints(document, root)
    base = _check_tree(document, links, joints)

    tree = RigidBodyTree(root.attributes.get("name") or "robot", base)
    links[base].fill(document, tree.base)
    _add_bodies(document, tree, links, joints)
    set_mimics(document, tree, joints)
    document.findings.warn(stacklevel=4)
    return tree


def _check_root(document: UrdfDocument, root: Element) -> None:
    """Reject other formats; remark on a robot element's parts that are not URDF."""
    others = {"sdf": "SDF", "mujoco": "MuJoCo MJCF", "COLLADA": "COLLADA (a mesh)"}
    if root.tag in others:
        raise document.error(
            root, f"this is {others[root.tag]}, not URDF; convert it, or load the robot's URDF"
        )
    if root.tag != "robot":
        raise document.error(root, f"the root element of a URDF is <robot>, not <{root.tag}>")
    _reject_dialects(document, root)
    document.check_known(
        root, ("name", "version"), ("link", "joint", "material", "verbose", *EXTENSIONS)
    )
    for child in root.children:
        if child.tag in EXTENSIONS:
            document.remark(child, f"<{child.tag}> is {EXTENSIONS[child.tag]}; ignored")
    if not root.attributes.get("name"):
        document.remark(root, "the robot has no name; 'robot' is used")
    version = root.attributes.get("version", "1.0")
    if version not in _VERSIONS:
        document.remark(root, f"URDF version '{version}' is read as {_VERSIONS[-1]}")


def _reject_dialects(document: UrdfDocument, root: Element) -> None:
    """Reject xacro that was not expanded, and Drake's elements, at any depth."""
    pending = [root]
    while pending:
        element = pending.pop()
        if element.tag.startswith("xacro:"):
            raise document.error(
                element,
                f"<{element.tag}>: this is a xacro file; name it .xacro, or expand it with the "
                "command xacro",
            )
        if element.tag.startswith("drake:") or (
            element.tag == "loop_joint" and element.parent is root
        ):
            raise document.error(
                element,
                f"<{element.tag}> belongs to Drake's dialect of URDF, which is not supported; "
                "write plain URDF",
            )
        pending.extend(element.children)


def _read_links(document: UrdfDocument, root: Element) -> dict[str, _Link]:
    materials = Materials(document)
    elements = root.all("link")
    for element in root.all("material"):
        materials.define(element)
    for link in elements:
        for visual in link.all("visual"):
            for element in visual.all("material"):
                materials.define(element)
    links: dict[str, _Link] = {}
    if len(elements) > MOST_LINKS:
        raise document.error(root, f"the robot has {len(elements)} links; at most {MOST_LINKS}")
    for element in elements:
        name = document.text(element, "name")
        if name in links:
            raise document.error(
                element,
                f"the name is used by the link{links[name].element.of_line}; names must be unique",
            )
        document.check_known(element, ("name",), ("inertial", "visual", "collision", "verbose"))
        links[name] = _Link(
            element,
            read_inertial(document, element),
            read_visuals(document, element, materials),
            read_collisions(document, element),
        )
    if not links:
        raise document.error(root, 'the robot has no links; write at least one <link name="..."/>')
    return links


def _read_joints(document: UrdfDocument, root: Element) -> list[UrdfJoint]:
    joints: dict[str, UrdfJoint] = {}
    for element in root.all("joint"):
        joint = read_joint(document, element)
        name = joint.joint.name
        if name in joints:
            raise document.error(
                element,
                f"the name is used by the joint{joints[name].element.of_line}; "
                "names must be unique",
            )
        joints[name] = joint
    return list(joints.values())


def _check_tree(document: UrdfDocument, links: dict[str, _Link], joints: list[UrdfJoint]) -> str:
    """Return the name of the root link; raise if the links are not one tree."""
    above: dict[str, UrdfJoint] = {}
    for joint in joints:
        for role, name in (("parent", joint.parent), ("child", joint.child)):
            if name not in links:
                close = difflib.get_close_matches(name, links, n=1)
                hint = f"; did you mean '{close[0]}'?" if close else ""
                raise document.error(
                    joint.element, f"its {role} link '{name}' is not in the document{hint}"
                )
        if joint.child in above:
            first = above[joint.child]
            raise document.error(
                joint.element,
                f"link '{joint.child}' has two parents: '{first.parent}' by joint "
                f"'{first.joint.name}'{first.element.of_line}, and '{joint.parent}' by this "
                "one. Closed loops are not supported: remove one of the joints",
            )
        above[joint.child] = joint
    roots = [name for name in links if name not in above]
    _reject_loop(document, links, above)
    if len(roots) > 1:
        places = ", ".join(f"'{name}'{links[name].element.in_brackets}" for name in roots)
        raise document.error(
            links[roots[1]].element,
            f"the robot has {len(roots)} root links: {places}. Connect all but one to a parent "
            "by a joint",
        )
    return roots[0]


def _reject_loop(
    document: UrdfDocument, links: dict[str, _Link], above: dict[str, UrdfJoint]
) -> None:
    """Raise if a link is its own ancestor."""
    harmless: set[str] = set()
    for start in links:
        way: dict[str, None] = {}
        name = start
        while name in above and name not in harmless and name not in way:
            way[name] = None
            name = above[name].parent
        if name in way:
            links_up = list(way)
            loop = [*links_up[links_up.index(name) :], name]
            raise document.error(
                above[name].element,
                f"the links form a loop: {' -> '.join(reversed(loop))}. Remove one of these "
                "joints",
            )
        harmless.update(way)


def _add_bodies(
    document: UrdfDocument,
    tree: RigidBodyTree,
    links: dict[str, _Link],
    joints: list[UrdfJoint],
) -> None:
    """Add all links to the tree, depth first, children in document order."""
    below: dict[str, list[UrdfJoint]] = {}
    for joint in joints:
        below.setdefault(joint.parent, []).append(joint)
    pending = list(reversed(below.get(tree.base_name, [])))
    while pending:
        joint = pending.pop()
        body = RigidBody(joint.child, joint.joint)
        links[joint.child].fill(document, body)
        with document.located(joint.element):
            tree.add_body(body, joint.parent)
        pending.extend(reversed(below.get(joint.child, [])))
