"""ALMotion's general methods: names, limits, masses."""

from __future__ import annotations

from typing import Any

import nao_motion_interfaces.srv as srv
from geometry_msgs.msg import Point
from nao_motion_interfaces.msg import JointLimits

from rigid_tree_kinematics.nao import NaoError
from rigid_tree_kinematics.nao.model import NaoBody
from rigid_tree_kinematics.nodes.nao.robot import (
    NAMES,
    NUMBER,
    TEXT,
    Method,
    into,
    names_and_values,
    numbers,
)


def _limits(value: Any, reply: Any, request: Any, body: NaoBody) -> None:
    joints = body.names_of(request.name)
    if len(value) != len(joints):
        raise NaoError(
            f"the robot returned limits of {len(value)} joints, NAO {body.version} "
            f"{body.body_type} has {len(joints)} in {request.name}: set the parameters version "
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


def _polygon(value: Any, reply: Any, request: Any, body: NaoBody) -> None:
    reply.points = [Point(x=float(corner[0]), y=float(corner[1])) for corner in value]


METHODS = (
    Method("get_body_names", srv.GetNamesOf, "ALMotion.getBodyNames", fill=NAMES),
    Method("get_joint_names", srv.GetNamesOf, "ALMotion.getJointNames", fill=NAMES),
    Method("get_sensor_names", srv.GetNames, "ALMotion.getSensorNames", fill=NAMES),
    Method("get_limits", srv.GetLimits, "ALMotion.getLimits", fill=_limits),
    Method("get_motion_cycle_time", srv.GetNumber, "ALMotion.getMotionCycleTime", fill=NUMBER),
    Method(
        "get_robot_config",
        srv.GetRobotConfig,
        "ALMotion.getRobotConfig",
        fill=names_and_values(str),
    ),
    Method("get_summary", srv.GetText, "ALMotion.getSummary", fill=TEXT),
    Method("get_mass", srv.GetNumberOf, "ALMotion.getMass", fill=NUMBER),
    Method("get_com", srv.GetCOM, "ALMotion.getCOM", fill=into("position", numbers)),
    Method(
        "get_support_polygon", srv.GetSupportPolygon, "ALMotion.getSupportPolygon", fill=_polygon
    ),
)
