"""ALMemory: the robot's values by key."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from rigid_tree_kinematics.model.transforms import matrix_rpy
from rigid_tree_nao.errors import NaoError
from rigid_tree_nao.model import FEET, LEVEL, SPACE_WORLD
from rigid_tree_nao.robot import SONAR
from rigid_tree_nao.simulated.events import (
    FOOT_CONTACT_CHANGED,
    TOUCH_DEVICES,
    Events,
    Listener,
)
from rigid_tree_nao.simulated.robot import SimulatedRobot

GRAVITY = 9.81  # m/s^2
WARM, HOT_PER_AMPERE = 38.0, 10.0  # degrees Celsius
DEVICE = "Device/SubDeviceList"
AXES = "XYZ"
INERTIAL = ("Accelerometer", "Gyroscope", "Angle")
FREE_WAY = 5.0  # m: the value of NAO's sonars without an obstacle
NEAR = 0.5  # m, up to which a sonar detects an obstacle
CHARGE = f"{DEVICE}/Battery/Charge/Sensor/Value"
FOOT_CONTACT = "footContact"
SONARS = {f"{DEVICE}/US/{side}/Sensor/Value": side for side in SONAR}
# Key -> its event, of the touch sensors.
TOUCHED = {event: event for event in TOUCH_DEVICES} | {
    f"{DEVICE}/{device}/Sensor/Value": event
    for event, devices in TOUCH_DEVICES.items()
    for device in devices
}
SOFT, STIFF = (
    0.05,
    0.95,
)  # average stiffness up to and from which the body counts as soft and stiff
CORNERS = ("FrontLeft", "FrontRight", "RearLeft", "RearRight")


# Returns values that are computed together.
Source = Callable[[], Sequence[Any]]
# Calls a client's module: (module, method, event, value, message).
CallModule = Callable[[str, str, str, Any, str], None]


class Memory:
    """ALMemory's methods, by their names in ``methods``; values are computed when read.

    Events are delivered to listeners by ``deliver``, and to modules by ``call_module``.
    """

    def __init__(
        self,
        robot: SimulatedRobot,
        deliver: Callable[[Listener, Any], Any] = lambda listener, value: listener(value),
        call_module: CallModule = lambda *_: None,
    ) -> None:
        self._robot = robot
        self.call_module = call_module
        self.events = Events(deliver)
        self._last: dict[str, Any] = {}  # values of watched events, in the last cycle
        self._descriptions: dict[str, str] = {}
        self._stored: dict[str, Any] = {
            "RobotConfig/Body/Type": f"Nao{robot.body.body_type}",
            "RobotConfig/Body/BaseVersion": robot.body.version,
            CHARGE: 0.8,
            f"{DEVICE}/Battery/Current/Sensor/Value": -0.5,
        }
        self._stored |= dict.fromkeys(TOUCHED, 0.0) | dict.fromkeys(SONARS, FREE_WAY)
        self._made: dict[str, tuple[Source, int]] = {}  # and the place among the source's values
        self._add_joints()
        self._add_inertial_sensor()
        self._add_feet()
        # These events are raised in the cycle after a change.
        self._watched: dict[str, Callable[[], Any]] = {
            "robotIsWakeUp": lambda: robot.is_awake,
            "PostureChanged": lambda: robot.posture,
            "PostureFamilyChanged": lambda: robot.family,
            "BodyStiffnessChanged": self._stiffness_level,
        }
        for event, source in self._watched.items():
            self._made[event] = (partial(_listed, source), 0)
        robot.raise_event, robot.on_cycle = self.raise_event, self._watch
        self.methods: dict[str, Callable[..., Any]] = {
            "getData": self._get,
            "getListData": self._get_list,
            "getDataListName": self._names,
            "getDataList": lambda part: [name for name in self._names() if part in name],
            "getType": self._type,
            "getTimestamp": self._timestamp,
            "setDescription": self._descriptions.__setitem__,
            "getDescriptionList": self._describe,
            "insertData": self._insert,
            "insertListData": self._insert_list,
            "removeData": self._remove,
            **self._event_methods(),
        }

    def _event_methods(self) -> dict[str, Callable[..., Any]]:
        events = self.events
        return {
            "raiseEvent": self._raise,
            "raiseMicroEvent": self._raise_micro,
            "declareEvent": events.declare,
            "removeEvent": self._remove_event,
            "removeMicroEvent": self._remove_event,
            "getEventList": events.names,
            "getMicroEventList": lambda: sorted(events.micro),
            "getExtractorEvent": events.names,
            "getEventHistory": events.history,
            "getSubscribers": events.subscribers,
            "subscribeToEvent": self._subscribe,
            "subscribeToMicroEvent": self._subscribe,
            "unsubscribeToEvent": events.unsubscribe,
            "unsubscribeToMicroEvent": events.unsubscribe,
            "unregisterModuleReference": events.unsubscribe_all,
        }

    def _names(self) -> list[str]:
        return sorted({*self._made, *self._stored})

    def _get(self, key: str, *_: Any) -> Any:
        """Return a value, None for an event that was never raised; 1.12 had a second argument."""
        if not any(key in keys for keys in (self._made, self._stored, self.events.names())):
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

    def raise_event(self, event: str, value: Any) -> None:
        """Set a value, and deliver it to the subscribers."""
        with self._robot.lock:
            if event not in self._watched:
                self._stored[event] = value
            self.events.announce(event, value)

    def listen(self, event: str, subscriber: str, listener: Listener) -> None:
        """Call ``listener`` with each value of an event."""
        with self._robot.lock:
            if event in self._watched and not self.events.heard([event]):
                self._last[event] = self._watched[event]()
            self.events.listen(event, subscriber, listener)

    def _watch(self) -> None:
        """Raise watched events whose value has changed."""
        for event in self.events.heard(self._watched):
            value = self._watched[event]()
            if value != self._last[event]:
                self._last[event] = value
                self.events.announce(event, value)

    def _insert(self, key: str, value: Any) -> None:
        """Set a value; of a sensor, as if it had sensed it."""
        if key in TOUCHED:
            self._touch(TOUCHED[key], value)
            return
        if key in (FOOT_CONTACT, FOOT_CONTACT_CHANGED):
            self._lift(not value)
            return
        self._stored[key] = value
        if key in SONARS and isinstance(value, (int, float)):
            is_near = value <= NEAR
            event = f"Sonar{SONARS[key]}{'Detected' if is_near else 'NothingDetected'}"
            self.raise_event(event, float(value) if is_near else 0.0)
        elif key == CHARGE and isinstance(value, (int, float)):
            self.raise_event("BatteryChargeChanged", round(100.0 * value))

    def _insert_list(self, rows: Sequence[Sequence[Any]]) -> None:
        for key, value in rows:
            self._insert(key, value)

    def _touch(self, event: str, value: Any) -> None:
        pressed = float(bool(value))
        has_changed = pressed != self._stored[event]
        for device in TOUCH_DEVICES[event]:
            self._stored[f"{DEVICE}/{device}/Sensor/Value"] = pressed
        self.raise_event(event, pressed)
        if has_changed:
            devices = [[device, bool(value)] for device in TOUCH_DEVICES[event]]
            self.raise_event("TouchChanged", devices)

    def _lift(self, is_lifted: bool) -> None:
        """Lift the robot off the ground, or put it down."""
        has_changed = is_lifted != self._robot.is_lifted
        self._robot.is_lifted = is_lifted
        if has_changed:
            self.raise_event(FOOT_CONTACT_CHANGED, not is_lifted)

    def _raise(self, event: str, value: Any) -> None:
        """Raise an event of a client; of a sensor, as if it had sensed the value."""
        self.events.declare(event)
        if event in TOUCH_DEVICES:
            self._touch(event, value)
        elif event == FOOT_CONTACT_CHANGED:
            self._lift(not value)
        else:
            self.raise_event(event, value)

    def _raise_micro(self, event: str, value: Any) -> None:
        self.events.micro.add(event)
        self.raise_event(event, value)

    def _subscribe(self, event: str, module: str, *message_and_method: str) -> None:
        if len(message_and_method) not in (1, 2):
            raise NaoError("a subscription needs an event, a module and its method")
        *messages, method = message_and_method
        message = messages[0] if messages else ""

        def notify(value: Any) -> None:
            self.call_module(module, method, event, value, message)

        self.events.declare(event)
        self.listen(event, module, notify)

    def _remove(self, key: str) -> None:
        if key not in self._stored:
            raise NaoError(f"data '{key}' not found")
        del self._stored[key]

    def _remove_event(self, event: str) -> None:
        self.events.remove(event)
        self._stored.pop(event, None)

    def _type(self, key: str) -> str:
        if key in self.events.micro:
            return "MicroEvent"
        return "Event" if key in self.events.names() else "Data"

    def _timestamp(self, key: str) -> list[Any]:
        """Return [value, s, us], of the last time that an event was raised."""
        raised = self.events.history(key)
        return raised[-1] if raised else [self._get(key), 0, 0]

    def _describe(self, keys: Sequence[str]) -> list[list[str]]:
        return [
            [key, self._type(key), self._descriptions.get(key, "")]
            for key in keys or self._names()
        ]

    def _stiffness_level(self) -> int:
        average = float(np.mean(self._robot.model.stiffnesses))
        return 0 if average < SOFT else 2 if average > STIFF else 1

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
        robot, model = self._robot, self._robot.model
        weight = model.get_mass("Body")

        def weights() -> list[float]:
            if robot.is_lifted:
                return [0.0] * len(FEET)
            heights = [model.pose(leg, SPACE_WORLD, True)[2, 3] for leg in FEET]
            if abs(heights[0] - heights[1]) < LEVEL:
                return [weight / len(FEET)] * len(FEET)
            return [weight if height == min(heights) else 0.0 for height in heights]

        def contacts() -> list[float]:
            feet = [float(part > 0.0) for part in weights()]
            return [max(feet), *feet]

        self._add((FOOT_CONTACT, "leftFootContact", "rightFootContact"), contacts)
        self._add(("leftFootTotalWeight", "rightFootTotalWeight"), weights)
        places = [f"{DEVICE}/{leg[0]}Foot/FSR" for leg in FEET]
        self._add([f"{place}/TotalWeight/Sensor/Value" for place in places], weights)
        for corner in CORNERS:
            self._add(
                [f"{place}/{corner}/Sensor/Value" for place in places],
                lambda: [part / len(CORNERS) for part in weights()],
            )


def _listed(source: Callable[[], Any]) -> list[Any]:
    return [source()]
