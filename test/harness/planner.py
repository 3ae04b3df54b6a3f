"""An rrt_planner with a Panda, and clients of its services."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from geometry_msgs.msg import Pose
from rclpy.task import Future
from rigid_tree_interfaces.action import PlanMotion as PlanMotionAction
from rigid_tree_interfaces.msg import Obstacle, PlanRequest, SceneChange
from rigid_tree_interfaces.srv import CheckState, GetScene, PlanMotion, UpdateScene
from sensor_msgs.msg import JointState
from shape_msgs.msg import SolidPrimitive

from harness.arm.paths import straight
from harness.network import Network
from rigid_tree_kinematics import load_robot
from rigid_tree_kinematics.collision import CollisionChecker, Scene, load_scene

NODE = "rrt_planner"
JOINTS = [f"panda_joint{number}" for number in range(1, 8)]
START = [1.0, 0.3, 0.0, -1.8, 0.0, 2.1, 0.785]
GOAL = [-1.0, *START[1:]]
TIP = "panda_link8"
SERVICES = {
    UpdateScene: "update_scene",
    GetScene: "get_scene",
    CheckState: "check_state",
    PlanMotion: "plan_motion",
}


def state(positions: Sequence[float], names: Sequence[str] = JOINTS) -> JointState:
    return JointState(name=list(names), position=[float(value) for value in positions])


def box(
    name: str,
    size: Sequence[float],
    position: Sequence[float] = (0.0, 0.0, 0.0),
    frame: str = "",
) -> SceneChange:
    """Return the change that adds a box."""
    pose = Pose()
    pose.position.x, pose.position.y, pose.position.z = (float(value) for value in position)
    dimensions = [float(value) for value in size]
    primitive = SolidPrimitive(type=SolidPrimitive.BOX, dimensions=dimensions)
    obstacle = Obstacle(name=name, pose=pose, primitives=[primitive])
    obstacle.header.frame_id = frame
    return SceneChange(operation=SceneChange.ADD, obstacle=obstacle)


def change(operation: int, name: str, **fields: Any) -> SceneChange:
    return SceneChange(operation=operation, obstacle=Obstacle(name=name), **fields)


class Planner:
    """A running rrt_planner with the scene panda_pillars."""

    def __init__(self, network: Network, **parameters: Any) -> None:
        self.network = network
        self.robot = load_robot("panda")
        parameters = {"robot": "panda", "scene": "panda_pillars", "threads": 4, **parameters}
        self.process = network.start(NODE, parameters)

    # -- plans -----------------------------------------------------------------------------------

    def call_async(self, kind: Any, /, **fields: Any) -> Future:
        return self.network.call_async(kind, SERVICES[kind], **fields)

    def call(self, kind: Any, /, **fields: Any) -> Any:
        return self.network.call(kind, SERVICES[kind], **fields)

    def plan(self, **fields: Any) -> Any:
        """Return the reply to a request from START to GOAL, with these fields replaced."""
        fields = {"start": state(START), "goal_states": [state(GOAL)], **fields}
        return self.call(PlanMotion, request=PlanRequest(**fields)).reply

    def send_goal(self, request: PlanRequest, on_feedback: Any = None) -> Any:
        goal = PlanMotionAction.Goal(request=request)
        return self.network.send_goal(PlanMotionAction, "plan_motion_action", goal, on_feedback)

    def assert_free(self, reply: Any, scene: Scene | None = None) -> np.ndarray:
        """Check a trajectory with an independent collision checker; return its points."""
        checker = CollisionChecker(self.robot, scene or load_scene("panda_pillars"))
        trajectory = reply.trajectory
        columns = [trajectory.joint_names.index(name) for name in JOINTS]
        points = np.array([point.positions for point in trajectory.points])[:, columns]
        for q in straight(points):
            assert checker.is_free(q)
        return points

    # -- the scene -------------------------------------------------------------------------------

    def update(self, *changes: SceneChange) -> Any:
        return self.call(UpdateScene, changes=list(changes))

    def scene(self) -> Any:
        reply = self.call(GetScene)
        assert reply.success
        return reply.scene

    def obstacles(self) -> dict[str, Obstacle]:
        return {obstacle.name: obstacle for obstacle in self.scene().obstacles}

    def restore_scene(self) -> None:
        """Remove the obstacles of a test."""
        scene = self.scene()
        extra = {obstacle.name for obstacle in scene.obstacles}
        extra |= {item.obstacle.name for item in scene.attached}
        extra -= {"table", "left_pillar", "right_pillar"}
        self.update(*(change(SceneChange.REMOVE, name) for name in extra))

    # -- the robot's state -----------------------------------------------------------------------

    def check(self, positions: Sequence[float]) -> Any:
        reply = self.call(CheckState, joint_state=state(positions))
        assert reply.success, reply.message
        return reply

    def be_at(self, positions: Sequence[float]) -> None:
        """Publish joint states until the planner has received them."""
        at = dict(zip(JOINTS, positions, strict=True))
        self.until_at(positions, lambda: self.network.send(at, 1))

    def until_at(
        self, positions: Sequence[float], publish: Callable[[], None] = lambda: None
    ) -> None:
        """Wait until the planner has received these positions."""
        T = self.robot.get_transform(positions, TIP)

        def received() -> bool:
            publish()
            self.update(box("probe", (0.01, 0.01, 0.01), frame=TIP))
            probe = self.obstacles()["probe"].pose.position
            return np.allclose([probe.x, probe.y, probe.z], T[:3, 3], atol=1e-6)

        self.network.until(received, "the current state")
        self.update(change(SceneChange.REMOVE, "probe"))
