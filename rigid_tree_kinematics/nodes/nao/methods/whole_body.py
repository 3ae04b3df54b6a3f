"""ALMotion's whole-body control."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import nao_motion_interfaces.srv as srv

from rigid_tree_kinematics.nodes.nao.robot import Method, in_balance, limp_legs

if TYPE_CHECKING:
    from rigid_tree_kinematics.nodes.nao.robot import NaoRobot


def _limp_effector(robot: NaoRobot, request: Any) -> list[str]:
    return [robot.limp([request.effector_name])]


def _enable_and_name(request: Any) -> list[Any]:
    # The only switch whose method takes the value before the name.
    return [bool(request.enable), request.name]


METHODS = (
    Method("wb_enable", srv.SetFlag, "ALMotion.wbEnable"),
    Method("wb_foot_state", srv.WbFootState, "ALMotion.wbFootState"),
    Method(
        "wb_enable_balance_constraint",
        srv.SetFlagOf,
        "ALMotion.wbEnableBalanceConstraint",
        arguments=_enable_and_name,
    ),
    Method(
        "wb_go_to_balance",
        srv.WbGoToBalance,
        "ALMotion.wbGoToBalance",
        check=limp_legs,
        outcome=in_balance,
    ),
    Method("wb_enable_effector_control", srv.SetFlagOf, "ALMotion.wbEnableEffectorControl"),
    Method(
        "wb_enable_effector_optimization",
        srv.SetFlagOf,
        "ALMotion.wbEnableEffectorOptimization",
    ),
    Method(
        "wb_set_effector_control",
        srv.WbSetEffectorControl,
        "ALMotion.wbSetEffectorControl",
        check=_limp_effector,
    ),
)
