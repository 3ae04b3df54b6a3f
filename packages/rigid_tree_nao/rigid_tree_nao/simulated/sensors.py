"""ALSensors, ALSonar and ALBattery; ALMemory has their values all the time."""

from collections.abc import Callable, Sequence
from typing import Any

from rigid_tree_nao.errors import unknown_name
from rigid_tree_nao.simulated.events import RAISED
from rigid_tree_nao.simulated.memory import CHARGE, SONARS, TOUCHED, Memory

Methods = dict[str, Callable[..., Any]]
PERIOD, PRECISION = 30, 1.0  # ms; of subscribers that do not choose them


def sensors(memory: Memory) -> Methods:
    """Return ALSensors' methods."""
    keys = [key for key in TOUCHED if "/" in key]
    return {**_extractor("ALSensors", keys), "run": lambda: None}


def sonar(memory: Memory) -> Methods:
    """Return ALSonar's methods."""
    read = memory.methods["getListData"]
    return {**_extractor("ALSonar", list(SONARS)), "getFilteredValues": lambda: read(list(SONARS))}


def battery(memory: Memory) -> Methods:
    """Return ALBattery's methods."""
    read = memory.methods["getData"]
    return {
        "getBatteryCharge": lambda: round(100.0 * read(CHARGE)),
        "enablePowerMonitoring": lambda enable: None,
    }


def _extractor(module: str, keys: Sequence[str]) -> Methods:
    """Return ALExtractor's methods; subscriptions are stored, but have no effect."""
    subscribers: dict[str, list[Any]] = {}

    def subscribe(name: str, period: int = PERIOD, precision: float = PRECISION) -> None:
        subscribers[name] = [int(period), float(precision)]

    def parameter(column: int) -> Callable[[str], Any]:
        def get(name: str) -> Any:
            if name not in subscribers:
                raise unknown_name("subscriber", name, subscribers)
            return subscribers[name][column]

        return get

    def update(column: int) -> Callable[[str, Any], None]:
        def put(name: str, value: Any) -> None:
            parameter(column)(name)  # raises NaoError for an unknown one
            subscribers[name][column] = type(subscribers[name][column])(value)

        return put

    def smallest(column: int, otherwise: Any) -> Any:
        return min((row[column] for row in subscribers.values()), default=otherwise)

    return {
        "subscribe": subscribe,
        "unsubscribe": lambda name: subscribers.pop(name, None) and None,
        "updatePeriod": update(0),
        "updatePrecision": update(1),
        "getMyPeriod": parameter(0),
        "getMyPrecision": parameter(1),
        "getCurrentPeriod": lambda: smallest(0, PERIOD),
        "getCurrentPrecision": lambda: smallest(1, PRECISION),
        "getSubscribersInfo": lambda: [[name, *row] for name, row in subscribers.items()],
        "getOutputNames": lambda: list(keys),
        "getMemoryKeyList": lambda: list(keys),
        "getEventList": lambda: list(RAISED[module]),
    }
