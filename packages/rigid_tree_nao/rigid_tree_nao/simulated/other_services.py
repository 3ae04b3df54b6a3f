"""The simulated robot's services beside ALMotion, ALRobotPosture and ALMemory."""

from collections.abc import Callable
from typing import Any

from rigid_tree_nao.simulated.leds import leds
from rigid_tree_nao.simulated.life import life
from rigid_tree_nao.simulated.memory import Memory
from rigid_tree_nao.simulated.sensors import battery, sensors, sonar
from rigid_tree_nao.simulated.speech import speech

Methods = dict[str, Callable[..., Any]]


def other_services(memory: Memory) -> dict[str, Methods]:
    """Return service -> method -> function, by NAOqi's names."""
    return {
        "ALTextToSpeech": speech(memory),
        "ALSensors": sensors(memory),
        "ALSonar": sonar(memory),
        "ALBattery": battery(memory),
        "ALLeds": leds(memory),
        "ALAutonomousLife": life(memory),
    }
