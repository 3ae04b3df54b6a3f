"""A move_group without a driver, asked as MoveIt's own tests ask theirs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from moveit_msgs.msg import (
    AttachedCollisionObject,
    CollisionObject,
    Constraints,
    JointConstraint,
    MotionPlanRequest,
    PlanningScene,
    PositionIKRequest,
    RobotState,
)
from moveit_msgs.srv import (
    ApplyPlanningScene,
    GetMotionPlan,
    GetPlanningScene,
    GetPositionIK,
    GetStateValidity,
)

from harness.moveit import JOINTS, MARGIN, READY, start_move_group
from harness.network import Network


class Cell:
    """The node, and requests to it that start at READY or at other positions of the arm."""

    def __init__(self, directory: Path) -> None:
        self.network = Network(directory)
        self.process = start_move_group(self.network, **{MARGIN: 0.5})

    def state(self, positions: Sequence[float] = READY, **more: float) -> RobotState:
        """Return a state that keeps what is held now."""
        state = RobotState(is_diff=True)
        state.joint_state.name = [*JOINTS, *more]
        state.joint_state.position = [*positions, *more.values()]
        return state

    def apply(self, objects: Sequence[Any] = (), **fields: Any) -> bool:
        """Change the scene by objects, attached or not, and by other fields."""
        scene = PlanningScene(is_diff=True, **fields)
        scene.robot_state.is_diff = True
        held = [item for item in objects if isinstance(item, AttachedCollisionObject)]
        scene.robot_state.attached_collision_objects = held
        scene.world.collision_objects = [item for item in objects if item not in held]
        reply = self.network.call(ApplyPlanningScene, "apply_planning_scene", scene=scene)
        return bool(reply.success)

    def scene(self) -> PlanningScene:
        return self.network.call(GetPlanningScene, "get_planning_scene").scene

    def clear(self) -> None:
        """Empty the scene."""
        detach = AttachedCollisionObject()
        detach.object.operation = CollisionObject.REMOVE
        assert self.apply([detach, CollisionObject(operation=CollisionObject.REMOVE)])

    def plan(self, goal: Constraints | None = None, **fields: Any) -> Any:
        """Return the response to a request, by default to turn the first joint by 0.3 rad."""
        if goal is None:
            joint = JointConstraint(joint_name=JOINTS[0], position=0.3)
            joint.tolerance_above = joint.tolerance_below = 1e-3
            goal = Constraints(joint_constraints=[joint])
        fields = {"group_name": "panda_arm", "start_state": self.state(), **fields}
        request = MotionPlanRequest(goal_constraints=[goal], **fields)
        reply = self.network.call(
            GetMotionPlan, "plan_kinematic_path", motion_plan_request=request
        )
        return reply.motion_plan_response

    def validity(self, state: RobotState | None = None) -> Any:
        state = self.state() if state is None else state
        service = "check_state_validity"
        return self.network.call(
            GetStateValidity, service, group_name="panda_arm", robot_state=state
        )

    def ik(self, **fields: Any) -> Any:
        request = PositionIKRequest(group_name="panda_arm", avoid_collisions=True)
        request.robot_state, request.timeout.sec = self.state(), 5
        for name, value in fields.items():
            setattr(request, name, value)
        return self.network.call(GetPositionIK, "compute_ik", ik_request=request)
