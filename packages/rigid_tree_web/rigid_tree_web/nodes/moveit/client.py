"""A client of MoveIt's move_group, by the requests of rrt_planner and ik_server."""

import time
from collections.abc import Callable, Collection, Mapping
from typing import Any

from moveit_msgs.action import ExecuteTrajectory
from moveit_msgs.msg import MotionPlanRequest, MoveItErrorCodes, PositionIKRequest, RobotTrajectory
from moveit_msgs.srv import (
    ApplyPlanningScene,
    GetCartesianPath,
    GetMotionPlan,
    GetPositionIK,
    GetStateValidity,
)
from rclpy.duration import Duration
from rclpy.node import Node
from rigid_tree_interfaces.msg import Contact, PlanReply, PlanRequest, SceneChange
from rigid_tree_interfaces.srv import CheckState, SolveIK
from sensor_msgs.msg import JointState
from std_msgs.msg import String
from trajectory_msgs.msg import JointTrajectory

from rigid_tree_kinematics.description.srdf import Group, Semantics
from rigid_tree_kinematics.model import RigidBodyTree
from rigid_tree_kinematics.nodes.base import pose_message
from rigid_tree_kinematics.nodes.motion import BlockedError, MotionClient, MotionError
from rigid_tree_web.nodes.moveit import messages

IK, PLAN, LINE = "compute_ik", "plan_kinematic_path", "compute_cartesian_path"
CHECK, SCENE = "check_state_validity", "apply_planning_scene"
EXECUTE = "execute_trajectory"
SERVICES = {
    **MotionClient.services,
    IK: GetPositionIK,
    PLAN: GetMotionPlan,
    LINE: GetCartesianPath,
    CHECK: GetStateValidity,
    SCENE: ApplyPlanningScene,
}
ACTIONS = {**MotionClient.actions, EXECUTE: ExecuteTrajectory}
PLANNERS = {"rrt_connect": "RRTConnect", "rrt": "RRT", "aorrtc": "RRTstar"}
SUCCESS = MoveItErrorCodes.SUCCESS
INVALIDATED = MoveItErrorCodes.MOTION_PLAN_INVALIDATED_BY_ENVIRONMENT_CHANGE
MOVED = 1e-3  # rad or m; joints that differ less do not move
LINE_STEP = 0.01  # m, of a straight line
WHOLE = 0.999  # of a straight line


class MoveGroupClient(MotionClient):
    """Speaks to move_group where it runs, and to the servers of MotionClient elsewhere.

    ``positions`` returns the joints' positions by name, ``semantics`` the robot's groups (known
    once an SRDF is published), and ``kept`` what the link of a plan keeps along its path: one of
    ``panels.KEPT``.
    """

    services, actions = SERVICES, ACTIONS

    def __init__(
        self,
        node: Node,
        namespace: str,
        tree: RigidBodyTree,
        frame: str,
        positions: Callable[[], Mapping[str, float]],
        semantics: Callable[[], Semantics],
        kept: Callable[[], str],
    ) -> None:
        super().__init__(node, namespace)
        self._tree, self._frame, self._positions = tree, frame, positions
        self._semantics, self._kept_by_user = semantics, kept
        topic = "trajectory_execution_event"
        self._events = node.create_publisher(String, self._resolved(topic), 10)

    def destroy(self) -> None:
        """Destroy the clients and the publisher."""
        super().destroy()
        self._node.destroy_publisher(self._events)

    def stop(self) -> None:
        """Let running plans and motions end with StoppedError."""
        super().stop()
        if self.is_moveit:
            self._events.publish(String(data="stop"))

    @property
    def is_moveit(self) -> bool:
        """Whether move_group plans."""
        return bool(self._groups) and self._is_served(PLAN)

    @property
    def available(self) -> dict[str, bool]:
        """Whether "ik", "planner", "driver" and "constraints" along paths are available now."""
        found = super().available
        if self.is_moveit:
            found |= {"ik": self._is_served(IK), "planner": True, "constraints": True}
            found["driver"] = self._is_ready(EXECUTE)
        return found

    @property
    def _groups(self) -> Mapping[str, Group]:
        return self._semantics().groups

    # -- groups ----------------------------------------------------------------------------------

    def _group_of(self, body: str) -> Group:
        """Return the group that moves a link: that with its tip, or else with its joints."""
        chain = self._chain(body)

        def order(group: Group) -> tuple[bool, int, int]:
            return group.tip != body, -len(chain & set(group.joints)), len(group.joints)

        return min(self._groups.values(), key=order)

    def _chain(self, body: str) -> set[str]:
        """Return the joints between the base and a link."""
        at, joints = self._tree.get_body(body), set()
        while at.parent is not None:
            joints.add(at.joint.name)
            at = at.parent
        return joints

    def _group_with(self, joints: Collection[str]) -> Group:
        """Return the smallest group with joints; raises MotionError without any."""
        found = [g for g in self._groups.values() if set(joints) <= set(g.joints)]
        if not found:
            raise MotionError(f"no planning group has all of {', '.join(joints)}")
        return min(found, key=lambda group: len(group.joints))

    # -- requests --------------------------------------------------------------------------------

    async def solve(self, request: SolveIK.Request) -> SolveIK.Response:
        """Return the reply of compute_ik, successful or not; NotReadyError without any."""
        if not self.is_moveit:
            return await super().solve(request)
        group = self._group_of(request.body)
        asked = PositionIKRequest(
            group_name=group.name,
            robot_state=messages.robot_state(request.seed),
            avoid_collisions=request.avoid_collisions,
            ik_link_name=request.body,
            pose_stamped=request.target,
            timeout=request.timeout,
        )
        asked = GetPositionIK.Request(ik_request=asked)
        reply = await self._answer(IK, asked, seconds_of(request.timeout))
        response = SolveIK.Response(success=reply.error_code.val == SUCCESS)
        if not response.success:
            response.message = messages.reason(reply.error_code)
            return response
        state = reply.solution.joint_state
        found = {
            n: q for n, q in zip(state.name, state.position, strict=True) if n in group.joints
        }
        response.solutions = [JointState(name=list(found), position=list(found.values()))]
        return response

    async def check(self, request: CheckState.Request) -> CheckState.Response:
        """Return the collisions of a state; raises NotReadyError."""
        if not self.is_moveit:
            return await super().check(request)
        state = messages.robot_state(request.joint_state)
        reply = await self._answer(CHECK, GetStateValidity.Request(robot_state=state), 0.0)
        pairs = [(c.contact_body_1, c.contact_body_2) for c in reply.contacts]
        contacts = [Contact(first=first, second=second) for first, second in pairs]
        return CheckState.Response(success=True, free=reply.valid, contacts=contacts)

    async def change_scene(self, changes: list[SceneChange]) -> None:
        """Change the scene; raises NotReadyError and MotionError."""
        if not self.is_moveit:
            await super().change_scene(changes)
            return
        request = ApplyPlanningScene.Request(scene=messages.scene_diff(changes))
        if not (await self._answer(SCENE, request, 0.0)).success:
            raise MotionError(
                "move_group rejected the change of the scene: its log has the reason"
            )

    async def plan(self, request: PlanRequest) -> PlanReply:
        """Return a plan; raises MotionError, NotReadyError, StoppedError."""
        if not self.is_moveit:
            return await super().plan(request)
        stops, begin = self._stops, time.monotonic()
        plan = self._line if request.straight_line else self._path
        trajectory, code = await plan(request, seconds_of(request.time_limit))
        self._check_stops(stops)
        if code.val != SUCCESS:
            raise MotionError(messages.reason(code))
        points = trajectory.joint_trajectory.points
        if not points:
            raise MotionError("the plan is empty: the robot is at the goal")
        return PlanReply(
            success=True,
            message=f"path with {len(points)} points",
            trajectory=trajectory.joint_trajectory,
            search_seconds=time.monotonic() - begin,
        )

    async def _path(
        self, request: PlanRequest, seconds: float
    ) -> tuple[RobotTrajectory, MoveItErrorCodes]:
        """Return the trajectory to a goal, and its code."""
        if request.goal_states:
            goal = self._moved(request)
            group = self._group_with(goal) if goal else self._group_of(request.body)
            wanted = messages.joint_goal(goal)
        else:
            group = self._group_of(request.body)
            wanted = messages.pose_goal(request.body, request.goal_poses[0])
        asked = MotionPlanRequest(
            group_name=group.name,
            start_state=messages.robot_state(request.start),
            goal_constraints=[wanted],
            path_constraints=self._kept(request),
            planner_id=PLANNERS.get(request.planner, ""),
            num_planning_attempts=1,
            allowed_planning_time=seconds,
            max_velocity_scaling_factor=request.velocity_scale,
            max_acceleration_scaling_factor=request.acceleration_scale,
        )
        asked = GetMotionPlan.Request(motion_plan_request=asked)
        reply = (await self._answer(PLAN, asked, seconds)).motion_plan_response
        return reply.trajectory, reply.error_code

    async def _line(
        self, request: PlanRequest, seconds: float
    ) -> tuple[RobotTrajectory, MoveItErrorCodes]:
        """Return the trajectory along straight lines, and its code."""
        asked = GetCartesianPath.Request(
            header=request.goal_poses[0].header,
            start_state=messages.robot_state(request.start),
            group_name=self._group_of(request.body).name,
            link_name=request.body,
            waypoints=[goal.pose for goal in request.goal_poses],
            max_step=LINE_STEP,
            avoid_collisions=True,
        )
        if hasattr(asked, "max_velocity_scaling_factor"):  # not in Humble
            asked.max_velocity_scaling_factor = request.velocity_scale
            asked.max_acceleration_scaling_factor = request.acceleration_scale
        reply = await self._answer(LINE, asked, seconds)
        if reply.error_code.val == SUCCESS and reply.fraction < WHOLE:
            why = getattr(reply.error_code, "message", "")
            part = f"only {100 * reply.fraction:.0f} % of the straight line can be followed"
            raise MotionError(f"{part}: {why}" if why else part)
        return reply.solution, reply.error_code

    def _start(self, request: PlanRequest) -> dict[str, float]:
        """Return the positions at the start of a plan."""
        given = zip(request.start.name, request.start.position, strict=True)
        return {**self._positions(), **dict(given)}

    def _moved(self, request: PlanRequest) -> dict[str, float]:
        """Return the goal positions of the joints that move."""
        start, goal = self._start(request), request.goal_states[0]
        pairs = zip(goal.name, goal.position, strict=True)
        return {name: q for name, q in pairs if abs(q - start.get(name, q)) > MOVED}

    def _kept(self, request: PlanRequest) -> Any:
        home = dict(zip(self._tree.position_names, self._tree.home_configuration(), strict=True))
        q = [self._start(request).get(name, at) for name, at in home.items()]
        T = self._tree.get_transform(q, request.body or self._tree.base_name)
        return messages.kept_along(
            request.body, pose_message(T, self._frame), self._kept_by_user()
        )

    async def execute(self, trajectory: JointTrajectory) -> float:
        """Execute a trajectory with move_group, which stops it when an obstacle blocks it."""
        if not self.is_moveit:
            return await super().execute(trajectory)
        length = seconds_of(trajectory.points[-1].time_from_start)
        moved = RobotTrajectory(joint_trajectory=trajectory)
        goal = ExecuteTrajectory.Goal(trajectory=moved)
        code = (await self._achieve(EXECUTE, goal, length)).error_code
        if code.val == INVALIDATED:
            raise BlockedError(messages.reason(code))
        if code.val != SUCCESS:
            raise MotionError(f"the motion failed: {messages.reason(code)}")
        return length


def seconds_of(duration: Any) -> float:
    """Return a Duration message in seconds."""
    return float(Duration.from_msg(duration).nanoseconds / 1e9)
