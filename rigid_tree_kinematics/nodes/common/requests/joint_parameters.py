"""A parameter for every position of a robot's joints, with the joint limits as its range."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rcl_interfaces.msg import ParameterDescriptor
from rclpy.exceptions import InvalidParameterValueException, ParameterException
from rclpy.node import Node

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.errors import ConfigurationError, RigidTreeError
from rigid_tree_kinematics.model import CompiledTree
from rigid_tree_kinematics.nodes.common.process import Range, number_range


class JointParameters:
    """Parameters ``<prefix>.<joint>`` (rad, m), of one robot at a time.

    Floating joints have none: their seven numbers have no meaning individually.
    """

    def __init__(self, node: Node, prefix: str, description: str) -> None:
        self._node = node
        self._prefix = f"{prefix}."
        self._description = description
        self._compiled: CompiledTree | None = None
        self._default = self._values = np.zeros(0)
        self._slots: dict[str, tuple[int, Range]] = {}  # by the parameters' names

    def declare(self, compiled: CompiledTree, default: Array | None = None) -> None:
        """Declare the parameters of a robot, replacing those of the previous robot.

        ``default`` (nq,) are their defaults, home if None. Raises ConfigurationError, without
        changes, for a value that the joint cannot have.
        """
        before = self._compiled, self._default
        try:
            self._declare(compiled, compiled.home if default is None else default)
        except RigidTreeError:
            if before[0] is not None:
                self._declare(before[0], before[1])
            raise

    def _declare(self, compiled: CompiledTree, default: Array) -> None:
        for name in self._slots:
            self._node.undeclare_parameter(name)
        self._slots = {}
        self._compiled = compiled
        self._default, self._values = default, default.copy()
        for slot, joint in enumerate(compiled.position_names):
            if not compiled.is_scalar[slot]:
                continue
            unit = "rad" if compiled.is_angle[slot] else "m"
            bounds = Range(float(compiled.lower[slot]), float(compiled.upper[slot]))
            descriptor = ParameterDescriptor(
                description=f"{self._description.format(joint)}, {unit}.", dynamic_typing=True
            )
            descriptor.floating_point_range = number_range(bounds.low, bounds.high)
            name = self._prefix + joint
            at = float(default[slot])
            try:
                given: Any = self._node.declare_parameter(name, at, descriptor).value
            except (ParameterException, InvalidParameterValueException) as error:
                raise ConfigurationError(str(error)) from error
            self._slots[name] = slot, bounds
            self._values[slot] = bounds.checked(name, given)

    def check(self, changed: Mapping[str, Any]) -> None:
        """Raise ConfigurationError for an invalid value of a joint."""
        for name in self._slots.keys() & changed.keys():
            self._slots[name][1].checked(name, changed[name])

    def apply(self, changed: Mapping[str, Any]) -> bool:
        """Apply new values; return whether there were any."""
        mine = self._slots.keys() & changed.keys()
        for name in mine:
            self._values[self._slots[name][0]] = changed[name]
        return bool(mine)

    def configuration(self) -> NDArray[np.float64]:
        """Return the positions (nq,) of the parameters; others are at their defaults."""
        return np.array(self._values)
