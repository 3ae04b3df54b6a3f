"""ALMotion's names, limits and masses, tasks, reflexes, and motions of an idle robot."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import nao_motion_interfaces.srv as srv
from geometry_msgs.msg import Point
from nao_motion_interfaces.msg import JointLimits, Task

from rigid_tree_kinematics.nao import NaoError
from rigid_tree_kinematics.nao.guard import WalkEffect
from rigid_tree_kinematics.nao.model import NaoBody
from rigid_tree_kinematics.nodes.nao.methods.arguments import pairs
from rigid_tree_kinematics.nodes.nao.methods.method import Method
from rigid_tree_kinematics.nodes.nao.methods.replies import (
    FLAG,
    NAMES,
    NUMBER,
    TEXT,
    into,
    names_and_values,
    numbers,
)


def _limits(value: Any, reply: Any, arguments: Sequence[Any], body: NaoBody) -> None:
    joints = body.names_of(arguments[0])
    if len(value) != len(joints):
        raise NaoError(
            f"the robot returned limits of {len(value)} joints, NAO {body.version} "
            f"{body.body_type} has {len(joints)} in {arguments[0]}: set the parameters version "
            "and body_type to the robot's"
        )
    reply.limits = [
        JointLimits(
            name=joint,
            min_angle=float(row[0]),
            max_angle=float(row[1]),
            max_velocity=float(row[2]),
            max_torque=float(row[3]) if len(row) > 3 else 0.0,  # older NAOqi: three numbers
        )
        for joint, row in zip(joints, value, strict=True)
    ]


def _points(corners: Any) -> list[Point]:
    return [Point(x=float(corner[0]), y=float(corner[1])) for corner in corners]


def _tasks(rows: Any) -> list[Task]:
    """Return each row's first string and number; NAOqi after 1.14 appends more."""
    return [
        Task(
            name=next((entry for entry in row if isinstance(entry, str)), ""),
            id=next((int(entry) for entry in row if isinstance(entry, int)), 0),
        )
        for row in rows
    ]


def _names(request: Any) -> list[Any]:
    """Return the names as a list, even if there is only one."""
    return [list(request.names)]


def _config(request: Any) -> list[Any]:
    return [pairs(request.names, request.values)]


def _switch(name: str) -> tuple[Method, Method]:
    """Return the rows that set and get a switch."""
    return (
        Method(srv.SetFlag, f"ALMotion.set{name}Enabled"),
        Method(srv.GetFlag, f"ALMotion.get{name}Enabled", fill=FLAG),
    )


def _switch_of_chain(name: str) -> tuple[Method, Method]:
    """Return the rows that set and get a switch of each chain."""
    return (
        Method(srv.SetFlagOf, f"ALMotion.set{name}Enabled"),
        Method(srv.GetFlagOf, f"ALMotion.get{name}Enabled", fill=FLAG),
    )


def _distance(name: str) -> tuple[Method, Method]:
    """Return the rows that set and get a security distance."""
    return (
        Method(srv.SetNumber, f"ALMotion.set{name}SecurityDistance"),
        Method(srv.GetNumber, f"ALMotion.get{name}SecurityDistance", fill=NUMBER),
    )


GENERAL = (
    Method(srv.GetNamesOf, "ALMotion.getBodyNames", fill=NAMES),
    Method(srv.GetNamesOf, "ALMotion.getJointNames", fill=NAMES),
    Method(srv.GetNames, "ALMotion.getSensorNames", fill=NAMES),
    Method(srv.GetLimits, "ALMotion.getLimits", fill=_limits),
    Method(srv.GetNumber, "ALMotion.getMotionCycleTime", fill=NUMBER),
    Method(srv.GetRobotConfig, "ALMotion.getRobotConfig", fill=names_and_values(str)),
    Method(srv.GetText, "ALMotion.getSummary", fill=TEXT),
    Method(srv.GetNumberOf, "ALMotion.getMass", fill=NUMBER),
    Method(srv.GetCOM, "ALMotion.getCOM", fill=into("position", numbers)),
    Method(srv.GetSupportPolygon, "ALMotion.getSupportPolygon", fill=into("points", _points)),
)

KILL_TASKS_USING_RESOURCES = Method(
    srv.CallForAll, "ALMotion.killTasksUsingResources", arguments=_names
)
TASKS = (
    Method(srv.GetTaskList, "ALMotion.getTaskList", fill=into("tasks", _tasks)),
    Method(srv.GetFlagOfAll, "ALMotion.areResourcesAvailable", arguments=_names, fill=FLAG),
    Method(srv.KillTask, "ALMotion.killTask", fill=FLAG),
    KILL_TASKS_USING_RESOURCES,
    Method(srv.Call, "ALMotion.killMove", walk=WalkEffect.ENDS),
    Method(srv.Call, "ALMotion.killAll", walk=WalkEffect.ENDS),
)

PROTECTION = (
    *_switch_of_chain("CollisionProtection"),
    *_switch_of_chain("ExternalCollisionProtection"),
    *_switch("FallManager"),
    *_switch("SmartStiffness"),
    *_switch("DiagnosisEffect"),
    *_switch("PushRecovery"),
    *_distance("Orthogonal"),
    *_distance("Tangential"),
    Method(srv.GetTextOf, "ALMotion.isCollision", fill=TEXT),
)

IDLE = (
    *_switch_of_chain("Breath"),
    Method(srv.SetConfig, "ALMotion.setBreathConfig", arguments=_config),
    Method(srv.GetConfig, "ALMotion.getBreathConfig", fill=names_and_values(float)),
    *_switch_of_chain("IdlePosture"),
)
