"""Reading URDF documents.

Unlike ``urdf_parser_py``, this reader rejects repeated and missing links and entities, and its
errors name lines.
"""

import difflib
import re
from collections.abc import Collection, Iterable
from pathlib import Path

from rigid_tree_kinematics.description.meshes import PackagePaths, locate_meshes
from rigid_tree_kinematics.description.urdf.element import (
    LONGEST_NAME,
    Document,
    Element,
    parse_xml,
)
from rigid_tree_kinematics.description.urdf.urdf_loops import LOOP, read_loops
from rigid_tree_kinematics.description.urdf.urdf_parts import (
    UrdfJoint,
    read_body,
    read_joint,
    set_mimics,
)
from rigid_tree_kinematics.description.urdf.urdf_shapes import Materials
from rigid_tree_kinematics.errors import DescriptionError
from rigid_tree_kinematics.files import read_plain_file
from rigid_tree_kinematics.model import RigidBody, RigidBodyTree

URDF = "robot"  # the root element
# Elements for other programs.
EXTENSIONS = {
    "gazebo": "for the simulator Gazebo",
    "transmission": "for ros_control",
    "ros2_control": "for ros2_control",
    "sensor": "for simulators",
}
OTHERS = {  # root elements
    "sdf": "SDF (read_description or read_sdf reads it)",
    "mujoco": "MuJoCo's MJCF (read_description or read_mjcf reads it)",
    "COLLADA": "COLLADA (a mesh)",
}
MOST_LINKS = 2000
_VERSIONS = {"1.0": (1, 0), "1.1": (1, 1), "1.2": (1, 2)}
# Elements of Drake's dialect of URDF that change the mechanism; its others are ignored.
_MECHANISMS = re.compile("drake:.*(joint|bushing|constraint|force)")


def read_urdf(
    text: str | bytes,
    source: str = "<text>",
    directory: str | None = None,
    package_paths: PackagePaths = (),
) -> RigidBodyTree:
    """Return the tree that a URDF document describes.

    The root link becomes the tree's base; bodies are in depth-first order, children in the order
    of the document. Suspicious parts are reported in one DescriptionWarning.

    Args:
        text: the document.
        source: its name in errors and warnings, such as a path or topic.
        directory: folder of relative mesh files.
        package_paths: one or more folders with packages or meshes, searched first for the files
            that ``package://`` and relative names refer to. A package's folder can have another
            name. The found paths replace the names.

    Raises:
        DescriptionError: with line and element, if this is not a URDF of a single tree.

    Example:
        >>> urdf = '<robot name="stand"><link name="floor"/></robot>'
        >>> read_urdf(urdf)
        RigidBodyTree('stand', 0 bodies on 'floor')
    """
    if not isinstance(text, (str, bytes)):
        raise DescriptionError(f"a URDF must be text, not {type(text).__name__}", source)
    return _read(text, source, directory, package_paths)


def read_urdf_file(path: str | Path, package_paths: PackagePaths = ()) -> RigidBodyTree:
    """Return the tree of a .urdf file; see ``read_urdf``.

    Example:
        >>> with open("ur5.urdf", "w") as file:
        ...     length = file.write(write_urdf(load_robot("ur5")))
        >>> read_urdf_file("ur5.urdf")
        RigidBodyTree('ur5', 10 bodies on 'base_link')
    """
    data, directory = read_description_file(path)
    return _read(data, str(path), directory, package_paths)


def read_description_file(path: str | Path) -> tuple[bytes, str]:
    """Return the content of a file, and its folder; raises DescriptionError."""
    file = Path(path)
    try:
        return read_plain_file(file), str(file.absolute().parent)
    except (OSError, ValueError) as error:  # ValueError: not a valid path
        reason = error.strerror if isinstance(error, OSError) else error
        raise DescriptionError(f"cannot read the file: {reason}", str(file)) from error


def _read(
    data: str | bytes, source: str, directory: str | None, package_paths: PackagePaths
) -> RigidBodyTree:
    tree = read_urdf_elements(parse_xml(data, source), source, directory)
    locate_meshes(tree, package_paths)
    return tree


def read_urdf_elements(root: Element, source: str, directory: str | None) -> RigidBodyTree:
    """Return the tree of a document's elements; see ``read_urdf``."""
    document = root.own_document = Document(source, directory)
    _check_root(root)
    bodies, links = _read_links(root)
    joints: dict[str, UrdfJoint] = {}
    for element in root.all("joint"):
        joint = read_joint(element)
        name = joint.joint.name
        _check_unique(element, joints[name].element if name in joints else None)
        joints[name] = joint
    tree = connected_tree(root.attributes.get("name") or "robot", bodies, links, joints.values())
    read_loops(root, tree)
    document.warn(stacklevel=4)
    return tree


def connected_tree(
    name: str,
    bodies: dict[str, RigidBody],
    links: dict[str, Element],
    joints: Collection[UrdfJoint],
) -> RigidBodyTree:
    """Return the tree of bodies and joints; raises DescriptionError unless they form one tree."""
    base = _check_tree(links, joints)
    tree = RigidBodyTree(name, base)
    for part in ("inertia", "visuals", "collisions"):
        setattr(tree.base, part, getattr(bodies[base], part))
    _add_bodies(tree, bodies, joints)
    set_mimics(tree, joints)
    return tree


def _check_root(root: Element) -> None:
    """Reject other formats; remark on a robot element's parts that are not URDF."""
    if len(root.attributes.get("name", "")) > LONGEST_NAME:
        raise root.error(f"the robot's name has more than {LONGEST_NAME} characters")
    if root.tag in OTHERS:
        raise root.error(f"this is {OTHERS[root.tag]}, not URDF")
    if root.tag != URDF:
        raise root.error(f"the root element of a URDF is <robot>, not <{root.tag}>")
    _reject_dialects(root)
    known = ("link", "joint", "material", LOOP, "verbose", *EXTENSIONS)
    root.check_known(("name", "version"), known)
    for child in root.children:
        if child.tag in EXTENSIONS:
            child.remark(f"<{child.tag}> is {EXTENSIONS[child.tag]}; ignored")
    if not root.attributes.get("name"):
        root.remark("the robot has no name; 'robot' is used")
    version = root.attributes.get("version", "1.0")
    if version not in _VERSIONS:
        root.remark(f"URDF version '{version}' is read as 1.2")
    root.document.version = _VERSIONS.get(version, (1, 2))


def _reject_dialects(root: Element) -> None:
    """Reject xacro that was not expanded, and Drake's joints and constraints, outside visuals."""
    pending = [root]
    while pending:
        element = pending.pop()
        tag = element.tag
        if tag.startswith("xacro:"):
            raise element.error(
                f"<{tag}>: this is a xacro file; name it .xacro, or expand it with the command "
                "xacro"
            )
        if _MECHANISMS.match(tag) or (tag == "loop_joint" and element.parent is root):
            raise element.error(f"<{tag}> belongs to Drake's dialect of URDF; write plain URDF")
        if tag != "visual":
            pending.extend(element.children)


def _read_links(root: Element) -> tuple[dict[str, RigidBody], dict[str, Element]]:
    """Return the bodies and the elements of all links by name."""
    elements = root.all("link")
    visuals = [visual for link in elements for visual in link.all("visual")]
    materials = Materials()
    for element in (root, *visuals):
        for material in element.all("material"):
            materials.define(material)
    if not elements:
        raise root.error('the robot has no links; write at least one <link name="..."/>')
    if len(elements) > MOST_LINKS:
        raise root.error(f"the robot has {len(elements)} links; at most {MOST_LINKS}")
    bodies: dict[str, RigidBody] = {}
    links: dict[str, Element] = {}
    for element in elements:
        name = element.text("name")
        _check_unique(element, links.get(name))
        bodies[name], links[name] = read_body(element, materials), element
    return bodies, links


def _check_unique(element: Element, first: Element | None) -> None:
    if first is not None:
        raise element.error(
            f"the name is used by the {first.tag}{first.of_line}; names must be unique"
        )


def _check_tree(links: dict[str, Element], joints: Collection[UrdfJoint]) -> str:
    """Return the name of the root link; raise if the links do not form one tree."""
    above: dict[str, UrdfJoint] = {}
    for joint in joints:
        for role, name in (("parent", joint.parent), ("child", joint.child)):
            if name not in links:
                close = difflib.get_close_matches(name, links, n=1)
                hint = f"; did you mean '{close[0]}'?" if close else ""
                raise joint.element.error(f"its {role} link '{name}' is not in the document{hint}")
        if joint.child in above:
            first = above[joint.child]
            raise joint.element.error(
                f"link '{joint.child}' has two parents: '{first.parent}' by joint "
                f"'{first.joint.name}'{first.element.of_line}, and '{joint.parent}' by this "
                "one. Closed loops are not supported: remove one of the joints"
            )
        above[joint.child] = joint
    _reject_loop(links, above)
    roots = {name: link for name, link in links.items() if name not in above}
    if len(roots) > 1:
        lines = {name: f" (line {at.line})" if at.line else "" for name, at in roots.items()}
        places = ", ".join(f"'{name}'{line}" for name, line in lines.items())
        raise list(roots.values())[1].error(
            f"the robot has {len(roots)} root links: {places}. Connect all but one to a parent by "
            "a joint"
        )
    return next(iter(roots))


def _reject_loop(links: Iterable[str], above: dict[str, UrdfJoint]) -> None:
    """Raise if a link is its own ancestor."""
    harmless: set[str] = set()
    for name in links:
        upwards: dict[str, int] = {}  # number of links below each
        while name in above and name not in harmless and name not in upwards:
            upwards[name] = len(upwards)
            name = above[name].parent
        if name in upwards:
            loop = [*list(upwards)[upwards[name] :], name]
            raise above[name].element.error(
                f"the links form a loop: {' -> '.join(reversed(loop))}. Remove one of these joints"
            )
        harmless.update(upwards)


def _add_bodies(
    tree: RigidBodyTree, bodies: dict[str, RigidBody], joints: Collection[UrdfJoint]
) -> None:
    """Add all links to the tree, depth first, children in document order."""
    below: dict[str, list[UrdfJoint]] = {}
    for joint in joints:
        below.setdefault(joint.parent, []).insert(0, joint)
    pending = below.get(tree.base_name, [])
    while pending:
        joint = pending.pop()
        with joint.element.located():
            tree.add_body(bodies[joint.child].copy(joint=joint.joint), joint.parent)
        pending += below.get(joint.child, [])
