"""The NAO's bodies, joints, postures and motion model."""

from rigid_tree_nao.model.body import (
    BODY_TYPES,
    CHAINS,
    FEET,
    RIGHT_HIP,
    VERSIONS,
    NaoBody,
    known_version,
    per_joint,
    robot_name,
)
from rigid_tree_nao.model.joint_limits import (
    clamped,
    couple_hips,
    joints_without_stiffness,
    limited_angles,
    limited_changes,
    limited_lists,
    with_both_hips,
    within_limits,
)
from rigid_tree_nao.model.motion_model import NaoMotionModel
from rigid_tree_nao.model.pose import (
    LEVEL,
    SPACE_ROBOT,
    SPACE_TORSO,
    SPACE_WORLD,
    along_arc,
    axis_weights,
    changed_pose,
    finite_numbers,
    place_of,
    places_along,
    planar,
    pose_of,
    position6d,
    robot_frame,
)
from rigid_tree_nao.model.postures import FAMILIES, POSTURES, posture_angles, posture_at
