"""The robot's state and health, read over the connection."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from concurrent.futures import TimeoutError as FutureTimeoutError  # builtin from 3.11 on
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigid_tree_kinematics.kinematics import body_transforms
from rigid_tree_kinematics.model.transforms import inverse, matrix_quaternion, rpy_matrix
from rigid_tree_kinematics.nao.body import NaoBody
from rigid_tree_kinematics.nao.connection import RobotConnection
from rigid_tree_kinematics.nao.errors import NoRobotConnectionError
from rigid_tree_kinematics.nao.pose import SPACE_WORLD, matrix_of_position6d, place_of, planar
from rigid_tree_kinematics.nao.stance import FEET

Array = NDArray[np.float64]

DEVICE = "Device/SubDeviceList"
JOINT_VALUES = (
    "Position/Sensor",
    "Position/Actuator",
    "ElectricCurrent/Sensor",
    "Hardness/Actuator",
)
INERTIAL = ("Accelerometer", "Gyroscope", "Angle")
BATTERY = f"{DEVICE}/Battery/Charge/Sensor/Value"
BEARING = 0.1  # kg, from which a foot is in contact with the ground


@dataclass(frozen=True, eq=False)
class RobotState:
    """One reading; vectors have a value for each joint, in the order of "Body"."""

    angles: Array  # rad, sensed
    velocities: Array  # rad/s, by the difference to the previous reading
    commands: Array  # rad
    currents: Array  # A, of the motors
    stiffnesses: Array
    T_odom_torso: Array  # 4x4
    robot_place: list[float]  # x, y (m), theta (rad): FRAME_ROBOT in the world
    walk_velocity: list[float]  # m/s, m/s, rad/s, in FRAME_ROBOT
    acceleration: Array  # m/s^2, torso frame
    rotation: Array  # rad/s, torso frame
    inclination: list[float]  # rad: roll, pitch, yaw of the torso

    @property
    def inclination_quaternion(self) -> Array:
        """The torso's orientation by the inertial unit: x, y, z, w."""
        return matrix_quaternion(rpy_matrix(*self.inclination))


@dataclass(frozen=True)
class RobotHealth:
    """Values that change slowly."""

    battery: float  # 0 to 1
    hottest: str  # the joint
    temperature: float  # of that, degrees Celsius
    foot_weights: Mapping[str, float]  # kg, by leg
    posture: str  # as reported by the robot

    @property
    def stands(self) -> bool:
        """Whether a foot carries weight."""
        return any(weight > BEARING for weight in self.foot_weights.values())


class StateReader:
    """Reads states over a connection.

    Args:
        body: the joints that are read.
        connection: to the robot.
        patience: time after which a reading fails (s).

    Readings raise NoRobotConnectionError if there is no connection, or if the robot does not
    answer within ``patience``, and NaoError if it refuses.
    """

    def __init__(self, body: NaoBody, connection: RobotConnection, patience: float) -> None:
        self._body = body
        self._connection = connection
        self._patience = patience
        names = body.joint_names
        self._keys = [
            f"{DEVICE}/{joint}/{value}/Value" for value in JOINT_VALUES for joint in names
        ]
        self._keys += [
            f"{DEVICE}/InertialSensor/{what}{axis}/Sensor/Value"
            for what in INERTIAL
            for axis in "XYZ"
        ]
        self._slow_keys = [f"{DEVICE}/{joint}/Temperature/Sensor/Value" for joint in names]
        self._slow_keys += [f"{DEVICE}/{leg[0]}Foot/FSR/TotalWeight/Sensor/Value" for leg in FEET]
        self._slow_keys.append(BATTERY)
        self._last: tuple[float, Array] | None = None

    def forget(self) -> None:
        """Forget the previous reading: with a new connection, velocities start at 0."""
        self._last = None

    def read(self) -> RobotState:
        """Return the present state."""
        call = self._connection.call
        answers = [
            call("ALMemory", "getListData", self._keys),
            call("ALMotion", "getPosition", "Torso", SPACE_WORLD, True),
            call("ALMotion", "getRobotPosition", True),
            call("ALMotion", "getRobotVelocity"),
        ]
        values, torso, place, walk = (self._value(answer) for answer in answers)
        count = len(self._body.joint_names)
        numbers = _numbers(values)
        angles, commands, currents, stiffnesses = numbers[: 4 * count].reshape(4, count)
        inertial = numbers[4 * count :].reshape(3, 3)
        return RobotState(
            angles=angles,
            velocities=self._velocities(angles),
            commands=commands,
            currents=currents,
            stiffnesses=stiffnesses,
            T_odom_torso=matrix_of_position6d(torso),
            robot_place=[float(value) for value in place],
            walk_velocity=[float(value) for value in walk],
            acceleration=inertial[0],
            rotation=inertial[1],
            inclination=inertial[2].tolist(),
        )

    def read_health(self) -> RobotHealth:
        """Return the values that change slowly."""
        call = self._connection.call
        answers = [
            call("ALMemory", "getListData", self._slow_keys),
            call("ALRobotPosture", "getPosture"),
        ]
        listed, posture = (self._value(answer) for answer in answers)
        values = _numbers(listed)
        count = len(self._body.joint_names)
        hottest = int(np.argmax(values[:count]))
        return RobotHealth(
            battery=float(values[-1]),
            hottest=self._body.joint_names[hottest],
            temperature=float(values[hottest]),
            foot_weights=dict(zip(FEET, map(float, values[count:-1]), strict=True)),
            posture=str(posture),
        )

    def _value(self, answer: Any) -> Any:
        try:
            return answer.result(self._patience)
        except FutureTimeoutError:
            raise NoRobotConnectionError(
                f"the robot at {self._connection.url} did not answer within {self._patience:g} s"
            ) from None

    def _velocities(self, angles: Array) -> Array:
        now, last = time.monotonic(), self._last
        self._last = (now, angles)
        if last is None or now <= last[0]:
            return np.zeros(len(angles))
        return np.asarray((angles - last[1]) / (now - last[0]))


def footprint(body: NaoBody, angles: Array, T_odom_torso: Array) -> Array:
    """Return T_torso_footprint (4x4), the base_footprint of REP 120.

    It is midway between the soles, at the height of the lower one, with the torso's heading.

    Args:
        body: the joints.
        angles: rad, order of "Body".
        T_odom_torso: 4x4, torso in a frame whose z is vertical.
    """
    compiled = body.free_tree.compiled()
    frames = body_transforms(compiled, body.configuration(angles))
    torso = frames[compiled.index_of("torso")]
    soles = [
        T_odom_torso @ inverse(torso) @ frames[compiled.index_of(body.bodies[foot])]
        for foot in FEET
    ]
    middle = (soles[0][:3, 3] + soles[1][:3, 3]) / 2.0
    T_odom_footprint = planar(middle[0], middle[1], place_of(T_odom_torso)[2])
    T_odom_footprint[2, 3] = min(sole[2, 3] for sole in soles)
    return inverse(T_odom_torso) @ T_odom_footprint


def _numbers(values: Sequence[Any]) -> Array:
    """Return floats; 0 for values that the robot lacks, or that are not finite numbers."""
    numbers = np.array([np.nan if value is None else value for value in values], dtype=object)
    floats = np.array([_number(value) for value in numbers])
    return np.nan_to_num(floats, nan=0.0, posinf=0.0, neginf=0.0)


def _number(value: Any) -> float:
    return float(value) if isinstance(value, (int, float)) else float("nan")
