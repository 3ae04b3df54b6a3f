"""ALMotion's reflexes: collisions, falls and stiffness."""

from __future__ import annotations

import nao_motion_interfaces.srv as srv

from rigid_tree_kinematics.nodes.nao.robot import FLAG, NUMBER, TEXT, Method

METHODS = (
    Method(
        "set_collision_protection_enabled", srv.SetFlagOf, "ALMotion.setCollisionProtectionEnabled"
    ),
    Method(
        "get_collision_protection_enabled",
        srv.GetFlagOf,
        "ALMotion.getCollisionProtectionEnabled",
        fill=FLAG,
    ),
    Method(
        "set_external_collision_protection_enabled",
        srv.SetFlagOf,
        "ALMotion.setExternalCollisionProtectionEnabled",
    ),
    Method(
        "get_external_collision_protection_enabled",
        srv.GetFlagOf,
        "ALMotion.getExternalCollisionProtectionEnabled",
        fill=FLAG,
    ),
    Method("set_fall_manager_enabled", srv.SetFlag, "ALMotion.setFallManagerEnabled"),
    Method("get_fall_manager_enabled", srv.GetFlag, "ALMotion.getFallManagerEnabled", fill=FLAG),
    Method("set_smart_stiffness_enabled", srv.SetFlag, "ALMotion.setSmartStiffnessEnabled"),
    Method(
        "get_smart_stiffness_enabled", srv.GetFlag, "ALMotion.getSmartStiffnessEnabled", fill=FLAG
    ),
    Method("set_diagnosis_effect_enabled", srv.SetFlag, "ALMotion.setDiagnosisEffectEnabled"),
    Method(
        "get_diagnosis_effect_enabled",
        srv.GetFlag,
        "ALMotion.getDiagnosisEffectEnabled",
        fill=FLAG,
    ),
    Method("set_push_recovery_enabled", srv.SetFlag, "ALMotion.setPushRecoveryEnabled"),
    Method("get_push_recovery_enabled", srv.GetFlag, "ALMotion.getPushRecoveryEnabled", fill=FLAG),
    Method(
        "set_orthogonal_security_distance",
        srv.SetNumber,
        "ALMotion.setOrthogonalSecurityDistance",
    ),
    Method(
        "get_orthogonal_security_distance",
        srv.GetNumber,
        "ALMotion.getOrthogonalSecurityDistance",
        fill=NUMBER,
    ),
    Method(
        "set_tangential_security_distance",
        srv.SetNumber,
        "ALMotion.setTangentialSecurityDistance",
    ),
    Method(
        "get_tangential_security_distance",
        srv.GetNumber,
        "ALMotion.getTangentialSecurityDistance",
        fill=NUMBER,
    ),
    Method("is_collision", srv.GetTextOf, "ALMotion.isCollision", fill=TEXT),
)
