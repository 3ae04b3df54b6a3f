"""Planning groups, named states and end effectors of an SRDF."""

import copy
import math
import warnings
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree import ElementTree

from rigid_tree_kinematics.description.srdf.document import attribute, read_srdf
from rigid_tree_kinematics.description.urdf import BLANKS
from rigid_tree_kinematics.errors import DescriptionError, DescriptionWarning, UnknownNameError
from rigid_tree_kinematics.model import RigidBodyTree

State = dict[str, float | tuple[float, ...]]  # positions of joints (rad, m)

WHOLE_BODY = "whole_body"  # the group of all joints, without an SRDF
MOST_NESTED = 100  # groups in each other


@dataclass(frozen=True)
class Group:
    """A planning group: joints that move together, in the tree's order.

    ``joints`` are the independent ones. ``tip`` is the default body of pose goals; empty: none.
    """

    name: str
    joints: tuple[str, ...]
    tip: str = ""
    states: dict[str, State] = field(default_factory=dict)  # by name
    members: tuple[str, ...] = ()  # with fixed and mimic joints

    def state(self, name: str) -> State:
        """Return a named state's positions of the group's independent joints (rad, m).

        A planar or floating joint has a tuple of all its positions.

        Raises UnknownNameError, with the names of the group's states.
        """
        if name not in self.states:
            raise UnknownNameError("state", name, self.states, f"group '{self.name}'")
        return {j: value for j, value in self.states[name].items() if j in self.joints}


@dataclass(frozen=True)
class Semantics:
    """The semantics of an SRDF without its collision rules.

    ``world_frames`` are parent frames of the virtual joints of the base, of any type. They are the
    base's frame unless TF has another transform. ``position_names`` are those of the joints,
    ``virtual_joints`` the names of all virtual joints.
    """

    groups: dict[str, Group]
    world_frames: frozenset[str] = frozenset()
    text: str = ""
    position_names: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    virtual_joints: frozenset[str] = frozenset()

    @property
    def states(self) -> dict[str, dict[str, float]]:
        """The positions (rad, m) of named states by position name, such as ``base/x``.

        States of several groups are merged.
        """
        merged: dict[str, dict[str, float]] = {}
        for group in self.groups.values():
            for state, positions in group.states.items():
                known = merged.setdefault(state, {})
                for joint, value in positions.items():
                    values = value if isinstance(value, tuple) else (value,)
                    names = self.position_names.get(joint, (joint,)) or (joint,)
                    for name, number in zip(names, values, strict=True):
                        known.setdefault(name, number)
        return merged

    def group(self, name: str) -> Group:
        """Return a group by name; raises UnknownNameError."""
        if name not in self.groups:
            raise UnknownNameError("group", name, self.groups, "the robot's SRDF")
        return self.groups[name]


def default_semantics(tree: RigidBodyTree) -> Semantics:
    """Return a group for each chain from the base to a leaf, named after it, and whole_body."""
    leaves = [body.name for body in tree.bodies if not body.children]
    groups: dict[str, Group] = {}
    root = ElementTree.Element("robot", name=tree.name)
    for leaf in leaves:
        members = _chain(tree, tree.base_name, leaf)
        joints = tuple(name for name in tree.joint_names if name in members)
        if joints:
            groups[leaf] = Group(leaf, joints, leaf, members=members)
            group = ElementTree.SubElement(root, "group", name=leaf)
            ElementTree.SubElement(group, "chain", base_link=tree.base_name, tip_link=leaf)
    whole = ElementTree.SubElement(root, "group", name=WHOLE_BODY)
    for name in groups:
        ElementTree.SubElement(whole, "group", name=name)
    everything = tuple(body.joint.name for body in tree.bodies)
    groups[WHOLE_BODY] = Group(WHOLE_BODY, tuple(tree.joint_names), members=everything)
    return Semantics(groups, text=ElementTree.tostring(root, encoding="unicode"))


def read_semantics(srdf: str | Path, tree: RigidBodyTree) -> Semantics:
    """Return the semantics of an SRDF, given as text or as the path of an SRDF or xacro file.

    Raises DescriptionError if it is invalid, or all groups are of another robot. Like in MoveIt,
    unknown names in groups, states and end effectors, and values that are not numbers, are left
    out, with a DescriptionWarning.

    Example:
        >>> srdf = '''<robot name="ur5">
        ...   <group name="arm"><chain base_link="base_link" tip_link="tool0"/></group>
        ...   <group_state name="up" group="arm"><joint name="shoulder_lift_joint" value="-1.5"/>
        ...   </group_state></robot>'''
        >>> robot = load_robot("ur5")
        >>> arm = read_semantics(srdf, robot).group("arm")
        >>> len(arm.joints), arm.tip, arm.state("up")
        (6, 'tool0', {'shoulder_lift_joint': -1.5})
    """
    root, text, source = read_srdf(srdf)
    reader = _Reader(root, tree, source)
    groups = {name: reader.group(name) for name in reader.elements}
    if reader.unknown and not any(group.members for group in groups.values()):
        message = f"no group is of this robot; the first problem: {reader.unknown[0]}"
        raise DescriptionError(message, source)
    frames = {
        attribute(element, "parent_frame", source)
        for element in root.findall("virtual_joint")
        if element.get("child_link") == tree.base_name
    }
    names = {joint.name: joint.position_names for joint in tree.joints}
    virtual = [str(element.get("name")) for element in root.findall("virtual_joint")]
    return Semantics(groups, frozenset(frames), text, names, frozenset(virtual))


def chain_groups(srdf: str | Path) -> list[str]:
    """Return the names of an SRDF's groups that are chains, those with named states first.

    Raises DescriptionError.
    """
    root, _, source = read_srdf(srdf)
    groups = [group for group in root.findall("group") if len(group.findall("chain")) == 1]
    names = [attribute(group, "name", source) for group in groups]
    stated = {state.get("group") for state in root.findall("group_state")}
    return sorted(names, key=lambda name: name not in stated)


class _Reader:
    """Resolves groups and their subgroups."""

    def __init__(self, root: ElementTree.Element, tree: RigidBodyTree, source: str | None) -> None:
        self._tree, self._source = tree, source
        self._all_joints = [body.joint.name for body in tree.bodies]
        self._found: dict[str, set[str]] = {}  # the joints of groups
        self.unknown: list[str] = []  # parts of groups that are left out
        self.elements: dict[str, ElementTree.Element] = {}
        for element in root.findall("group"):
            name = attribute(element, "name", source)
            if name in self.elements:
                words = f"{source or 'SRDF'}: a second group '{name}' is left out"
                warnings.warn(DescriptionWarning(words), stacklevel=4)
            self.elements.setdefault(name, element)
        # Not joints of the tree: the base does not move.
        self._virtual = {element.get("name") for element in root.findall("virtual_joint")}
        self._links = links = [tree.base_name, *(body.name for body in tree.bodies)]
        self._effectors = {
            element.get("parent_group", ""): element.get("parent_link", "")
            for element in root.findall("end_effector")
            if self._knows("link", element.get("parent_link", ""), links, element)
        }
        self._states = [
            element
            for element in root.findall("group_state")
            if self._knows("group", element.get("group", ""), self.elements, element)
        ]

    def group(self, name: str) -> Group:
        """Return a group with its joints in the tree's order."""
        joints = self._joints(name, ())
        states = {
            attribute(state, "name", self._source): self._state(state)
            for state in self._states
            if state.get("group") == name
        }
        ordered = tuple(joint for joint in self._tree.joint_names if joint in joints)
        members = tuple(body.joint.name for body in self._tree.bodies if body.joint.name in joints)
        return Group(name, ordered, self._tip(name, ordered), states, members)

    def _knows(
        self, kind: str, name: str, known: Collection[str], element: ElementTree.Element
    ) -> bool:
        if name in known:
            return True
        where = f"{self._source or 'SRDF'}: {element.tag} '{element.get('name')}'"
        error = UnknownNameError(kind, name, known, where, "It is left out")
        warnings.warn(DescriptionWarning(str(error)), stacklevel=4)
        return False

    def _warn(self, element: ElementTree.Element, problem: str) -> None:
        where = f"{self._source or 'SRDF'}: {element.tag} '{element.get('name')}'"
        warnings.warn(DescriptionWarning(f"{where}: {problem}"), stacklevel=6)

    def _joints(self, name: str, above: tuple[str, ...]) -> set[str]:
        if name in above:
            circle = " -> ".join((*above, name))
            raise DescriptionError(f"groups contain each other in a loop: {circle}", self._source)
        if len(above) > MOST_NESTED:
            raise DescriptionError(f"more than {MOST_NESTED} nested groups", self._source)
        if name in self._found:
            return self._found[name]
        found: set[str] = set()
        for part in self.elements[name]:
            try:
                found |= self._part(part, (*above, name))
            except UnknownNameError as error:
                self.unknown.append(f"group '{name}': {error}")
                self._warn(self.elements[name], f"{error}. The <{part.tag}> is left out")
        self._found[name] = found
        return found

    def _part(self, part: ElementTree.Element, above: tuple[str, ...]) -> set[str]:
        if part.tag == "group":
            inner = attribute(part, "name", self._source)
            if inner not in self.elements:
                raise UnknownNameError("group", inner, self.elements, "the SRDF")
            return self._joints(inner, above)
        if part.tag == "chain":
            ends = [attribute(part, key, self._source) for key in ("base_link", "tip_link")]
            return set(_chain(self._tree, *ends))
        if part.tag == "joint" and part.get("name") not in self._virtual:
            return {self._tree.get_joint(attribute(part, "name", self._source)).name}
        if part.tag == "link":
            body = self._tree.get_body(attribute(part, "name", self._source))
            return set() if body.parent is None else {body.joint.name}
        return set()

    def _tip(self, name: str, joints: tuple[str, ...]) -> str:
        """Return the tip of a group's only chain, its end effector's link, or its last body."""
        element = self.elements[name]
        chains = element.findall("chain")
        if len(chains) == 1 and chains[0].get("tip_link") in self._links:
            return attribute(chains[0], "tip_link", self._source)
        if self._effectors.get(name):
            return self._effectors[name]
        inner = [part for part in element.findall("group") if part.get("name") in self.elements]
        if len(element) == len(inner) == 1:
            return self._tip(attribute(inner[0], "name", self._source), joints)
        moved = {body.joint.name: body.name for body in self._tree.bodies}
        return moved[joints[-1]] if joints and not inner else ""

    def _state(self, state: ElementTree.Element) -> State:
        """Return the positions of a <group_state>.

        Like in MoveIt, joints with another count of values than positions, or values that are not
        numbers, are left out.
        """
        positions: State = {}
        for element in state.findall("joint"):
            name = attribute(element, "name", self._source)
            if name in self._virtual or not self._knows("joint", name, self._all_joints, state):
                continue
            text = attribute(element, "value", self._source)
            values = _numbers(text)
            if not values:
                self._warn(state, f"joint '{name}': '{text}' is not a number. It is left out")
                continue
            count = max(1, self._tree.get_joint(name).position_count)
            if len(values) != count:
                self._warn(
                    state,
                    f"joint '{name}' takes {count} value(s), not {len(values)}. It is left out",
                )
                continue
            positions[name] = values[0] if count == 1 else values
        return positions


def _numbers(text: str) -> tuple[float, ...]:
    """Return the numbers of a text; none if one of them is not finite."""
    try:
        values = tuple(float(word) for word in text.split())
    except ValueError:
        return ()
    return values if all(map(math.isfinite, values)) else ()


def _chain(tree: RigidBodyTree, base: str, tip: str) -> tuple[str, ...]:
    """Return all joints between two bodies, in the tree's order."""
    between = set(_joints_to_root(tree, tip)) ^ set(_joints_to_root(tree, base))
    return tuple(body.joint.name for body in tree.bodies if body.joint.name in between)


def _joints_to_root(tree: RigidBodyTree, name: str) -> Iterable[str]:
    body = tree.get_body(name)
    names = []
    while body.parent is not None:
        names.append(body.joint.name)
        body = body.parent
    return names


def group_urdf(urdf: str, name: str, joints: Collection[str]) -> str:
    """Return the URDF of some joints and their links, as robot ``name``.

    The first joint's parent link has no shapes and no mass, like in MoveIt's ``get_urdf``. Raises
    DescriptionError if the joints do not form one tree.
    """
    robot = ElementTree.fromstring(urdf.lstrip(BLANKS))
    chosen = [joint for joint in robot.findall("joint") if joint.get("name") in joints]
    ends = [(_link(joint, "parent"), _link(joint, "child")) for joint in chosen]
    moved = [child for _, child in ends]
    roots = list(dict.fromkeys(parent for parent, _ in ends if parent not in moved))
    if len(roots) != 1:
        found = f"they start at {', '.join(roots)}" if roots else "there are none"
        raise DescriptionError(f"the joints of '{name}' do not form one tree: {found}")
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
