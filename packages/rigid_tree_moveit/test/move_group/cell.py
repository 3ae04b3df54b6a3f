"""Requests of MoveIt's clients to a move_group with a Panda, and their replies."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from moveit_harness.move_group import FINGER, JOINTS, MARGIN, READY, TIP, start_move_group
from moveit_msgs.action import ExecuteTrajectory, MoveGroup
from moveit_msgs.msg import (
    AttachedCollisionObject,
    CollisionObject,
    Constraints,
    JointConstraint,
    MotionPlanRequest,
    MoveItErrorCodes,
    OrientationConstraint,
    PlanningScene,
    PositionConstraint,
    PositionIKRequest,
    RobotState,
)
from moveit_msgs.srv import (
    ApplyPlanningScene,
    GetCartesianPath,
    GetMotionPlan,
    GetPlanningScene,
    GetPositionFK,
    GetPositionIK,
    GetStateValidity,
)
from rigid_tree_interfaces.srv import SetState
from sensor_msgs.msg import JointState
from shape_msgs.msg import SolidPrimitive
from std_msgs.msg import Header, String
from trajectory_msgs.msg import JointTrajectory

from harness.arm.trajectories import trajectory
from harness.network import Network
from harness.processes import Process
from rigid_tree_kinematics.nodes.common.requests import seconds_of

CODE = MoveItErrorCodes
ARM, BASE = "panda_arm", "panda_link0"
FINGERS = ["panda_hand", "panda_leftfinger", "panda_rightfinger"]


# -- messages ------------------------------------------------------------------------------------


def state(positions: Sequence[float] = READY, **more: float) -> RobotState:
    """Return a state of the arm and of more joints, which keeps what is held now."""
    joints = JointState(name=[*JOINTS, *more], position=[*positions, *more.values()])
    return RobotState(joint_state=joints, is_diff=True)


def joints(
    positions: Mapping[str, float] | Sequence[float], tolerance: float = 1e-3
) -> Constraints:
    """Return positions of the arm, or of joints by name, as constraints."""
    if not isinstance(positions, Mapping):
        positions = dict(zip(JOINTS, positions, strict=True))
    sides = {"tolerance_above": tolerance, "tolerance_below": tolerance}
    items = [JointConstraint(joint_name=j, position=q, **sides) for j, q in positions.items()]
    return Constraints(joint_constraints=items)


def turned(position: float = 0.3) -> Constraints:
    """Return the goal that the first joint is at a position."""
    return joints({JOINTS[0]: position})


def at_pose(
    pose: Any, link: str = TIP, frame: str = BASE, tolerance: float = 1e-3, **turn: Any
) -> Constraints:
    """Return a link's pose as constraints; ``turn`` are fields of that of the orientation."""
    position = PositionConstraint(link_name=link, header=Header(frame_id=frame))
    ball = SolidPrimitive(type=SolidPrimitive.SPHERE, dimensions=[tolerance])
    position.constraint_region.primitives = [ball]
    position.constraint_region.primitive_poses = [pose]
    sides = {f"absolute_{axis}_axis_tolerance": tolerance for axis in "xyz"}
    orientation = OrientationConstraint(
        link_name=link, header=position.header, orientation=pose.orientation, **sides | turn
    )
    return Constraints(position_constraints=[position], orientation_constraints=[orientation])


def motion(goal: Constraints | None = None, **fields: Any) -> MotionPlanRequest:
    """Return a request from READY, by default to turn the first joint by 0.3 rad."""
    fields = {
        "group_name": ARM,
        "start_state": state(),
        "goal_constraints": [turned() if goal is None else goal],
        **fields,
    }
    return MotionPlanRequest(**fields)


def single_joint(joint: str, *positions: float, seconds: int = 1) -> JointTrajectory:
    """Return a trajectory of one joint through positions, with this time between two."""
    return trajectory([joint], *((k * seconds, [q]) for k, q in enumerate(positions)))


# -- replies -------------------------------------------------------------------------------------


def by_name(message: JointState) -> dict[str, float]:
    return dict(zip(message.name, message.position, strict=True))


def of_arm(message: JointState) -> list[float]:
    at = by_name(message)
    return [at[name] for name in JOINTS]


def rows(trajectory: JointTrajectory) -> np.ndarray:
    """Return the arm's positions at the points of a trajectory (k, 7)."""
    columns = [list(trajectory.joint_names).index(name) for name in JOINTS]
    return np.array([point.positions for point in trajectory.points])[:, columns]


def times(trajectory: JointTrajectory) -> list[float]:
    return [seconds_of(point.time_from_start) for point in trajectory.points]


def solved(response: Any) -> JointTrajectory:
    """Return the trajectory of a successful plan."""
    assert response.error_code.val == CODE.SUCCESS, response.error_code
    return response.trajectory.joint_trajectory


def has_error(answer: Any, code: int, words: str = "") -> bool:
    """Return whether an error has a code, and words in its message, which Humble's lacks."""
    assert answer.val == code, answer
    return words in getattr(answer, "message", words)


class Cell:
    """Requests to a move_group; by default they start at READY."""

    process: Process  # of move_group, if it was started here

    def __init__(self, network: Network) -> None:
        self.network = network
        self.states: list[str] = []  # by the feedback on motions

    @classmethod
    def started(cls, directory: Path, **parameters: Any) -> Cell:
        """Start a move_group without a driver in a network of its own."""
        cell = cls(Network(directory))
        cell.process = start_move_group(cell.network, **{MARGIN: 0.5, **parameters})
        return cell

    def start_robot(self, **parameters: Any) -> Process:
        """Start a simulated robot, which stands at READY."""
        ready = {f"initial_positions.{name}": q for name, q in zip(JOINTS, READY, strict=True)}
        given = {"robot": "panda_hand", **ready, **parameters}
        return self.network.start("robot_simulator", given)

    def be_ready(self) -> None:
        """Put the simulated robot to READY, and wait until move_group knows it."""
        at = JointState(name=[*JOINTS, FINGER], position=[*READY, 0.04])
        assert self.network.call(SetState, "robot_simulator/set_state", state=at).success

        def known() -> list[float]:
            return of_arm(self.scene().robot_state.joint_state)

        self.network.until(lambda: known() == pytest.approx(READY, abs=1e-6), "READY")

    @contextmanager
    def parameter(self, name: str, value: Any, after: Any) -> Iterator[None]:
        """Have a parameter of move_group at another value."""
        assert self.network.set_parameter("/move_group", name, value).successful
        yield
        assert self.network.set_parameter("/move_group", name, after).successful

    # -- the scene -------------------------------------------------------------------------------

    def apply(self, objects: Sequence[Any] = (), **fields: Any) -> bool:
        """Change the scene by objects, attached or not, and by other fields."""
        scene = PlanningScene(is_diff=True, **fields)
        scene.robot_state.is_diff = True
        attached = [item for item in objects if isinstance(item, AttachedCollisionObject)]
        scene.robot_state.attached_collision_objects = attached
        scene.world.collision_objects = [item for item in objects if item not in attached]
        reply = self.network.call(ApplyPlanningScene, "apply_planning_scene", scene=scene)
        return bool(reply.success)

    def scene(self, components: int = 0) -> PlanningScene:
        request = GetPlanningScene.Request()
        request.components.components = components
        return self.network.call(GetPlanningScene, "get_planning_scene", request).scene

    def objects(self) -> dict[str, CollisionObject]:
        return {item.id: item for item in self.scene().world.collision_objects}

    def attached(self) -> dict[str, AttachedCollisionObject]:
        attached = self.scene().robot_state.attached_collision_objects
        return {item.object.id: item for item in attached}

    def clear(self) -> None:
        """Empty the scene."""
        detach = AttachedCollisionObject()
        detach.object.operation = CollisionObject.REMOVE
        assert self.apply([detach, CollisionObject(operation=CollisionObject.REMOVE)])

    # -- plans and states ------------------------------------------------------------------------

    def plan(self, goal: Constraints | None = None, **fields: Any) -> Any:
        """Return the response to a ``motion`` request."""
        return self.planned(motion(goal, **fields))

    def planned(self, request: MotionPlanRequest) -> Any:
        call = GetMotionPlan, "plan_kinematic_path"
        return self.network.call(*call, motion_plan_request=request).motion_plan_response

    def line(self, *poses: Any, **fields: Any) -> Any:
        """Return the reply to a request for straight lines of the tip."""
        fields = {"group_name": ARM, "link_name": TIP, "max_step": 0.01, **fields}
        fields = {"start_state": state(), "waypoints": list(poses), **fields}
        return self.network.call(GetCartesianPath, "compute_cartesian_path", **fields)

    def validity(self, robot_state: RobotState | None = None, **fields: Any) -> Any:
        fields = {"group_name": ARM, "robot_state": robot_state or state(), **fields}
        return self.network.call(GetStateValidity, "check_state_validity", **fields)

    def ik(self, service: str = "compute_ik", **fields: Any) -> Any:
        fields = {"group_name": ARM, "avoid_collisions": True, "robot_state": state(), **fields}
        request = PositionIKRequest(**fields)
        if "timeout" not in fields:
            request.timeout.sec = 10
        return self.network.call(GetPositionIK, service, ik_request=request)

    def fk(self, *links: str, frame: str = "", robot_state: RobotState | None = None) -> Any:
        return self.network.call(
            GetPositionFK,
            "compute_fk",
            fk_link_names=list(links),
            header=Header(frame_id=frame),
            robot_state=robot_state or state(),
        )

    # -- motions ---------------------------------------------------------------------------------

    def move(
        self,
        goal: Constraints | None = None,
        diff: PlanningScene | None = None,
        plan_only: bool = False,
        **fields: Any,
    ) -> Any:
        """Send a ``motion`` request to the action; return the goal's handle."""
        sent = MoveGroup.Goal(request=motion(goal, **fields))
        sent.planning_options.plan_only = plan_only
        sent.planning_options.planning_scene_diff = diff or PlanningScene()
        return self.network.send_goal(
            MoveGroup, "move_action", sent, lambda m: self.states.append(m.feedback.state)
        )

    def execute(self, trajectory: JointTrajectory) -> Any:
        """Have a trajectory executed; return the goal's handle."""
        goal = ExecuteTrajectory.Goal()
        goal.trajectory.joint_trajectory = trajectory
        return self.network.send_goal(ExecuteTrajectory, "execute_trajectory", goal)

    def outcome(self, handle: Any) -> Any:
        """Return a goal's error code at its end."""
        return self.network.outcome(handle).result.error_code

    def stop(self) -> None:
        self.network.publisher(String, "trajectory_execution_event").publish(String(data="stop"))
