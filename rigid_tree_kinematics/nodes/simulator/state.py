"""Conversion between JointState messages and the state of a simulated robot."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from sensor_msgs.msg import JointState

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.dynamics import DrivenRobot
from rigid_tree_kinematics.errors import ConfigurationError, UnknownNameError
from rigid_tree_kinematics.model import CompiledTree
from rigid_tree_kinematics.model.joints import Follower
from rigid_tree_kinematics.nodes.common.fast import ReadyMessage


class StateLayout:
    """The order of a robot's joints in messages: one name a position, then the mimic joints.

    A floating joint's seven positions have six velocities: those of a quaternion's x, y and z
    are the angular ones, and its w has none. A mimic joint has no effort of its own.
    """

    def __init__(self, compiled: CompiledTree, mimics: Sequence[Follower] = ()) -> None:
        self._compiled = compiled
        independent = list(compiled.position_names)
        self._place = {name: k for k, name in enumerate(independent)}
        self._names = independent + [follower.name for follower in mimics]
        self._ready = ReadyMessage(self._message_of, 3 * len(self._names))
        self._sources = np.array([self._place[f.source] for f in mimics], dtype=np.int64)
        self._multipliers = np.array([follower.multiplier for follower in mimics])
        self._offsets = np.array([follower.offset for follower in mimics])

    def message(self, robot: DrivenRobot, seconds: int, nanoseconds: int) -> bytes | JointState:
        """Return the positions, velocities and efforts of all joints, to be published."""
        v, effort = (self._compiled.by_position(values) for values in (robot.v, robot.effort))
        by_source = (robot.q[self._sources], v[self._sources])
        numbers = (
            *(robot.q, self._multipliers * by_source[0] + self._offsets),
            *(v, self._multipliers * by_source[1]),
            *(effort, np.zeros(len(self._sources))),
        )
        return self._ready.encode(seconds, nanoseconds, np.concatenate(numbers))

    def _message_of(self, seconds: int, nanoseconds: int, numbers: Sequence[float]) -> JointState:
        count = len(self._names)
        message = JointState(name=self._names)
        message.header.stamp.sec, message.header.stamp.nanosec = seconds, nanoseconds
        message.position = numbers[:count]
        message.velocity = numbers[count : 2 * count]
        message.effort = numbers[2 * count :]
        return message

    def state(self, message: JointState, q: Array) -> tuple[Array, Array]:
        """Return positions (nq,) and velocities (nv,) of a message; the default is ``q`` at rest.

        Raises ConfigurationError and UnknownNameError for messages that do not fit the robot.
        """
        for field in ("position", "velocity"):
            count = len(getattr(message, field))
            if count != len(message.name) and (count or field == "position"):
                raise ConfigurationError(
                    f"state.{field} has {count} numbers for {len(message.name)} names"
                )
        place, rates = q.copy(), np.zeros(len(q))
        for k, name in enumerate(message.name):
            if name not in self._place:
                where = f"robot '{self._compiled.name}'"
                raise UnknownNameError("independent joint", name, self._place, where)
            place[self._place[name]] = message.position[k]
            if len(message.velocity):
                rates[self._place[name]] = message.velocity[k]
        return place, rates[self._compiled.position_of_velocity]
