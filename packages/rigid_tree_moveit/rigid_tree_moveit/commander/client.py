"""A client of move_group: its robot, joint states, plans, motions and planning scene."""

import math
import threading
import time
import warnings
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from geometry_msgs.msg import PoseStamped
from moveit_msgs import msg, srv
from moveit_msgs.action import ExecuteTrajectory, MoveGroup
from rcl_interfaces.srv import GetParameters
from rclpy.duration import Duration
from rclpy.qos import qos_profile_sensor_data
from sensor_msgs.msg import JointState

from rigid_tree_kinematics.description import read_description
from rigid_tree_kinematics.description.srdf import Group, default_semantics, read_semantics
from rigid_tree_kinematics.errors import DescriptionWarning, UnknownNameError
from rigid_tree_kinematics.text import told_apart
from rigid_tree_moveit.commander.connection import (
    REPLY,
    SERVERS,
    Connection,
)
from rigid_tree_moveit.commander.errors import CommanderError
from rigid_tree_moveit.commander.fields import converted, number

LIMIT_TOLERANCE = 1e-4  # rad or m, MoveIt's tolerance of joint goals
FIRST_STATE, NEXT_STATE = 5.0, 1.0  # s, timeouts of joint states
LONGEST = 1e9  # s; Python and ROS cannot wait much longer
MOVE, EXECUTE = "move_action", "execute_trajectory"
ACTIONS = {MOVE: MoveGroup, EXECUTE: ExecuteTrajectory}
PARAMETERS = "move_group/get_parameters"
DESCRIPTIONS = ["robot_description", "robot_description_semantic"]
SERVICES = {
    PARAMETERS: GetParameters,
    "apply_planning_scene": srv.ApplyPlanningScene,
    "check_state_validity": srv.GetStateValidity,
    "compute_cartesian_path": srv.GetCartesianPath,
    "compute_fk": srv.GetPositionFK,
    "compute_ik": srv.GetPositionIK,
    "get_planning_scene": srv.GetPlanningScene,
    "plan_kinematic_path": srv.GetMotionPlan,
    "query_planner_interface": srv.QueryPlannerInterfaces,
}
CODES = {
    value: name
    for name in dir(msg.MoveItErrorCodes)
    if name.isupper() and isinstance(value := getattr(msg.MoveItErrorCodes, name), int)
}


class Client(Connection):
    """A client of the move_group in a namespace; see ``Connection``.

    Raises CommanderError if move_group does not appear, or has no robot, after ``wait`` (s).
    """

    def __init__(
        self,
        namespace: str = "",
        name: str = "",
        wait: float = SERVERS,
        arguments: Sequence[str] | None = None,
    ) -> None:
        super().__init__(namespace, name, arguments, SERVICES, ACTIONS)
        self._news = threading.Condition()
        self._heard: dict[str, tuple[float, float]] = {}  # position and time by joint
        qos = qos_profile_sensor_data
        self.node.create_subscription(JointState, "joint_states", self._on_joint_state, qos)
        self.open()
        try:
            self._read_robot(wait)
        except BaseException:
            self.close()
            raise

    def _read_robot(self, wait: float) -> None:
        deadline = time.monotonic() + wait
        texts: list[str] = []
        while not any(texts[:1]):
            left = deadline - time.monotonic()
            if left <= 0.0 and not texts:
                raise self.missing(PARAMETERS, wait)
            if left <= 0.0:
                reason = "its parameter robot_description is empty. It may still be starting"
                raise CommanderError(f"move_group has no robot after {wait:g} s: {reason}")
            if self._services[PARAMETERS].wait_for_service(left):
                with suppress(CommanderError):  # a reply can be lost during discovery
                    request = GetParameters.Request(names=DESCRIPTIONS)
                    reply = self.call(PARAMETERS, request, max(1.0, 0.5 * wait))
                    texts = [value.string_value for value in reply.values] or [""]
                    time.sleep(0.0 if texts[0] else 0.1)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DescriptionWarning)  # move_group has logged them
            self.tree = read_description(texts[0], source="move_group's robot_description")
        srdf = "".join(texts[1:])
        semantics = read_semantics(srdf, self.tree) if srdf else default_semantics(self.tree)
        self.groups = semantics.groups
        self.planning_frame = min(semantics.world_frames, default=self.tree.base_name)

    def group(self, name: str) -> Group:
        """Return a planning group; raises CommanderError with the known groups."""
        found: Group = known("group", name, self.groups, "the robot's SRDF")
        return found

    def named(self, group: str, state: str) -> dict[str, float]:
        """Return a state of a group in the SRDF; raises CommanderError with the known states."""
        return dict(known("named target", state, self.group(group).states, f"group '{group}'"))

    def links(self, group: Group) -> list[str]:
        """Return the links that a group's joints move, in the tree's order."""
        return [body.name for body in self.tree.bodies if body.joint.name in group.members]

    def by_joint(self, group: Group, values: Sequence[float]) -> dict[str, float]:
        """Return positions of a group's joints by name; raises CommanderError."""
        values = converted("the positions", "sequence<double>", values)
        if len(values) != len(group.joints):
            expected = f"{len(group.joints)} positions ({', '.join(group.joints)})"
            raise CommanderError(f"group '{group.name}' takes {expected}, not {len(values)}")
        return {name: float(value) for name, value in zip(group.joints, values, strict=True)}

    def check_limits(self, group: Group, positions: Mapping[str, float]) -> None:
        """Raise CommanderError for joints that a group lacks, and positions outside the limits."""
        for name, position in positions.items():
            known("joint", name, group.members, f"group '{group.name}'")
            low, high = self.tree.joint_limits(name)
            if not low - LIMIT_TOLERANCE <= position <= high + LIMIT_TOLERANCE:
                value, lowest, highest = told_apart(position, low, high)
                reason = f"{value} is outside its limits {lowest} to {highest}"
                raise CommanderError(f"joint '{name}': {reason}")

    def bounded(self, name: str, position: float) -> float:
        """Return a position (rad, m) within the limits of a joint; continuous ones within a turn.

        Raises CommanderError for an unknown joint.
        """
        joint = known("joint", name, {item.name: item for item in self.tree.joints}, "the robot")
        if joint.type == "continuous":
            turned = math.remainder(position, math.tau)
            return turned if turned > -math.pi else math.pi
        if joint.position_count > 1:
            return position
        low, high = self.tree.joint_limits(name)
        return float(min(max(position, low), high))

    def positions(self, joints: Iterable[str] | None = None) -> dict[str, float]:
        """Return joint positions (rad, m) that arrive after this call.

        None means the robot's independent joints that are in any joint state. Raises
        CommanderError after 5 s without one at first, after 1 s later.
        """
        self.require_open()
        begin, wanted = time.monotonic(), set(joints or ())

        def fresh() -> set[str]:
            return {name for name, (_, heard) in self._heard.items() if heard >= begin}

        with self._news:
            first = not self._heard.keys() >= wanted or not self._heard
            patience = FIRST_STATE if first else NEXT_STATE
            if not self._news.wait_for(lambda: fresh() and fresh() >= wanted, patience):
                topic = self.node.resolve_topic_name("joint_states")
                missing = ", ".join(sorted(wanted - fresh())) or "any joint"
                advice = "Start the robot's driver, or check the namespace and remappings"
                reason = f"no current state of {missing} on {topic} for {patience:g} s"
                raise CommanderError(f"{reason}. {advice}")
            names = self.tree.joint_names if joints is None else joints
            return {name: self._heard[name][0] for name in names if name in self._heard}

    def state(self) -> msg.RobotState:
        """Return move_group's current state of the robot with its attached objects."""
        self.positions()
        parts = msg.PlanningSceneComponents
        return self.scene(parts.ROBOT_STATE | parts.ROBOT_STATE_ATTACHED_OBJECTS).robot_state

    def pose(self, link: str, state: msg.RobotState) -> PoseStamped:
        """Return the pose of a link, or of an object in the scene, in the planning frame.

        Raises CommanderError for an unknown link.
        """
        request = srv.GetPositionFK.Request(fk_link_names=[link], robot_state=state)
        request.header.frame_id = self.planning_frame
        reply = self.call("compute_fk", request)
        require_success(reply.error_code, f"pose of link '{link}'")
        return reply.pose_stamped[0]

    def inverse(
        self,
        group: Group,
        pose: PoseStamped,
        link: str,
        seed: msg.RobotState | None = None,
        timeout: float = 0.0,
    ) -> dict[str, float]:
        """Return positions of a group (rad, m) for a link's pose; collisions are ignored.

        Raises CommanderError if there is no solution within the timeout (s; 0: move_group's).
        """
        wanted = msg.PositionIKRequest(group_name=group.name, ik_link_name=link, pose_stamped=pose)
        wanted.robot_state = seed or msg.RobotState(is_diff=True)
        wanted.timeout = Duration(seconds=timeout).to_msg()
        request = srv.GetPositionIK.Request(ik_request=wanted)
        reply = self.call("compute_ik", request, timeout + REPLY)
        require_success(reply.error_code, f"inverse kinematics of link '{link}'")
        state = reply.solution.joint_state
        found = dict(zip(state.name, state.position, strict=True))
        return {name: found[name] for name in group.joints}

    def _on_joint_state(self, message: JointState) -> None:
        now = time.monotonic()
        if len(message.position) not in (0, len(message.name)):
            counts = f"{len(message.name)} names, but {len(message.position)} positions"
            self.log.warning(f"rejected a joint state: {counts}", throttle_duration_sec=5.0)
            return
        pairs = zip(message.name, message.position, strict=False)
        with self._news:
            self._heard.update({name: (q, now) for name, q in pairs if math.isfinite(q)})
            self._news.notify_all()

    def plan(self, request: msg.MotionPlanRequest) -> msg.MotionPlanResponse:
        """Return a plan, successful or not; failures are logged."""
        patience = number("the planning time", request.allowed_planning_time, 0.0, LONGEST) + REPLY
        message = srv.GetMotionPlan.Request(motion_plan_request=request)
        reply = self.call("plan_kinematic_path", message, patience).motion_plan_response
        self.succeeded(reply.error_code, f"planning for group '{request.group_name}'")
        return reply

    def execute(self, trajectory: msg.RobotTrajectory, wait: bool = True) -> bool:
        """Move along a trajectory; return whether it was followed to its end."""
        return self.run(EXECUTE, ExecuteTrajectory.Goal(trajectory=trajectory), wait)

    def run(self, action: str, goal: Any, wait: bool = True) -> bool:
        """Run an action; return whether it succeeded, or was accepted. Failures are logged."""
        result = self.result(action, goal, wait)
        return result is None or self.succeeded(result.error_code, action)

    def stop_after_shutdown(self) -> None:
        """Stop all motions by a new client."""
        Client(self.node.get_namespace()).stop_execution()

    def succeeded(self, code: msg.MoveItErrorCodes, what: str) -> bool:
        """Return whether a code is SUCCESS; log it as text otherwise."""
        if code.val != msg.MoveItErrorCodes.SUCCESS:
            self.log.error(f"{what} failed: {text_of(code)}")
        return bool(code.val == msg.MoveItErrorCodes.SUCCESS)

    def scene(self, components: int) -> msg.PlanningScene:
        """Return parts of move_group's planning scene (see PlanningSceneComponents)."""
        request = srv.GetPlanningScene.Request()
        request.components.components = components
        return self.call("get_planning_scene", request).scene

    def apply(self, scene: msg.PlanningScene) -> bool:
        """Change move_group's planning scene; return whether it was accepted."""
        done = self.call(
            "apply_planning_scene", srv.ApplyPlanningScene.Request(scene=scene)
        ).success
        if not done:
            self.log.error("move_group rejected a change of the planning scene; see its log")
        return bool(done)

    def change(self, item: msg.CollisionObject | msg.AttachedCollisionObject) -> bool:
        """Apply an object's operation to the scene; return whether it was accepted."""
        scene = msg.PlanningScene(is_diff=True)
        scene.robot_state.is_diff = True
        if isinstance(item, msg.CollisionObject):
            scene.world.collision_objects = [item]
        else:
            scene.robot_state.attached_collision_objects = [item]
        return self.apply(scene)


_shared: dict[str, Client] = {}
_sharing = threading.Lock()


def shared_client(namespace: str, wait: float = SERVERS) -> Client:
    """Return the process's client of a namespace; create it if necessary."""
    key = namespace.strip("/")
    with _sharing:
        if key not in _shared or not _shared[key].is_open:
            _shared[key] = Client(namespace, wait=wait)
        return _shared[key]


def known(kind: str, name: str, items: Any, where: str) -> Any:
    """Return an item of a mapping or a list by name; raises CommanderError with suggestions."""
    if not isinstance(name, str) or name not in items:
        raise CommanderError(str(UnknownNameError(kind, name, items, where)))
    return items[name] if isinstance(items, dict) else name


def require_success(code: msg.MoveItErrorCodes, what: str) -> None:
    """Raise CommanderError with a code's text unless it is SUCCESS."""
    if code.val != msg.MoveItErrorCodes.SUCCESS:
        raise CommanderError(f"{what}: {text_of(code)}")


def text_of(code: msg.MoveItErrorCodes) -> str:
    """Return MoveIt's name of a code, its number, and the message if there is one."""
    text = f"{CODES.get(code.val, 'unknown code')} ({code.val})"
    message = getattr(code, "message", "")
    return f"{text}: {message}" if message else text
