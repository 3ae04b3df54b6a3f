"""ALMemory: the robot's values by key."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from rigid_tree_kinematics.model.transforms import matrix_rpy
from rigid_tree_kinematics.nao.errors import NaoError
from rigid_tree_kinematics.nao.pose import SPACE_WORLD
from rigid_tree_kinematics.nao.simulated.robot import LEGS, SimulatedRobot
from rigid_tree_kinematics.nao.stance import LEVEL

GRAVITY = 9.81  # m/s^2
WARM, HOT_PER_AMPERE = 38.0, 10.0  # degrees Celsius
DEVICE = "Device/SubDeviceList"
AXES = "XYZ"
CORNERS = ("FrontLeft", "FrontRight", "RearLeft", "RearRight")


class Memory:
    """ALMemory's methods, by their names in ``methods``; values are computed when read."""

    def __init__(self, robot: SimulatedRobot) -> None:
        self._robot = robot
        self._stored: dict[str, Any] = {
            "RobotConfig/Body/Type": f"Nao{robot.body.body_type}",
            "RobotConfig/Body/BaseVersion": robot.body.version,
            f"{DEVICE}/Battery/Charge/Sensor/Value": 0.8,
            f"{DEVICE}/Battery/Current/Sensor/Value": -0.5,
        }
        self._made: dict[str, Callable[[], Any]] = {}
        for place, joint in enumerate(robot.body.joint_names):
            self._add_joint(joint, place)
        self._add_inertial_sensor()
        self._add_feet()
        self._made["robotIsWakeUp"] = lambda: robot.is_awake
        self.methods: dict[str, Callable[..., Any]] = {
            "getData": self._get,
            "getListData": self._get_list,
            "getDataListName": lambda: sorted({*self._made, *self._stored}),
            "insertData": self._insert,
        }

    def _get(self, key: str) -> Any:
        if key in self._stored:
            return self._stored[key]
        if key not in self._made:
            raise NaoError(f"data '{key}' not found")
        return self._made[key]()

    def _get_list(self, keys: Sequence[str]) -> list[Any]:
        # As on the robot, None stands for a key that does not exist.
        return [
            self._get(key) if key in self._made or key in self._stored else None for key in keys
        ]

    def _insert(self, key: str, value: Any) -> None:
        self._stored[key] = value

    def _add_joint(self, joint: str, place: int) -> None:
        robot, model = self._robot, self._robot.model
        values: dict[str, Callable[[], float]] = {
            "Position/Actuator": lambda: model.commands[place],
            "Position/Sensor": lambda: model.sensors[place],
            "ElectricCurrent/Sensor": lambda: robot.drives.currents[place],
            "Temperature/Sensor": lambda: WARM + HOT_PER_AMPERE * robot.drives.currents[place],
            "Hardness/Actuator": lambda: model.stiffnesses[place],
        }
        for name, value in values.items():
            self._made[f"{DEVICE}/{joint}/{name}/Value"] = _as_float(value)

    def _add_inertial_sensor(self) -> None:
        place = f"{DEVICE}/InertialSensor"

        def torso() -> Any:
            return self._robot.model.pose("Torso", SPACE_WORLD, True)[:3, :3]

        def gravity(axis: int) -> float:
            return float(GRAVITY * torso()[2, axis])

        def rotation(axis: int) -> float:
            # The torso rotates with the walk, about the vertical.
            return float(self._robot.model.velocity[2] * torso()[2, axis])

        def angle(axis: int) -> float:
            return float(matrix_rpy(torso())[axis])

        for axis, letter in enumerate(AXES):
            self._made[f"{place}/Accelerometer{letter}/Sensor/Value"] = partial(gravity, axis)
            self._made[f"{place}/Gyroscope{letter}/Sensor/Value"] = partial(rotation, axis)
            self._made[f"{place}/Angle{letter}/Sensor/Value"] = partial(angle, axis)

    def _add_feet(self) -> None:
        model = self._robot.model
        weight = model.get_mass("Body")

        def weight_on(leg: str, part: float) -> float:
            heights = {foot: model.pose(foot, SPACE_WORLD, True)[2, 3] for foot in LEGS}
            if abs(heights[LEGS[0]] - heights[LEGS[1]]) < LEVEL:
                return part * weight / len(LEGS)
            return part * weight if heights[leg] == min(heights.values()) else 0.0

        for leg in LEGS:
            foot = f"{DEVICE}/{leg[0]}Foot/FSR"
            self._made[f"{foot}/TotalWeight/Sensor/Value"] = partial(weight_on, leg, 1.0)
            for corner in CORNERS:
                value = partial(weight_on, leg, 1.0 / len(CORNERS))
                self._made[f"{foot}/{corner}/Sensor/Value"] = value


def _as_float(value: Callable[[], Any]) -> Callable[[], float]:
    # libqi does not convert NumPy's numbers.
    return lambda: float(value())
