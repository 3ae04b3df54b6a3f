"""ALMemory: the robot's values by key."""

from collections.abc import Callable, Sequence
from typing import Any

from rigid_tree_kinematics.model.transforms import matrix_rpy
from rigid_tree_nao.errors import NaoError
from rigid_tree_nao.model import FEET, LEVEL, SPACE_WORLD
from rigid_tree_nao.robot import SONAR, TOUCH
from rigid_tree_nao.simulated.robot import SimulatedRobot

GRAVITY = 9.81  # m/s^2
WARM, HOT_PER_AMPERE = 38.0, 10.0  # degrees Celsius
DEVICE = "Device/SubDeviceList"
AXES = "XYZ"
INERTIAL = ("Accelerometer", "Gyroscope", "Angle")
FREE_WAY = 5.0  # m: the value of NAO's sonars without an obstacle
CORNERS = ("FrontLeft", "FrontRight", "RearLeft", "RearRight")


# Returns values that are computed together.
Source = Callable[[], Sequence[Any]]


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
        self._stored |= dict.fromkeys(TOUCH, 0.0)
        self._stored |= {f"{DEVICE}/US/{side}/Sensor/Value": FREE_WAY for side in SONAR}
        self._made: dict[str, tuple[Source, int]] = {}  # and the place among the source's values
        self._add_joints()
        self._add_inertial_sensor()
        self._add_feet()
        self._made["robotIsWakeUp"] = (lambda: [robot.is_awake], 0)
        self.methods: dict[str, Callable[..., Any]] = {
            "getData": self._get,
            "getListData": self._get_list,
            "getDataListName": lambda: sorted({*self._made, *self._stored}),
            "insertData": self.store,
            "raiseEvent": self.store,
        }

    def _get(self, key: str) -> Any:
        if key not in self._made and key not in self._stored:
            raise NaoError(f"data '{key}' not found")
        return self._get_list([key])[0]

    def _get_list(self, keys: Sequence[str]) -> list[Any]:
        read: dict[Source, Sequence[Any]] = {}
        values: list[Any] = []
        for key in keys:
            if key in self._stored:
                values.append(self._stored[key])
            elif key in self._made:
                source, place = self._made[key]
                if source not in read:
                    read[source] = source()
                values.append(read[source][place])
            else:
                values.append(None)  # as on the robot, for a key that does not exist
        return values

    def store(self, key: str, value: Any) -> None:
        """Set a value."""
        self._stored[key] = value

    def _add(self, keys: Sequence[str], source: Source) -> None:
        for place, key in enumerate(keys):
            self._made[key] = source, place

    def _add_joints(self) -> None:
        robot, model = self._robot, self._robot.model
        sources: dict[str, Source] = {
            "Position/Actuator": lambda: model.commands.tolist(),
            "Position/Sensor": lambda: model.sensors.tolist(),
            "ElectricCurrent/Sensor": lambda: robot.drives.currents.tolist(),
            "Temperature/Sensor": lambda: (WARM + HOT_PER_AMPERE * robot.drives.currents).tolist(),
            "Hardness/Actuator": lambda: model.stiffnesses.tolist(),
        }
        for name, source in sources.items():
            joints = robot.body.joint_names
            self._add([f"{DEVICE}/{joint}/{name}/Value" for joint in joints], source)

    def _add_inertial_sensor(self) -> None:
        model = self._robot.model

        def values() -> list[float]:
            rotation = model.pose("Torso", SPACE_WORLD, True)[:3, :3]
            up = rotation[2]
            # The torso rotates with the walk, about the vertical.
            parts = (GRAVITY * up, model.velocity[2] * up, matrix_rpy(rotation))
            return [float(value) for part in parts for value in part]

        places = [f"{DEVICE}/InertialSensor/{name}" for name in INERTIAL]
        self._add([f"{place}{axis}/Sensor/Value" for place in places for axis in AXES], values)

    def _add_feet(self) -> None:
        model = self._robot.model
        weight = model.get_mass("Body")

        def weights() -> list[float]:
            heights = [model.pose(leg, SPACE_WORLD, True)[2, 3] for leg in FEET]
            if abs(heights[0] - heights[1]) < LEVEL:
                return [weight / len(FEET)] * len(FEET)
            return [weight if height == min(heights) else 0.0 for height in heights]

        places = [f"{DEVICE}/{leg[0]}Foot/FSR" for leg in FEET]
        self._add([f"{place}/TotalWeight/Sensor/Value" for place in places], weights)
        for corner in CORNERS:
            self._add(
                [f"{place}/{corner}/Sensor/Value" for place in places],
                lambda: [part / len(CORNERS) for part in weights()],
            )
