"""Partial ALTextToSpeech, ALSonar, ALLeds and ALAutonomousLife of the simulated robot."""

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

from rigid_tree_nao.errors import NaoError
from rigid_tree_nao.simulated.memory import Memory
from rigid_tree_nao.simulated.methods import settle

Methods = dict[str, Callable[..., Any]]
SECONDS_PER_LETTER = 0.06  # of speech
LANGUAGES = ("English", "French")
LIFE_STATES = ("solitary", "interactive", "safeguard", "disabled")


def other_services(memory: Memory) -> dict[str, Methods]:
    """Return service -> method -> function, by NAOqi's names."""
    return {
        "ALTextToSpeech": _speech(memory),
        "ALSonar": {"subscribe": lambda name, *_: None, "unsubscribe": lambda name: None},
        "ALLeds": _leds(memory),
        "ALAutonomousLife": _life(memory),
    }


def _speech(memory: Memory) -> Methods:
    spoken = {"language": LANGUAGES[0]}
    said: list[tuple[float, Future[None]]] = []  # until when (s), and the pending calls

    def say(text: str, *language: str) -> Future[None]:
        now = time.monotonic()
        begin = max([now, *(end for end, call in said if not call.done())])
        end = begin + SECONDS_PER_LETTER * len(text)
        call: Future[None] = Future()
        said[:] = [*(one for one in said if not one[1].done()), (end, call)]

        def speak() -> None:
            if not call.done():
                print(f"NAO says: {text}", flush=True)
                memory.store("ALTextToSpeech/CurrentSentence", text)

        for at, what in ((begin, speak), (end, lambda: settle(call))):
            timer = threading.Timer(at - now, what)
            timer.daemon = True
            timer.start()
        return call

    def stop_all() -> None:
        for _, call in said:
            settle(call)

    def set_language(language: str) -> None:
        if language not in LANGUAGES:
            raise NaoError(f"unknown language '{language}'; known: {', '.join(LANGUAGES)}")
        spoken["language"] = language

    return {
        "say": say,
        "stopAll": stop_all,
        "getLanguage": lambda: spoken["language"],
        "setLanguage": set_language,
        "getAvailableLanguages": lambda: list(LANGUAGES),
    }


def _leds(memory: Memory) -> Methods:
    def fade(name: str, *color: Any) -> None:
        memory.store(f"ALLeds/{name}", list(color))

    return {"fadeRGB": fade, "fade": fade, "on": fade, "off": fade, "setIntensity": fade}


def _life(memory: Memory) -> Methods:
    key = "AutonomousLife/State"
    memory.store(key, "disabled")

    def set_state(state: str) -> None:
        if state not in LIFE_STATES:
            raise NaoError(f"unknown state '{state}'; known: {', '.join(LIFE_STATES)}")
        memory.store(key, state)

    return {"setState": set_state, "getState": lambda: memory.methods["getData"](key)}
