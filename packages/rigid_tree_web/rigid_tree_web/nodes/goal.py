"""A user's goal: a target that the robot follows, or a ghost and plans to it."""

import time
from collections.abc import Callable, Collection, Mapping

import numpy as np
from rclpy.duration import Duration
from rigid_tree_interfaces.msg import PlanReply, PlanRequest
from rigid_tree_interfaces.srv import CheckState
from sensor_msgs.msg import JointState

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.errors import ConfigurationError, RigidTreeError
from rigid_tree_kinematics.kinematics import body_transforms
from rigid_tree_kinematics.model import RigidBodyTree
from rigid_tree_kinematics.model.chains import longest_chain_end
from rigid_tree_kinematics.nodes.base import UserMotion, pose_message
from rigid_tree_web import drawn, panels
from rigid_tree_web.nodes.configurations import KnownConfigurations
from rigid_tree_web.nodes.slot import RobotSlot

REPLANS = 5  # per click
RANDOM_TRIES = 20  # for a free goal
AT_START = 0.02  # rad or m, of a robot that executes a plan
HELD = 1.0  # s after a touch in which the target does not follow the robot
AT_TARGET = 2e-3  # m, and of a rotation matrix: a robot that has reached its target
MOST_PAIRS = 4  # in a message
PATIENCE = 5.0  # s that a plan waits for inverse kinematics and the check of its goal


class GoalView:
    """The target, the ghosts and the plans of one robot; used in the node's thread.

    ``configuration`` returns the robot's (nq,); ``mark_obstacles`` colors obstacles in collision,
    and no others, red. ``panel`` is set before any other use.
    """

    panel: panels.TargetPanel

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
        self.body = longest_chain_end(tree)
        self._target = drawn.TargetGizmo(slot.server, base, lambda: slot.post(self._dragged))
        self._ghost = drawn.Ghost(slot.server, base, "goal", tree, drawn.GOAL)
        self._path = drawn.PathGhost(slot.server, base, tree)
        self._follows = self._shows_ghost = False
        self._q = tree.home_configuration()  # of the ghost
        self._touched: float | None = None  # when the target was, s; else it follows the robot
        self._shown_at: Array | None = None  # the robot's configuration with this pose
        self._unreached = self._blocked = ""  # why the target or the ghost is no goal
        self.known = KnownConfigurations(tree, configuration)
        self._planned: tuple[PlanRequest, PlanReply, Array] | None = None  # and its start
        self._changes = 0  # of the goal and the options
        self._reached = motion.latest(self._reach)
        self._checked = motion.latest(self._check)

    @property
    def is_shown(self) -> bool:
        """Whether there is a target or a ghost."""
        return self._follows or self._shows_ghost

    def update(self, now: float) -> None:
        """Show the pose of the body and, at a time (s) of a steady clock, the planned path."""
        self._path.update(now)
        if not self._shows_ghost:
            self._follow_robot(now)

    def _follow_robot(self, now: float) -> None:
        """Move the target with the robot, until it is touched and once it is reached."""
        q = self._configuration()
        if self._touched is not None:
            if now - self._touched < HELD or not self._reached.is_idle:
                return
            if not np.allclose(self._pose_at(q), self._target.pose, atol=AT_TARGET):
                return
            self._touched = None
        if q is not self._shown_at:
            self._shown_at = q
            self._show_pose(self._pose_at(q))

    def release(self) -> None:
        """Let the target follow the robot, which another control moves."""
        self._reached.drop()
        self._touched, self._shown_at = None, None
        if self._follows:
            self._unreached = ""
            self._show_reason()

    def remove(self) -> None:
        """Remove the ghosts from the page."""
        self._ghost.remove()
        self._path.remove()

    def stop(self) -> None:
        """Stop the robot; the target returns to it."""
        if self._follows:
            self.release()
        self._motion.stop()

    def move_joints(self, positions: Mapping[str, float]) -> None:
        """Move joints (by name, rad or m); the target follows."""
        if self._follows:
            self.release()
        self._motion.move(positions)

    # -- the target and the ghost ----------------------------------------------------------------

    def follow(self, shown: bool) -> None:
        """Show or hide the target that the robot follows."""
        if shown != self._follows:  # not an echo of show_mode
            self._set_mode(shown, False)

    def show_ghost(self, shown: bool) -> None:
        """Show or hide the ghost."""
        if shown != self._shows_ghost:
            self._set_mode(False, shown)

    def _set_mode(self, follows: bool, ghost: bool) -> None:
        self._clear_plan()
        self._follows, self._shows_ghost = follows, ghost
        if ghost:
            self._set_goal(self._configuration())
        else:
            self._ghost.hide()
            self._mark(())
            self._blocked = ""
        self._show_target()

    def _show_target(self) -> None:
        """Show the target at the body of the ghost, or of the robot."""
        q = self._q if self._shows_ghost else self._configuration()
        self._touched = None
        self._show_pose(self._pose_at(q))
        self._target.visible = self.is_shown
        self.panel.show_mode(self._follows, self._shows_ghost)
        self._unreached = ""
        self._show_reason()

    def _pose_at(self, q: Array) -> Array:
        """Return the body's pose in the base frame at a configuration (nq,)."""
        row = self._tree.compiled().index_of(self.body)
        return np.asarray(body_transforms(self._tree, q)[row])

    def _show_pose(self, T: Array) -> None:
        self._target.pose = T
        self.panel.show_pose(T)

    def choose_body(self, body: str) -> None:
        """Select the target's body."""
        if body in self._tree.body_names:  # a client can send any name
            self.body = body
            self._clear_plan()
            self._show_target()

    def set_pose(self, T: Array) -> None:
        """Move the target to T_base_target."""
        if self.is_shown:
            self._target.pose = T
            if not np.allclose(self._target.pose, T, atol=1e-6):  # aimed at a point
                self.panel.show_pose(self._target.pose)
            self._move_to(self._target.pose)

    def constrain(self, holds: bool, point: Array | None) -> None:
        """Keep the target's orientation, aim it at a point (m, base frame), or neither."""
        self._target.pose = self._target.pose  # stays as aimed so far
        self._target.constrain(holds, point)
        if point is not None:
            self._dragged()

    def _dragged(self) -> None:
        T = self._target.pose
        self.panel.show_pose(T)
        self._move_to(T)

    def _move_to(self, T: Array) -> None:
        if self.is_shown:
            self._clear_plan()
            self._touched = time.monotonic()
            self._reached.request(T)

    async def _reach(self, T: Array) -> None:
        """Move the robot or the ghost to the target, or show why it is out of reach."""
        chosen = self.body, self._follows, self._shows_ghost
        solution: Mapping[str, float] = {}
        self._unreached = ""
        try:
            solution = await self._solution(T)
        except RigidTreeError as error:
            self._unreached = str(error)
        if self._touched is None or chosen != (self.body, self._follows, self._shows_ghost):
            return
        if self._unreached:
            self._motion.report(self._unreached, "note")
        elif self._follows:
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
        if self._follows:
            return await self._motion.solve(*pose)
        seed = self.known.message(self._q)
        try:
            return await self._motion.solve(*pose, seed, avoids_collisions=True)
        except RigidTreeError:  # perhaps since all solutions are in collision
            return await self._motion.solve(*pose, seed)

    @property
    def _reason(self) -> str:
        """Why nothing is planned to the target; empty if it is a goal."""
        return (self._unreached or self._blocked) if self.is_shown else panels.NO_TARGET

    def _show_reason(self) -> None:
        self.panel.allow_plans(self._reason)

    def choose_goal(self, name: str) -> None:
        """Move the ghost to a named, current or random configuration."""
        self._clear_plan()
        self._follows, self._shows_ghost = False, True
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
        if self._follows:
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
        self._checked.request(q)

    def check_again(self) -> None:
        """Check the ghost in a scene that has changed."""
        if self._shows_ghost:
            self._checked.request(self._q)

    async def _check(self, q: Array) -> None:
        """Show what the ghost is in collision with."""
        try:
            reply = await self._contacts(q)
        except RigidTreeError as error:
            self._blocked = str(error)
            self._show_reason()
            return
        if not self._shows_ghost or q is not self._q:
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

    # -- plans -----------------------------------------------------------------------------------

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
        if self._shows_ghost and not options.straight_line:
            request.goal_states = [self.known.message(self._q)]
        else:
            request.goal_poses = [pose_message(self._target.pose, self._frame)]
        start = self.known.named(options.start)
        if options.start != panels.CURRENT:
            request.start = self.known.message(start)
        return request, start

    def plan(self, options: panels.PlanOptions, executes: bool) -> None:
        """Plan, and execute or show the path."""

        async def work() -> None:
            self._clear_plan()
            await self._motion.until(self._is_settled, PATIENCE)
            request, start = self._request(options)
            changes = self._changes
            reply, found = await self._motion.planned(request)
            if self._changes != changes:
                raise ConfigurationError("the goal or an option has changed: plan again")
            self._planned = request, reply, start
            self.panel.enable_execution(True)
            if executes:
                await self._execute_plan(found, options)
            else:
                times, rows = self.known.rows(reply, start)
                self._path.play(time.monotonic(), times, rows)
                self._motion.report(f"{found}; it takes {times[-1]:.1f} s")

        self._motion.start(work)

    def execute(self, options: panels.PlanOptions) -> None:
        """Execute the planned path."""
        self._motion.start(lambda: self._execute_plan("planned path", options))

    async def _execute_plan(self, found: str, options: panels.PlanOptions) -> None:
        if self._planned is None:
            raise ConfigurationError("there is no plan: plan first")
        request, reply, start = self._planned
        if np.abs(self._configuration() - start).max() > AT_START:
            raise ConfigurationError("the robot is not at the start of the plan: plan again")
        self._clear_plan()
        replans = REPLANS if options.plan_again else 0
        await self._motion.execute(request, reply, found, replans)

    def change_options(self) -> None:
        """Clear the plan that was made with other options."""
        self._clear_plan()

    def _clear_plan(self) -> None:
        self._changes += 1
        self._planned = None
        self._path.stop()
        self.panel.enable_execution(False)
