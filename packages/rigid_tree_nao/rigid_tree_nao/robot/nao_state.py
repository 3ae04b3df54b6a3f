"""The robot's state and health, read through the connection."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.model.transforms import inverse, matrix_quaternion, rpy_matrix
from rigid_tree_nao import model as nao
from rigid_tree_nao.robot.connection import NaoConnection

DEVICE = "Device/SubDeviceList"
INERTIAL = ("Accelerometer", "Gyroscope", "Angle")
BASE_VERSION = "RobotConfig/Body/BaseVersion"
BATTERY = f"{DEVICE}/Battery/Charge/Sensor/Value"
# ALMemory's events, whose values can be read; in the order of naoqi_bridge_msgs' numbers.
BUMPERS = ("RightBumperPressed", "LeftBumperPressed")
HAND_SENSORS = tuple(
    f"Hand{side}{part}Touched" for side in ("Right", "Left") for part in ("Back", "Left", "Right")
)
HEAD_SENSORS = ("FrontTactilTouched", "MiddleTactilTouched", "RearTactilTouched")
TOUCH = (*BUMPERS, *HAND_SENSORS, *HEAD_SENSORS)
SONAR = ("Left", "Right")
STILL_READINGS = 10  # of which one is complete, even if nothing moves
VELOCITY = ("ALMotion", "getRobotVelocity")
PLACE = ("ALMotion", "getPosition", "Torso", nao.SPACE_WORLD, True)
# Parts of a reading: always, while joints move, and from time to time.
SENSED = ("angles", "touch")
MOVING = (*SENSED, "commands", "currents")
EVERYTHING = (*MOVING, "stiffnesses", "inertial")
BEARING = 0.1  # kg, from which a foot is in contact with the ground


@dataclass(frozen=True, eq=False)
class NaoState:
    """One reading; vectors have a value for each joint, in the order of "Body"."""

    body: nao.NaoBody
    present: tuple[int, ...]  # places of the joints that the robot has; others are at 0
    angles: Array  # rad, sensed
    velocities: Array  # rad/s, by the difference to the previous reading
    commands: Array  # rad
    currents: Array  # A, of the motors
    stiffnesses: Array
    T_odom_torso: Array  # 4x4
    walk_velocity: list[float]  # m/s, m/s, rad/s, in FRAME_ROBOT
    acceleration: Array  # m/s^2, torso frame
    rotation: Array  # rad/s, torso frame
    inclination: list[float]  # rad: roll, pitch, yaw of the torso
    touched: tuple[bool, ...]  # TOUCH, in that order
    ranges: list[float]  # m, SONAR, in that order

    @property
    def robot_place(self) -> list[float]:
        """x, y (m), theta (rad) of FRAME_ROBOT in the world."""
        soles = self.body.placement(self.angles).soles
        return nao.place_of(
            nao.robot_frame(*(self.T_odom_torso @ soles[foot] for foot in nao.FEET))
        )

    @property
    def inclination_quaternion(self) -> Array:
        """The torso's orientation from the inertial unit: x, y, z, w."""
        return matrix_quaternion(rpy_matrix(*self.inclination))


@dataclass(frozen=True)
class NaoHealth:
    """Values that change slowly."""

    battery: float  # 0 to 1
    temperatures: Mapping[str, float]  # degrees Celsius, by joint
    hottest: str  # the joint
    temperature: float  # of that, degrees Celsius
    foot_weights: Mapping[str, float]  # kg, by leg
    posture: str  # as reported by the robot

    @property
    def has_foot_contact(self) -> bool:
        """Whether a foot carries weight."""
        return any(weight > BEARING for weight in self.foot_weights.values())


class StateReader:
    """Reads states through a connection.

    Readings raise NoRobotConnectionError if the robot does not answer within ``patience`` (s), and
    NaoError if it rejects a call.
    """

    def __init__(self, body: nao.NaoBody, connection: NaoConnection, patience: float) -> None:
        self._body = body
        self._ask = partial(connection.ask_all, timeout=patience)
        names = body.joint_names

        def each(value: str) -> list[str]:
            return [f"{DEVICE}/{joint}/{value}/Value" for joint in names]

        self._keys = {
            "angles": each("Position/Sensor"),
            "touch": [*TOUCH, *(f"{DEVICE}/US/{side}/Sensor/Value" for side in SONAR)],
            "commands": each("Position/Actuator"),
            "currents": each("ElectricCurrent/Sensor"),
            "stiffnesses": each("Hardness/Actuator"),
            "inertial": [
                f"{DEVICE}/InertialSensor/{what}{axis}/Sensor/Value"
                for what in INERTIAL
                for axis in "XYZ"
            ],
        }
        self._lists: dict[tuple[str, ...], list[str]] = {}  # of keys, by their parts
        self._parts: dict[str, Array] = {}  # the numbers as they were read last
        self._rest = np.zeros(len(names))  # velocities
        self._legs = body.places(body.joints(["Legs"]))
        self._slow_keys = each("Temperature/Sensor")
        self._slow_keys += [
            f"{DEVICE}/{leg[0]}Foot/FSR/TotalWeight/Sensor/Value" for leg in nao.FEET
        ]
        self._slow_keys.append(BATTERY)
        self.reset()

    def reset(self) -> None:
        """Discard the previous reading; velocities restart at 0."""
        self._last: tuple[float, Array] | None = None  # time and angles of the last reading
        self._present: tuple[int, ...] = ()
        self._moves = self._walks = True  # joints, and the torso in the world, at the last reading
        self._walk_velocity = [0.0] * 3
        self._readings = 0

    @property
    def is_still(self) -> bool:
        """Whether nothing moved in the last reading."""
        return not (self._moves or self._walks)

    def read(self, complete: bool = True, walks: bool = True, inertial: bool = True) -> NaoState:
        """Return the current state.

        Angles and touch are read each time, commands and currents in the same call while joints
        move, and the inertial unit if ``inertial``. Place and velocity of the walk are read in two
        more calls, sent together with it, if ``walks``, while legs move, and while the robot
        walks. If ``complete``, and every STILL_READINGS, everything is read except the place,
        which does not change while the velocity is 0. Values that are not read are those of the
        last reading.
        """
        is_due = self._readings % STILL_READINGS == 0
        self._readings += 1
        parts = EVERYTHING if complete or is_due else MOVING if self._moves else SENSED
        place = walks or self._walks
        velocity, T_odom_torso = self._fetch(parts, inertial, place or is_due, place)
        moves, legs_move = self._moved(self._parts["angles"])
        walks = legs_move or any(velocity or ())
        if (moves and parts is SENSED) or (walks and T_odom_torso is None):
            # A motion has started: read everything that changes now.
            place = place or walks
            velocity, T_odom_torso = self._fetch(EVERYTHING, inertial, place, place)
        if velocity is not None:
            # After the end of a walk, the place is read once more.
            walks = walks or any(self._walk_velocity)
            self._walk_velocity = velocity
        if T_odom_torso is not None:
            self._T_odom_torso = T_odom_torso
        self._moves, self._walks = moves, walks
        return self._state()

    def _fetch(
        self, parts: tuple[str, ...], inertial: bool, velocity: bool, place: bool
    ) -> tuple[list[float] | None, Array | None]:
        """Read parts with concurrent calls; return the walk's velocity and place if requested."""
        if inertial and parts is not EVERYTHING:
            parts = (*parts, "inertial")
        if parts not in self._lists:
            self._lists[parts] = [key for part in parts for key in self._keys[part]]
        calls: list[tuple[Any, ...]] = [("ALMemory", "getListData", self._lists[parts])]
        calls += [VELOCITY] * velocity + [PLACE] * place
        values, *walk = self._ask(*calls)
        if self._last is None:
            joints = range(len(self._body.joint_names))
            self._present = tuple(k for k in joints if _is_number(values[k]))
        numbers, start = _numbers(values), 0
        for part in parts:
            end = start + len(self._keys[part])
            self._parts[part] = numbers[start:end]
            start = end
        return (
            [float(value) for value in walk[0]] if velocity else None,
            nao.pose_of(walk[-1]) if place else None,
        )

    def _state(self) -> NaoState:
        parts = self._parts
        angles = parts["angles"]
        if not self._moves and self._last is not None:
            angles = self._last[1]  # the same object, which shows that nothing has changed
        touch = parts["touch"].tolist()
        acceleration, rotation, inclination = parts["inertial"].reshape(3, 3)
        return NaoState(
            body=self._body,
            present=self._present,
            angles=angles,
            velocities=self._velocities(angles),
            commands=parts["commands"],
            currents=parts["currents"],
            stiffnesses=parts["stiffnesses"],
            T_odom_torso=self._T_odom_torso,
            walk_velocity=self._walk_velocity,
            acceleration=acceleration,
            rotation=rotation,
            inclination=inclination.tolist(),
            touched=tuple(value > 0.5 for value in touch[: len(TOUCH)]),
            ranges=touch[len(TOUCH) :],
        )

    def read_health(self) -> NaoHealth:
        """Return the values that change slowly."""
        listed, posture = self._ask(
            ("ALMemory", "getListData", self._slow_keys), ("ALRobotPosture", "getPosture")
        )
        values = _numbers(listed)
        count = len(self._body.joint_names)
        hottest = int(np.argmax(values[:count]))
        return NaoHealth(
            battery=float(values[-1]),
            temperatures={
                joint: float(value)
                for joint, value, raw in zip(
                    self._body.joint_names, values[:count], listed[:count], strict=True
                )
                if _is_number(raw)
            },
            hottest=self._body.joint_names[hottest],
            temperature=float(values[hottest]),
            foot_weights=dict(zip(nao.FEET, map(float, values[count:-1]), strict=True)),
            posture=str(posture),
        )

    def _moved(self, angles: Array) -> tuple[bool, bool]:
        """Return whether joints, and whether joints of the legs, have moved."""
        if self._last is None or np.array_equal(angles, self._last[1]):
            return False, False
        return True, not np.array_equal(angles[self._legs], self._last[1][self._legs])

    def _velocities(self, angles: Array) -> Array:
        now, last = time.monotonic(), self._last
        self._last = (now, angles)
        if last is None or not self._moves or now <= last[0]:
            return self._rest
        return np.asarray((angles - last[1]) / (now - last[0]))


def footprint(body: nao.NaoBody, angles: Array, T_odom_torso: Array) -> Array:
    """Return T_torso_footprint (4x4), the base_footprint of REP 120, for angles (rad).

    It is midway between the soles, at the height of the lower one, with the torso's heading.
    """
    soles = body.placement(angles).soles
    left, right = (T_odom_torso @ soles[foot][:, 3] for foot in nao.FEET)
    middle = (left + right) / 2.0
    T_odom_footprint = nao.planar(middle[0], middle[1], nao.place_of(T_odom_torso)[2])
    T_odom_footprint[2, 3] = min(left[2], right[2])
    return inverse(T_odom_torso) @ T_odom_footprint


def _numbers(values: Sequence[Any]) -> Array:
    """Return floats; 0 for missing and non-finite values."""
    try:
        numbers = np.array(values, dtype=np.float64)  # None becomes nan
    except (TypeError, ValueError):
        numbers = np.array([value if _is_number(value) else 0.0 for value in values], dtype=float)
    numbers[~np.isfinite(numbers)] = 0.0
    return numbers


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float))
