"""ALMotion's stiffness control."""

from __future__ import annotations

import nao_motion_interfaces.srv as srv

from rigid_tree_kinematics.nao.walk_state import WalkEffect
from rigid_tree_kinematics.nodes.nao.methods.arguments import lists_of_all_fields
from rigid_tree_kinematics.nodes.nao.methods.method import Method
from rigid_tree_kinematics.nodes.nao.methods.replies import FLAG, into, numbers

WAKE_UP = Method("wake_up", srv.Call, "ALMotion.wakeUp")
SET_STIFFNESSES = Method("set_stiffnesses", srv.SetStiffnesses, "ALMotion.setStiffnesses")

METHODS = (
    WAKE_UP,
    Method("rest", srv.Call, "ALMotion.rest", walk=WalkEffect.ENDS),
    Method("robot_is_wake_up", srv.GetFlag, "ALMotion.robotIsWakeUp", fill=FLAG),
    SET_STIFFNESSES,
    Method(
        "get_stiffnesses",
        srv.GetStiffnesses,
        "ALMotion.getStiffnesses",
        fill=into("stiffnesses", numbers),
    ),
    Method(
        "stiffness_interpolation",
        srv.StiffnessInterpolation,
        "ALMotion.stiffnessInterpolation",
        arguments=lists_of_all_fields,
    ),
)
