"""The NAO's bodies, joints, postures and motion model."""

from rigid_tree_kinematics.nao.model.body import (
    BODY_TYPES,
    CHAINS,
    RIGHT_HIP,
    VERSIONS,
    NaoBody,
    known_version,
    robot_name,
)
from rigid_tree_kinematics.nao.model.command_check import (
    joints_without_stiffness,
    limited_angles,
    limited_changes,
    limited_lists,
)
from rigid_tree_kinematics.nao.model.joint_limits import clamped, couple_hips, within_limits
from rigid_tree_kinematics.nao.model.motion_model import NaoMotionModel, per_joint
from rigid_tree_kinematics.nao.model.numbers import finite_numbers
from rigid_tree_kinematics.nao.model.pose import (
    SPACE_ROBOT,
    SPACE_TORSO,
    SPACE_WORLD,
    along_arc,
    axis_weights,
    changed_pose,
    matrix_of_position6d,
    place_of,
    planar,
    pose_of,
)
from rigid_tree_kinematics.nao.model.postures import FAMILIES, POSTURES, posture_angles, posture_at
from rigid_tree_kinematics.nao.model.stance import FEET, LEVEL, robot_frame
