"""Plans to a user's goal: made, played or scrubbed on the page, and executed."""

import time
from collections.abc import Callable

import numpy as np
from rigid_tree_interfaces.msg import PlanReply, PlanRequest

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.errors import ConfigurationError
from rigid_tree_kinematics.nodes.motion import UserMotion
from rigid_tree_web import drawn, panels
from rigid_tree_web.nodes.configurations import KnownConfigurations

REPLANS = 5  # per click
AT_START = 0.02  # rad or m, of a robot that executes a plan
PATIENCE = 5.0  # s that a plan waits for inverse kinematics and the check of its goal

# Returns the request for a plan with the user's options, and its start (nq,).
Request = Callable[[panels.PlanOptions], tuple[PlanRequest, Array]]


class PlanView:
    """The plan of one robot; used in the node's thread.

    ``request`` raises ConfigurationError with the reason if nothing can be planned for;
    ``is_settled`` returns whether the goal has been checked. ``panel`` is set before other use.
    """

    panel: panels.TargetPanel

    def __init__(
        self,
        path: drawn.PathGhost,
        motion: UserMotion,
        known: KnownConfigurations,
        request: Request,
        is_settled: Callable[[], bool],
    ) -> None:
        self._path, self._motion, self._known = path, motion, known
        self._request, self._is_settled = request, is_settled
        self._planned: tuple[PlanRequest, PlanReply, Array] | None = None  # and its start
        self._changes = 0  # of the goal and the options

    def update(self, now: float) -> None:
        """Show the path at a time (s) of a steady clock."""
        self._path.update(now)
        if self._planned is not None:
            self.panel.show_time(self._path.time)

    def remove(self) -> None:
        """Remove the ghost of the path from the page."""
        self._path.remove()

    def clear(self) -> None:
        """Drop the plan: its goal or its options have changed."""
        self._changes += 1
        self._planned = None
        self._path.stop()
        self.panel.show_path(0.0)

    def plan(self, options: panels.PlanOptions, executes: bool) -> None:
        """Plan, and execute or show the path."""

        async def work() -> None:
            self.clear()
            await self._motion.until(self._is_settled, PATIENCE)
            request, start = self._request(options)
            changes = self._changes
            reply, found = await self._motion.planned(request)
            if self._changes != changes:
                raise ConfigurationError("the goal or an option has changed: plan again")
            self._planned = request, reply, start
            if executes:
                await self._execute(found, options)
            else:
                times, rows = self._known.rows(reply, start)
                self._path.play(time.monotonic(), times, rows)
                self.panel.show_path(float(times[-1]))
                self._motion.report(f"{found}; it takes {times[-1]:.1f} s")

        self._motion.start(work)

    def scrub(self, at: float) -> None:
        """Show the path at a time after its start (s)."""
        self._path.hold(at)

    def play(self, plays: bool) -> None:
        """Play the path in a loop, or stay where it is."""
        if plays:
            self._path.replay(time.monotonic())
        else:
            self._path.hold(self._path.time)

    def execute(self, options: panels.PlanOptions) -> None:
        """Execute the planned path."""
        self._motion.start(lambda: self._execute("planned path", options))

    async def _execute(self, found: str, options: panels.PlanOptions) -> None:
        if self._planned is None:
            raise ConfigurationError("there is no plan: plan first")
        request, reply, start = self._planned
        if np.abs(self._known.current - start).max() > AT_START:
            raise ConfigurationError("the robot is not at the start of the plan: plan again")
        self.clear()
        replans = REPLANS if options.plan_again else 0
        await self._motion.execute(request, reply, found, replans)
