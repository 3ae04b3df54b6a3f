"""Turns the joints of a compiled MJCF model, and its joint couplings, into joints of the tree."""

from __future__ import annotations

import math

import numpy as np

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.description.mjcf.mjcf_model import MjcfModel, pose
from rigid_tree_kinematics.errors import ModelError
from rigid_tree_kinematics.model import (
    Joint,
    JointDynamics,
    Loop,
    Mimic,
    RigidBody,
    RigidBodyTree,
)
from rigid_tree_kinematics.model.transforms import axis_angle_matrix, transform

FREE, BALL, SLIDE, HINGE = range(4)  # mjtJoint
CONNECT, WELD, COUPLING = range(3)  # mjtEq
SITE = 6  # mjOBJ_SITE
HOME = "home"  # a keyframe


def read_joints(mjcf: MjcfModel, body: int) -> list[Joint]:
    """Return the joints from a body's parent to the body, in series; a fixed one if it has none.

    MuJoCo's joints have a frame parallel to the body's, at an anchor, and move by their position
    minus a reference.
    """
    model = mjcf.model
    before = pose(model.body_pos[body], model.body_quat[body])
    joints: list[Joint] = []
    first, count = model.body_jntadr[body], model.body_jntnum[body]
    for number in range(first, first + count):
        kind, anchor = model.jnt_type[number], transform(model.jnt_pos[number])
        if kind == FREE:
            joints.append(_free(mjcf, number))
            continue
        if kind == BALL:
            series, start = _ball(mjcf, number), anchor
        else:
            joint = _scalar(mjcf, number)
            series, start = [joint], anchor @ _reference(mjcf, number)
        series[0].set_transforms(before @ start, np.eye(4))
        last = series[-1]
        last.set_transforms(last.joint_to_parent, transform(-model.jnt_pos[number]))
        joints += series
        before = np.eye(4)
    if not joints:
        joints.append(Joint(mjcf.unique("joint", f"{mjcf.bodies[body]}_joint")))
        joints[0].set_fixed_transform(before)
    return joints


def _reference(mjcf: MjcfModel, number: int) -> Array:
    """Return the motion of a hinge or slide from its reference position to zero."""
    model = mjcf.model
    axis, offset = model.jnt_axis[number], model.qpos0[model.jnt_qposadr[number]]
    if model.jnt_type[number] == SLIDE:
        return transform(-offset * axis)
    return transform(rotation=axis_angle_matrix(axis, -offset))


def _scalar(mjcf: MjcfModel, number: int) -> Joint:
    """Return a hinge or slide, without its transforms."""
    model, name = mjcf.model, mjcf.joints[number]
    limits = tuple(model.jnt_range[number]) if model.jnt_limited[number] else None
    kind = "continuous" if limits is None else "revolute"
    if model.jnt_type[number] == SLIDE:
        kind, limits = "prismatic", limits or (-math.inf, math.inf)
    joint = Joint(name, kind, model.jnt_axis[number], limits)
    _set_dynamics(mjcf, number, joint)
    if model.jnt_actfrclimited[number]:
        joint.effort_limit = max(abs(model.jnt_actfrcrange[number]))
    place = model.jnt_qposadr[number]
    home = float(_home(mjcf)[place])
    if home or _home(mjcf) is not model.qpos0:
        joint.home_position = min(max(home, joint.position_limits[0]), joint.position_limits[1])
        if joint.home_position != home:
            mjcf.remark(f"joint '{name}'", "the home position is outside the limits; clamped")
    return joint


def _ball(mjcf: MjcfModel, number: int) -> list[Joint]:
    """Return three revolute joints about x, y and z, without the transforms of the anchor."""
    name = mjcf.joints[number]
    remark = (
        "a ball joint becomes three revolute joints about x, y and z, without its reference "
        "orientation, limit of the angle, and armature"
    )
    mjcf.remark(f"joint '{name}'", remark)
    joints = []
    for letter, axis in zip("xyz", np.eye(3), strict=True):
        joint = Joint(mjcf.unique("joint", f"{name}_{letter}"), "continuous", axis)
        joint.dynamics = _dynamics(mjcf, number)
        joints.append(joint)
    return joints


def _free(mjcf: MjcfModel, number: int) -> Joint:
    """Return a floating joint, whose position is the body's pose in the world."""
    joint = Joint(mjcf.joints[number], "floating")
    start = mjcf.model.jnt_qposadr[number]
    home = _home(mjcf)[start : start + 7]
    joint.home_position = [*home[:3], *home[4:], home[3]]
    _set_dynamics(mjcf, number, joint)
    return joint


def _set_dynamics(mjcf: MjcfModel, number: int, joint: Joint) -> None:
    """Set armature, damping and friction, which MuJoCo has for each velocity."""
    start = mjcf.model.jnt_dofadr[number]
    armatures = set(mjcf.model.dof_armature[start : start + joint.velocity_count])
    joint.armature = max(armatures)
    if len(armatures) > 1:
        mjcf.remark(f"joint '{joint.name}'", "different armatures; the largest is used for all")
    joint.dynamics = _dynamics(mjcf, number)


def _dynamics(mjcf: MjcfModel, number: int) -> JointDynamics | None:
    start = mjcf.model.jnt_dofadr[number]
    damping, friction = mjcf.model.dof_damping[start], mjcf.model.dof_frictionloss[start]
    return JointDynamics(float(damping), float(friction)) if damping or friction else None


def _home(mjcf: MjcfModel) -> Array:
    """Return the positions of the keyframe "home", or else the reference positions."""
    keys = mjcf.names("key")
    home: Array = mjcf.model.key_qpos[keys.index(HOME)] if HOME in keys else mjcf.model.qpos0
    return home


def set_constraints(mjcf: MjcfModel, tree: RigidBodyTree) -> None:
    """Turn linear couplings of two joints into mimic joints, and connections into loops."""
    model, names = mjcf.model, mjcf.names("eq")
    for k in np.flatnonzero(model.eq_active0):
        place = f"equality '{names[k]}'"
        if model.eq_type[k] in (CONNECT, WELD):
            mjcf.remark(place, "a closed loop is kept as tree.loops; dynamics ignores it")
            tree.loops = (*tree.loops, _loop(mjcf, tree, int(k), names[k]))
            continue
        if model.eq_type[k] != COUPLING:
            mjcf.remark(place, "couplings of tendons and flexible bodies are ignored")
            continue
        follower, source = model.eq_obj1id[k], model.eq_obj2id[k]
        constant, slope, *higher = model.eq_data[k][:5]
        if source < 0 or slope == 0.0 or any(higher):
            mjcf.remark(place, "a coupling of joints that is not linear is ignored")
            continue
        zero = model.qpos0[model.jnt_qposadr[[follower, source]]]
        offset = zero[0] + constant - slope * zero[1]
        joint = tree.get_joint(mjcf.joints[follower])
        try:
            joint.mimic = Mimic(mjcf.joints[source], float(slope), float(offset))
        except ModelError as error:
            mjcf.remark(place, f"{error}; the coupling is ignored")


def _loop(mjcf: MjcfModel, tree: RigidBodyTree, number: int, name: str) -> Loop:
    """Add the two frames of a connection, and return its loop."""
    model = mjcf.model
    data, is_weld = model.eq_data[number], model.eq_type[number] == WELD
    objects = model.eq_obj1id[number], model.eq_obj2id[number]
    if model.eq_objtype[number] == SITE:
        bodies = [model.site_bodyid[site] for site in objects]
        origins = [pose(model.site_pos[site], model.site_quat[site]) for site in objects]
    else:
        bodies = list(objects)
        origins = [transform(data[:3]), transform(data[3:6])]
        if is_weld:
            origins = [pose(data[3:6], data[6:10]), transform(data[:3])]
    frames = []
    for body, origin, end in zip(bodies, origins, ("a", "b"), strict=True):
        frame = mjcf.unique("body", f"{name}_{end}")
        joint = Joint(mjcf.unique("joint", f"{frame}_joint"))
        joint.set_fixed_transform(origin)
        frames.append(tree.add_body(RigidBody(frame, joint), mjcf.bodies[body]).name)
    first, second = frames
    return Loop(name, first, second, "fixed" if is_weld else "ball")
