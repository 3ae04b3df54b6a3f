"""ALMemory's events: which there are, their subscribers and their history."""

import time
from collections import deque
from collections.abc import Callable, Iterable
from typing import Any

from rigid_tree_nao.robot import SONAR

Listener = Callable[[Any], None]
REMEMBERED = 100  # values of an event
FOOT_CONTACT_CHANGED = "footContactChanged"
# Event -> the sensors that it reports (Aldebaran, NAOqi documentation, "ALSensors", "ALTouch").
TOUCH_DEVICES = {
    "RightBumperPressed": ("RFoot/Bumper/Left", "RFoot/Bumper/Right"),
    "LeftBumperPressed": ("LFoot/Bumper/Left", "LFoot/Bumper/Right"),
    "ChestButtonPressed": ("ChestBoard/Button",),
    **{f"{part}TactilTouched": (f"Head/Touch/{part}",) for part in ("Front", "Middle", "Rear")},
    **{
        f"Hand{side}{part}Touched": (f"{side[0]}Hand/Touch/{part}",)
        for side in ("Right", "Left")
        for part in ("Back", "Left", "Right")
    },
}
# Module -> its events that the simulated robot raises.
RAISED = {
    "ALSensors": (*TOUCH_DEVICES, "BodyStiffnessChanged"),
    "ALTouch": ("TouchChanged",),
    "ALFsr": (FOOT_CONTACT_CHANGED,),
    "ALSonar": tuple(
        f"Sonar{side}{found}" for side in SONAR for found in ("Detected", "NothingDetected")
    ),
    "ALBattery": ("BatteryChargeChanged",),
    "ALMotion": (
        "robotIsWakeUp",
        *(f"ALMotion/Stiffness/{name}" for name in ("wakeUpStarted", "wakeUpFinished")),
        *(f"ALMotion/Stiffness/{name}" for name in ("restStarted", "restFinished")),
        "ALMotion/MoveFailed",
    ),
    "ALRobotPosture": ("PostureChanged", "PostureFamilyChanged"),
    "ALTextToSpeech": tuple(
        f"ALTextToSpeech/{name}"
        for name in ("Status", "TextStarted", "CurrentSentence", "TextDone", "TextInterrupted")
    ),
    "ALAutonomousLife": ("AutonomousLife/State",),
}
# Module -> its events that only a client's raiseEvent raises: nothing in the simulation does.
SILENT = {
    "ALSensors": (
        "HotJointDetected",
        *(f"ALSentinel/{count}ClickOccured" for count in ("Simple", "Double", "Triple")),
    ),
    "ALBattery": tuple(
        f"Battery{what}Changed"
        for what in (
            *("PowerPlugged", "ChargeCellVoltageMin", "ChargingFlag"),
            *("FullChargedFlag", "DisChargingFlag"),
        )
    ),
    "ALMotion": (
        "robotHasFallen",
        "ALMotion/RobotIsFalling",
        *(f"ALMotion/Safety/{name}" for name in ("MoveFailed", "PushRecovery", "RobotPushed")),
        "ALMotion/Safety/ChainVelocityClipped",
        "ALMotion/Protection/DisabledDevicesChanged",
    ),
    "ALTextToSpeech": tuple(
        f"ALTextToSpeech/{name}"
        for name in ("CurrentWord", "PositionOfCurrentWord", "CurrentBookMark")
    ),
    "ALChestButton": tuple(
        f"ALChestButton/{count}ClickOccurred" for count in ("Simple", "Double", "Triple")
    ),
    "ALAutonomousLife": tuple(
        f"AutonomousLife/{name}"
        for name in ("FocusedActivity", "CompletedActivity", "NextActivity", "LaunchSuggestions")
    ),
}


class Events:
    """Declared events, with their subscribers and last values.

    ``deliver`` calls a listener with a value, now or in another thread.
    """

    def __init__(self, deliver: Callable[[Listener, Any], Any]) -> None:
        self._deliver = deliver
        self._module: dict[str, str] = {
            event: module
            for table in (RAISED, SILENT)
            for module, events in table.items()
            for event in events
        }
        self.micro: set[str] = set()
        self._listeners: dict[str, dict[str, Listener]] = {}  # by event and subscriber
        self._history: dict[str, deque[list[Any]]] = {}

    def declare(self, event: str, module: str = "") -> None:
        """Add an event, raised by a module."""
        self._module.setdefault(event, module)

    def names(self, module: str = "") -> list[str]:
        """Return all events, or those of a module."""
        return sorted(name for name, of in self._module.items() if module in ("", of))

    def announce(self, event: str, value: Any) -> None:
        """Remember a value, with its time, and deliver it to the subscribers."""
        seconds, rest = divmod(time.time(), 1.0)
        row = [value, int(seconds), int(1e6 * rest)]
        self._history.setdefault(event, deque(maxlen=REMEMBERED)).append(row)
        for listener in self._listeners.get(event, {}).values():
            self._deliver(listener, value)

    def history(self, event: str) -> list[list[Any]]:
        """Return the last values as [value, s, us], the oldest first."""
        return list(self._history.get(event, ()))

    def listen(self, event: str, subscriber: str, listener: Listener) -> None:
        """Call ``listener`` with each value, instead of the subscriber's former one."""
        self._listeners.setdefault(event, {})[subscriber] = listener

    def unsubscribe(self, event: str, subscriber: str) -> None:
        """Remove a subscriber of an event, if it is one."""
        self._listeners.get(event, {}).pop(subscriber, None)

    def unsubscribe_all(self, subscriber: str) -> None:
        """Remove a subscriber of all events."""
        for event in list(self._listeners):
            self.unsubscribe(event, subscriber)

    def remove(self, event: str) -> None:
        """Remove an event with its subscribers and values."""
        self.micro.discard(event)
        for table in (self._module, self._listeners, self._history):
            table.pop(event, None)

    def subscribers(self, event: str) -> list[str]:
        """Return the names of an event's subscribers; those of libqi's signals have none."""
        return [name for name in self._listeners.get(event, ()) if name]

    def heard(self, events: Iterable[str]) -> list[str]:
        """Return the events that have a subscriber."""
        return [event for event in events if self._listeners.get(event)]
