"""Mimic joints of a URDF document, set once all joints are in the tree."""

from __future__ import annotations

from rigid_tree_kinematics.description.urdf.urdf_document import UrdfDocument
from rigid_tree_kinematics.description.urdf.urdf_joints import UrdfJoint
from rigid_tree_kinematics.model import Joint, RigidBodyTree
from rigid_tree_kinematics.model.joints import resolve_mimic


def set_mimics(document: UrdfDocument, tree: RigidBodyTree, joints: list[UrdfJoint]) -> None:
    """Set the mimic relations of a tree; remark on contradicting limits."""
    followers = [joint for joint in joints if joint.mimic is not None]
    if not followers:
        return
    by_name = {joint.name: joint for joint in tree.joints}
    set_ones = []
    for follower in followers:
        assert follower.mimic is not None
        source = follower.mimic.joint
        if source not in by_name or by_name[source].type == "fixed":
            # Common in copies where a joint was renamed or fixed; the robot is usable.
            state = "is fixed" if source in by_name else "is not in the document"
            document.remark(
                follower.element, f"mimics joint '{source}', which {state}; moves independently"
            )
            continue
        with document.located(follower.element):
            by_name[follower.joint.name].mimic = follower.mimic
        set_ones.append(follower)
    for follower in set_ones:
        _check_limits(document, follower, by_name, tree.name)


def _check_limits(
    document: UrdfDocument, follower: UrdfJoint, by_name: dict[str, Joint], tree_name: str
) -> None:
    joint = by_name[follower.joint.name]
    source, multiplier, offset = resolve_mimic(joint, by_name, tree_name)
    ends = [multiplier * end + offset for end in source.position_limits if multiplier]
    low, high = joint.position_limits
    if ends and (max(ends) < low or min(ends) > high):
        document.remark(
            follower.element,
            f"the limits of '{source.name}' move this mimic joint from {min(ends):g} to "
            f"{max(ends):g}, outside its own limits {low:g} to {high:g}; its limits are ignored",
        )
