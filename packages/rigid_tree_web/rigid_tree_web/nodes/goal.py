"""A user's goal: a target that the robot follows, or a ghost."""

import time
from collections.abc import Callable, Collection, Mapping
from enum import Enum

import numpy as np
from rclpy.duration import Duration
from rigid_tree_interfaces.msg import PlanRequest
from rigid_tree_interfaces.srv import CheckState
from sensor_msgs.msg import JointState

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.description.srdf import Semantics
from rigid_tree_kinematics.errors import ConfigurationError, RigidTreeError
from rigid_tree_kinematics.kinematics import body_transforms
from rigid_tree_kinematics.model import RigidBodyTree
from rigid_tree_kinematics.nodes.base import pose_message
from rigid_tree_kinematics.nodes.motion import UserMotion
from rigid_tree_web import drawn, panels
from rigid_tree_web.nodes.configurations import KnownConfigurations
from rigid_tree_web.nodes.plans import PlanView
from rigid_tree_web.nodes.slot import RobotSlot
from rigid_tree_web.nodes.tips import Tips

RANDOM_TRIES = 20  # for a free goal
HELD = 1.0  # s after a touch in which the target does not follow the robot
AT_TARGET = 2e-3  # m, and of a rotation matrix: a robot that has reached its target
MOST_PAIRS = 4  # in a message


class Mode(Enum):
    """What the target moves."""

    NONE = "none"
    ROBOT = "robot"
    GHOST = "ghost"


class GoalView:
    """The targets, the ghost and the plans of one robot; used in the node's thread.

    ``configuration`` returns the robot's (nq,); ``mark_obstacles`` colors obstacles in collision,
    and no others, red. ``set_panel`` is called before any other use.
    """

    def __init__(
        self,
        slot: RobotSlot,
        tree: RigidBodyTree,
        base: str,
        motion: UserMotion,
        configuration: Callable[[], Array],
        mark_obstacles: Callable[[Collection[str]], None],
    ) -> None:
        self._node, self._tree, self._motion = slot.node, tree, motion
        self._configuration, self._mark_obstacles = configuration, mark_obstacles
        self._frame = slot.prefix + tree.base_name
        self.tips = Tips(tree)
        self._targets = drawn.TargetPair(
            slot.server, base, lambda number: slot.post(lambda: self._dragged(number))
        )
        self._ghost = drawn.Ghost(slot.server, base, "goal", tree, drawn.GOAL)
        self._mode = Mode.NONE
        self._q = tree.home_configuration()  # of the ghost
        self._touched: float | None = None  # when the target was, s; else it follows the robot
        self._shown_at: Array | None = None  # the robot's configuration with this pose
        self._unreached = self._blocked = ""  # why the target or the ghost is no goal
        self.known = KnownConfigurations(tree, configuration)
        path = drawn.PathGhost(slot.server, base, tree)
        self.plans = PlanView(path, motion, self.known, self._request, self._is_settled)
        self._reached = motion.latest(self._reach)
        self._checked = motion.latest(self._check)

    def set_panel(self, panel: panels.TargetPanel) -> None:
        """Set the panel that shows the goal."""
        self.panel = self.plans.panel = panel

    @property
    def body(self) -> str:
        """The body of the target."""
        return self.tips.body

    def update(self, now: float) -> None:
        """Show the pose of the body and, at a time (s) of a steady clock, the planned path."""
        self.plans.update(now)
        if self._mode is not Mode.GHOST:
            self._follow_robot(now)

    def _follow_robot(self, now: float) -> None:
        """Move the target with the robot, until it is touched and once it is reached."""
        q = self._configuration()
        if self._touched is not None:
            self._show_other(q)
            if now - self._touched < HELD or not self._reached.is_idle:
                return
            if not np.allclose(self._pose_at(q), self._targets.pose, atol=AT_TARGET):
                return
            self._touched = None
        if q is not self._shown_at:
            self._shown_at = q
            self._show_pose(self._pose_at(q))
            self._show_other(q)

    def release(self) -> None:
        """Let the target follow the robot, which another control moves."""
        self._reached.drop()
        self._touched, self._shown_at = None, None
        if self._mode is Mode.ROBOT:
            self._unreached = ""
            self._show_reason()

    def remove(self) -> None:
        """Remove the ghosts from the page."""
        self._ghost.remove()
        self.plans.remove()

    def stop(self) -> None:
        """Stop the robot; the target returns to it."""
        if self._mode is Mode.ROBOT:
            self.release()
        self._motion.stop()

    def move_joints(self, positions: Mapping[str, float]) -> None:
        """Move joints (by name, rad or m); the target follows."""
        if self._mode is Mode.ROBOT:
            self.release()
        self._motion.move(positions)

    # -- the target and the ghost ----------------------------------------------------------------

    def follow(self, shown: bool) -> None:
        """Show or hide the target that the robot follows."""
        if shown != (self._mode is Mode.ROBOT):  # not an echo of show_mode
            self._set_mode(Mode.ROBOT if shown else Mode.NONE)

    def show_ghost(self, shown: bool) -> None:
        """Show or hide the ghost."""
        if shown != (self._mode is Mode.GHOST):
            self._set_mode(Mode.GHOST if shown else Mode.NONE)

    def _set_mode(self, mode: Mode) -> None:
        self.plans.clear()
        self._mode = mode
        if mode is Mode.GHOST:
            self._set_goal(self._configuration())
        else:
            self._ghost.hide()
            self._mark(())
            self._blocked = ""
        self._show_target()

    def _show_target(self) -> None:
        """Show the targets at the bodies of the ghost, or of the robot."""
        q = self._q if self._mode is Mode.GHOST else self._configuration()
        self._touched = None
        self._show_pose(self._pose_at(q))
        is_shown = self._mode is not Mode.NONE
        self._targets.show(is_shown, is_shown and bool(self.tips.other))
        self._show_other(q)
        self.panel.show_mode(self._mode is Mode.ROBOT, self._mode is Mode.GHOST)
        self._unreached = ""
        self._show_reason()

    def _pose_at(self, q: Array, body: str = "") -> Array:
        """Return the pose of a body, by default the target's, in the base frame."""
        row = self._tree.compiled().index_of(body or self.body)
        return np.asarray(body_transforms(self._tree, q)[row])

    def _show_pose(self, T: Array) -> None:
        self._targets.pose = T
        self.panel.show_pose(T)

    def _show_other(self, q: Array) -> None:
        if self.tips.other:
            self._targets.show_other(self._pose_at(q, self.tips.other))

    def use(self, semantics: Semantics) -> None:
        """Use the states and the tips of an SRDF."""
        self.known.states = semantics.states
        body = self.body
        self.tips.use(semantics)
        if self.body != body:
            self.panel.show_body(self.body)
        self._show_target()

    def choose_body(self, body: str) -> None:
        """Select the target's body."""
        if body in self._tree.body_names:  # a client can send any name
            self.tips.choose(body)
            self.plans.clear()
            self._show_target()

    def set_pose(self, T: Array) -> None:
        """Move the target to T_base_target."""
        if self._mode is not Mode.NONE:
            self._targets.pose = T
            if not np.allclose(self._targets.pose, T, atol=1e-6):  # aimed at a point
                self.panel.show_pose(self._targets.pose)
            self._move_to(self._targets.pose)

    def constrain(self, holds: bool, point: Array | None) -> None:
        """Keep the target's orientation, aim it at a point (m, base frame), or neither."""
        self._targets.pose = self._targets.pose  # stays as aimed so far
        self._targets.constrain(holds, point)
        if point is not None:
            self._dragged(self._targets.active)

    def _dragged(self, number: int) -> None:
        if number != self._targets.active:  # it is the target of the panel from now on
            self._targets.active = number
            self.tips.swap()
            self.panel.show_body(self.body)
        T = self._targets.pose
        self.panel.show_pose(T)
        self._move_to(T)

    def _move_to(self, T: Array) -> None:
        if self._mode is not Mode.NONE:
            self.plans.clear()
            self._touched = time.monotonic()
            self._reached.request(T)

    async def _reach(self, T: Array) -> None:
        """Move the robot or the ghost to the target, or show why it is out of reach."""
        chosen = self.body, self._mode
        solution: Mapping[str, float] = {}
        self._unreached = ""
        try:
            solution = await self._solution(T)
        except RigidTreeError as error:
            self._unreached = str(error)
        if self._touched is None or chosen != (self.body, self._mode):
            return
        if self._unreached:
            self._motion.report(self._unreached, "note")
        elif self._mode is Mode.ROBOT:
            self._motion.move(solution)
            self._motion.report("following the target", "note")
        else:
            self._set_goal(self.known.merged(self._q, solution))
        self._show_reason()

    async def _solution(self, T: Array) -> Mapping[str, float]:
        """Return positions by name for the target, for the ghost without collisions if possible.

        Raises MotionError if it is out of reach.
        """
        pose = self.body, T, self._frame
        if self._mode is Mode.ROBOT:
            return await self._motion.solve(*pose)
        seed = self.known.message(self._q)
        try:
            return await self._motion.solve(*pose, seed, avoids_collisions=True)
        except RigidTreeError:  # perhaps since all solutions are in collision
            return await self._motion.solve(*pose, seed)

    @property
    def _reason(self) -> str:
        """Why nothing is planned to the target; empty if it is a goal."""
        has_goal = self._mode is not Mode.NONE
        return (self._unreached or self._blocked) if has_goal else panels.NO_TARGET

    def _show_reason(self) -> None:
        self.panel.allow_plans(self._reason)

    def choose_goal(self, name: str) -> None:
        """Move the ghost to a named, current or random configuration."""
        self.plans.clear()
        self._mode = Mode.GHOST
        if name == panels.RANDOM:
            self._motion.start(self._choose_random)
        else:
            self._set_goal(self.known.named(name))
        self._show_target()

    async def _choose_random(self) -> None:
        self._set_goal(await self._free_random())
        self._show_target()

    async def _free_random(self) -> Array:
        """Return a random configuration without collisions; raises ConfigurationError."""
        for _ in range(RANDOM_TRIES):
            q = self._tree.random_configuration()
            if (await self._contacts(q)).free:
                return q
        raise ConfigurationError(f"{RANDOM_TRIES} random configurations are in collision")

    def go_to(self, name: str) -> None:
        """Move the robot to a named or random configuration, planned if there is a planner."""
        if self._mode is Mode.ROBOT:
            self.release()

        async def work() -> None:
            planned = self._motion.client.available["planner"]
            random = planned and name == panels.RANDOM
            q = await self._free_random() if random else self.known.named(name)
            goal = self.known.joints(q)
            if not planned:
                self._motion.move(goal)
                return
            state = JointState(name=list(goal), position=list(goal.values()))
            request = PlanRequest(goal_states=[state])
            reply, found = await self._motion.planned(request)
            await self._motion.execute(request, reply, found, 0)

        self._motion.start(work)

    def _set_goal(self, q: Array) -> None:
        self._q = q
        self._ghost.show(q)
        self._show_other(q)
        self._checked.request(q)

    def check_again(self) -> None:
        """Check the ghost in a scene that has changed."""
        if self._mode is Mode.GHOST:
            self._checked.request(self._q)

    async def _check(self, q: Array) -> None:
        """Show what the ghost is in collision with."""
        try:
            reply = await self._contacts(q)
        except RigidTreeError as error:
            self._blocked = str(error)
            self._show_reason()
            return
        if self._mode is not Mode.GHOST or q is not self._q:
            return
        pairs = [(contact.first, contact.second) for contact in reply.contacts]
        self._mark([name for pair in pairs for name in pair])
        named = [f"'{first}' and '{second}'" for first, second in pairs[:MOST_PAIRS]]
        self._blocked = f"goal in collision: {', '.join(named)}" if pairs else ""
        self._show_reason()
        if not self._unreached:
            self._motion.report(self._blocked or "goal is free", "note")

    async def _contacts(self, q: Array) -> CheckState.Response:
        request = CheckState.Request(joint_state=self.known.message(q))
        return await self._motion.client.check(request)

    def _mark(self, names: Collection[str]) -> None:
        self._ghost.mark(names)
        self._mark_obstacles(names)

    # -- the request for a plan ------------------------------------------------------------------

    def _is_settled(self) -> bool:
        return self._reached.is_idle and self._checked.is_idle

    def _request(self, options: panels.PlanOptions) -> tuple[PlanRequest, Array]:
        """Return a request and its start; raises ConfigurationError with the reason for none."""
        if self._reason:
            raise ConfigurationError(self._reason)
        request = PlanRequest(
            body=self.body,
            planner=options.planner,
            velocity_scale=options.velocity_scale,
            acceleration_scale=options.acceleration_scale,
            straight_line=options.straight_line,
            time_limit=Duration(seconds=options.time_limit).to_msg(),
        )
        if self._mode is Mode.GHOST and not options.straight_line:
            request.goal_states = [self.known.message(self._q)]
        else:
            request.goal_poses = [pose_message(self._targets.pose, self._frame)]
        start = self.known.named(options.start)
        if options.start != panels.CURRENT:
            request.start = self.known.message(start)
        return request, start
