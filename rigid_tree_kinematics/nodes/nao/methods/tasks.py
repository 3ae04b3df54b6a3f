"""ALMotion's tasks: what is under way, and how to end it."""

from __future__ import annotations

from typing import Any

import nao_motion_interfaces.srv as srv
from nao_motion_interfaces.msg import Task

from rigid_tree_kinematics.nao.guard import WalkEffect
from rigid_tree_kinematics.nao.model import NaoBody
from rigid_tree_kinematics.nodes.nao.robot import FLAG, Method


def _names(request: Any) -> list[Any]:
    """Return the names as a list, also if there is only one."""
    return [list(request.names)]


def _tasks(value: Any, reply: Any, request: Any, body: NaoBody) -> None:
    """Take a row's first string and first number: NAOqi's versions order and fill rows their way.

    NAOqi 1.14 returns [name, number], later versions append more.
    """
    reply.tasks = [
        Task(
            name=next((entry for entry in row if isinstance(entry, str)), ""),
            id=next((int(entry) for entry in row if isinstance(entry, int)), 0),
        )
        for row in value
    ]


KILL_TASKS_USING_RESOURCES = Method(
    "kill_tasks_using_resources",
    srv.CallForAll,
    "ALMotion.killTasksUsingResources",
    arguments=_names,
)

METHODS = (
    Method("get_task_list", srv.GetTaskList, "ALMotion.getTaskList", fill=_tasks),
    Method(
        "are_resources_available",
        srv.GetFlagOfAll,
        "ALMotion.areResourcesAvailable",
        arguments=_names,
        fill=FLAG,
    ),
    Method("kill_task", srv.KillTask, "ALMotion.killTask", fill=FLAG),
    KILL_TASKS_USING_RESOURCES,
    Method("kill_move", srv.Call, "ALMotion.killMove", walk=WalkEffect.ENDS),
    Method("kill_all", srv.Call, "ALMotion.killAll", walk=WalkEffect.ENDS),
)
