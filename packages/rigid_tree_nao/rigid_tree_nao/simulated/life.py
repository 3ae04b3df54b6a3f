"""ALAutonomousLife: the states and switches, without activities."""

import time
from collections import deque
from collections.abc import Callable
from typing import Any

from rigid_tree_nao.errors import unknown_name
from rigid_tree_nao.model import finite_numbers
from rigid_tree_nao.simulated.memory import Memory

STATES = ("solitary", "interactive", "safeguard", "disabled")
ABILITIES = (
    *("AutonomousBlinking", "BackgroundMovement", "BasicAwareness"),
    *("ListeningMovement", "SpeakingMovement"),
)
SAFEGUARDS = (
    *("RobotPushed", "RobotFell", "RobotMoved", "CriticalDiagnosis", "CriticalTemperature"),
)
STATE = "AutonomousLife/State"


def life(memory: Memory) -> dict[str, Callable[..., Any]]:
    """Return ALAutonomousLife's methods."""
    born = time.monotonic()
    memory.store(STATE, "disabled")
    abilities, safeguards = dict.fromkeys(ABILITIES, False), dict.fromkeys(SAFEGUARDS, True)
    offset = [0.0]  # m, of the robot above the floor
    states: deque[list[Any]] = deque([["disabled", 0]], maxlen=100)  # with their times (s)

    def lifetime() -> int:
        return int(time.monotonic() - born)

    def set_state(state: str) -> None:
        if state not in STATES:
            raise unknown_name("state", state, STATES)
        states.append([state, lifetime()])
        memory.raise_event(STATE, state)

    def switch(kind: str, switches: dict[str, bool]) -> tuple[Callable[..., Any], ...]:
        def get(name: str) -> bool:
            if name not in switches:
                raise unknown_name(kind, name, switches)
            return switches[name]

        def put(name: str, enable: Any) -> None:
            get(name)  # raises NaoError for an unknown one
            switches[name] = bool(enable)

        return get, put

    def set_offset(height: float) -> None:
        offset[0] = float(finite_numbers([height])[0])

    get_ability, set_ability = switch("autonomous ability", abilities)
    get_safeguard, set_safeguard = switch("safeguard", safeguards)
    return {
        "setState": set_state,
        "getState": lambda: memory.methods["getData"](STATE),
        "getAutonomousAbilityEnabled": get_ability,
        "setAutonomousAbilityEnabled": set_ability,
        "getAutonomousAbilitiesStatus": lambda: [[k, v, False] for k, v in abilities.items()],
        "isSafeguardEnabled": get_safeguard,
        "setSafeguardEnabled": set_safeguard,
        "getRobotOffsetFromFloor": lambda: offset[0],
        "setRobotOffsetFromFloor": set_offset,
        "getLifeTime": lifetime,
        "getActivityStatistics": dict,
        "getAutonomousActivityStatistics": dict,
        "getFocusHistory": lambda *depth: [],
        "getStateHistory": lambda *depth: list(states)[-int(*depth) :],
        "focusedActivity": lambda: "",
        "stopFocus": lambda: None,
        "stopAll": lambda: None,
        "startMonitoringLaunchpadConditions": lambda: None,
        "stopMonitoringLaunchpadConditions": lambda: None,
        "isMonitoringLaunchpadConditions": lambda: False,
        "getEnabledLaunchpadPlugins": list,
    }
