"""The initial state of a simulated robot, and conversion between states and JointState."""

from array import array
from collections.abc import Sequence

import numpy as np
from builtin_interfaces.msg import Time
from sensor_msgs.msg import JointState

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.errors import ConfigurationError, UnknownNameError
from rigid_tree_kinematics.execution import DrivenRobot
from rigid_tree_kinematics.model import CompiledTree, RigidBodyTree
from rigid_tree_kinematics.model.joints import Follower


class StateLayout:
    """The order of joints in messages: one name per position, then the mimic joints.

    A floating joint's seven positions have six velocities: those of a quaternion's x, y and z
    are the angular ones, and its w has none. A mimic joint has no effort of its own.
    """

    def __init__(self, compiled: CompiledTree, mimics: Sequence[Follower] = ()) -> None:
        self._compiled = compiled
        independent = list(compiled.position_names)
        self._slots = {name: k for k, name in enumerate(independent)}
        names = independent + [follower.name for follower in mimics]
        self._names = names
        self._sources = np.array([self._slots[f.source] for f in mimics], dtype=np.int64)
        self._multipliers = np.array([follower.multiplier for follower in mimics])
        self._offsets = np.array([follower.offset for follower in mimics])

    def message(self, robot: DrivenRobot, stamp: Time) -> JointState:
        """Return the positions, velocities and efforts of all joints."""
        v, effort = (self._compiled.by_position(values) for values in (robot.v, robot.effort))
        positions, rates = robot.q[self._sources], v[self._sources]
        message = JointState(name=self._names)
        message.header.stamp = stamp
        mimics = self._multipliers * positions + self._offsets
        message.position = doubles(robot.q, mimics)
        message.velocity = doubles(v, self._multipliers * rates)
        message.effort = doubles(effort, np.zeros(len(self._sources)))
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
        positions, rates = q.copy(), np.zeros(len(q))
        for k, name in enumerate(message.name):
            if name not in self._slots:
                where = f"robot '{self._compiled.name}'"
                raise UnknownNameError("independent joint", name, self._slots, where)
            positions[self._slots[name]] = message.position[k]
            if len(message.velocity):
                rates[self._slots[name]] = message.velocity[k]
        return positions, rates[self._compiled.position_of_velocity]


def doubles(*parts: Array) -> "array[float]":
    """Return arrays in one, of the type that messages store without checking each number."""
    return array("d", np.concatenate(parts).tobytes())


def initial_configuration(tree: RigidBodyTree, srdf: str, name: str) -> tuple[Array, str]:
    """Return a robot's first configuration (nq,), and a sentence about it.

    Args:
        tree: the robot.
        srdf: path or text.
        name: of a state of one group or several. Empty: the first one without collisions; if there
            is none, the configuration without collisions that is nearest to home.

    Raises DescriptionError for an invalid SRDF, UnknownNameError for an unknown state.
    """
    # Imported here: simulators without an SRDF start without collision checking.
    from rigid_tree_kinematics.collision import CollisionChecker, nearest_free
    from rigid_tree_kinematics.description.srdf import read_semantics

    states = read_semantics(srdf, tree).states
    if name and name not in states:
        raise UnknownNameError("state", name, states, "the SRDF")
    home = tree.home_configuration()
    if name:
        return _at(tree, home, states[name]), f"starts at state '{name}'"
    checker = CollisionChecker(tree, srdf=srdf)
    for state, positions in states.items():
        q = _at(tree, home, positions)
        if checker.is_free(q):
            return q, f"starts at state '{state}'"
    found = nearest_free(checker, home)
    if found is None:
        return home, "starts at home, in collision: no collision-free configuration was found"
    note = "" if found is home else ", the nearest configuration without collisions"
    moved = [
        f"{joint} {value:.3g}"
        for joint, value, before in zip(tree.position_names, found, home, strict=True)
        if value != before
    ]
    return found, f"starts at {', '.join(moved) or 'home'}{note}"


def _at(tree: RigidBodyTree, home: Array, positions: dict[str, float]) -> Array:
    """Return home with the positions of a state, within the joint limits."""
    compiled, q = tree.compiled(), home.copy()
    for joint, value in positions.items():
        if joint in compiled.position_names:
            q[list(compiled.position_names).index(joint)] = value
    clipped: Array = np.clip(q, compiled.lower, compiled.upper)
    return clipped
