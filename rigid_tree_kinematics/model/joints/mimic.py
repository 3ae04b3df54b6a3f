"""Mimic joints: resolution of chains to the independent joint that they follow."""

from collections.abc import Iterable
from dataclasses import dataclass

from rigid_tree_kinematics.errors import ModelError
from rigid_tree_kinematics.model.joints.joint import Joint


@dataclass(frozen=True)
class Follower:
    """A mimic joint: its position is multiplier * position of ``source`` + offset."""

    name: str
    source: str
    multiplier: float
    offset: float


def followers(joints: Iterable[Joint], tree_name: str) -> tuple[Follower, ...]:
    """Return the mimic joints with the independent joints that they follow."""
    joints = tuple(joints)
    by_name = {joint.name: joint for joint in joints}
    found = []
    for joint in joints:
        if joint.mimic is not None:
            source, multiplier, offset = resolve_mimic(joint, by_name, tree_name)
            found.append(Follower(joint.name, source.name, multiplier, offset))
    return tuple(found)


def parallel_grippers(joints: Iterable[Joint], tree_name: str) -> tuple[str, ...]:
    """Return the prismatic joints of fingers whose opposite finger is a mimic joint."""
    joints = tuple(joints)
    slides = {joint.name for joint in joints if joint.type == "prismatic"}
    pairs = followers(joints, tree_name)
    return tuple(dict.fromkeys(f.source for f in pairs if {f.name, f.source} <= slides))


def check_mimics(joints: Iterable[Joint], tree_name: str) -> None:
    """Raise ModelError if a mimic joint's source is missing, unsuitable or cyclic."""
    joints = tuple(joints)
    if all(joint.mimic is None for joint in joints):
        return
    by_name = {joint.name: joint for joint in joints}
    for joint in joints:
        if joint.mimic is not None:
            resolve_mimic(joint, by_name, tree_name)


def resolve_mimic(
    joint: Joint, by_name: dict[str, Joint], tree_name: str
) -> tuple[Joint, float, float]:
    """Return (source, multiplier, offset): position = multiplier * position(source) + offset.

    A joint that mimics nothing is its own source. Raises ModelError like ``check_mimics``.
    """
    source, multiplier, offset = joint, 1.0, 0.0
    seen = {joint.name: None}  # in order
    while source.mimic is not None:
        mimic = source.mimic
        if mimic.joint not in by_name:
            raise ModelError(
                f"tree '{tree_name}': joint '{source.name}' mimics '{mimic.joint}', which is not "
                "in the tree; add that joint first, or set mimic to None"
            )
        if mimic.joint in seen:
            chain = " -> ".join([*seen, mimic.joint])
            raise ModelError(f"tree '{tree_name}': the mimic joints form a cycle: {chain}")
        multiplier, offset = multiplier * mimic.multiplier, multiplier * mimic.offset + offset
        source = by_name[mimic.joint]
        seen[source.name] = None
    if source is not joint and source.position_count != 1:
        raise ModelError(
            f"tree '{tree_name}': joint '{joint.name}' cannot mimic '{source.name}', whose type "
            f"is {source.type}; a source has one position"
        )
    return source, multiplier, offset
