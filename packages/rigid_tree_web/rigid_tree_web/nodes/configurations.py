"""The configurations that a user can choose by name, and messages of configurations."""

from collections.abc import Callable, Mapping

import numpy as np
from rclpy.duration import Duration
from rigid_tree_interfaces.msg import PlanReply
from sensor_msgs.msg import JointState

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.model import RigidBodyTree
from rigid_tree_web import panels


class KnownConfigurations:
    """Named configurations of one robot; ``configuration`` returns the current one (nq,).

    ``states`` are the positions of its SRDF's states, ``home`` those of its home, if known.
    """

    def __init__(self, tree: RigidBodyTree, configuration: Callable[[], Array]) -> None:
        self._tree, self._configuration = tree, configuration
        self.states: Mapping[str, Mapping[str, float]] = {}
        self.home: Mapping[str, float] = {}

    def named(self, name: str) -> Array:
        """Return a configuration by name; the current one for unknown names."""
        if name == panels.HOME:
            return self.merged(self._tree.home_configuration(), self._known_home)
        if name == panels.RANDOM:
            return self._tree.random_configuration()
        return self.merged(self._configuration(), self.states.get(name, {}))

    @property
    def current(self) -> Array:
        """The robot's configuration (nq,)."""
        return self._configuration()

    @property
    def _known_home(self) -> Mapping[str, float]:
        """The home of the SRDF, or else of the robot; empty if neither is known."""
        named = (self.states[name] for name in self.states if name.lower() == panels.HOME.lower())
        return next(named, self.home)

    def merged(self, q: Array, positions: Mapping[str, float]) -> Array:
        """Return a copy of a configuration (nq,) with named positions in it."""
        q = q.copy()
        for slot, name in enumerate(self._tree.position_names):
            q[slot] = positions.get(name, q[slot])
        return q

    def joints(self, q: Array) -> dict[str, float]:
        """Return the positions of joints with one position by name (rad, m)."""
        names, is_scalar = self._tree.position_names, self._tree.compiled().is_scalar
        return {name: float(q[slot]) for slot, name in enumerate(names) if is_scalar[slot]}

    def message(self, q: Array) -> JointState:
        """Return a configuration as a message."""
        return JointState(name=list(self._tree.position_names), position=q.tolist())

    def rows(self, reply: PlanReply, start: Array) -> tuple[Array, Array]:
        """Return the times (k,) and configurations (k, nq) of a plan."""
        points = reply.trajectory.points
        times = np.array(
            [Duration.from_msg(point.time_from_start).nanoseconds / 1e9 for point in points]
        )
        rows = np.tile(start, (len(points), 1))
        slots = {name: slot for slot, name in enumerate(self._tree.position_names)}
        columns = [slots[name] for name in reply.trajectory.joint_names]
        rows[:, columns] = [point.positions for point in points]
        return times, rows
