"""The simulated robot's services beside ALMotion, ALRobotPosture and ALMemory."""

from collections.abc import Callable
from typing import Any

from rigid_tree_nao.simulated import modules
from rigid_tree_nao.simulated.memory import Memory

Methods = dict[str, Callable[..., Any]]


def other_services(memory: Memory) -> dict[str, Methods]:
    """Return service -> method -> function, by NAOqi's names."""
    return {
        "ALTextToSpeech": modules.speech(memory),
        "ALSensors": modules.sensors(memory),
        "ALSonar": modules.sonar(memory),
        "ALBattery": modules.battery(memory),
        "ALLeds": modules.leds(memory),
        "ALAutonomousLife": modules.life(memory),
    }
