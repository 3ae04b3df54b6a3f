"""ALMotion's motions of a robot that does nothing: breathing and idle postures."""

from __future__ import annotations

from typing import Any

import nao_motion_interfaces.srv as srv

from rigid_tree_kinematics.nodes.nao.robot import FLAG, Method, names_and_values, pairs


def _config(request: Any) -> list[Any]:
    return [pairs(request.names, request.values)]


METHODS = (
    Method("set_breath_enabled", srv.SetFlagOf, "ALMotion.setBreathEnabled"),
    Method("get_breath_enabled", srv.GetFlagOf, "ALMotion.getBreathEnabled", fill=FLAG),
    Method("set_breath_config", srv.SetConfig, "ALMotion.setBreathConfig", arguments=_config),
    Method(
        "get_breath_config",
        srv.GetConfig,
        "ALMotion.getBreathConfig",
        fill=names_and_values(float),
    ),
    Method("set_idle_posture_enabled", srv.SetFlagOf, "ALMotion.setIdlePostureEnabled"),
    Method("get_idle_posture_enabled", srv.GetFlagOf, "ALMotion.getIdlePostureEnabled", fill=FLAG),
)
