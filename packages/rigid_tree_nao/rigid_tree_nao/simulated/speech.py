"""ALTextToSpeech: prints sentences, each for as long as speaking it would take."""

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from typing import Any

from rigid_tree_nao.errors import NaoError, unknown_name
from rigid_tree_nao.model import finite_numbers
from rigid_tree_nao.simulated.memory import Memory
from rigid_tree_nao.simulated.methods import settle

SECONDS_PER_LETTER = 0.06
LANGUAGES = (
    *("Arabic", "Brazilian", "Chinese", "Czech", "Danish", "Dutch", "English", "Finnish"),
    *("French", "German", "Greek", "Italian", "Japanese", "Korean", "MandarinTaiwan"),
    *("Norwegian", "Polish", "Portuguese", "Russian", "Spanish", "Swedish", "Turkish"),
)
# Of the voice; without effect.
PARAMETERS = {
    **{
        "pitchShift": 0.0,
        "doubleVoice": 0.0,
        "doubleVoiceLevel": 0.0,
        "doubleVoiceTimeShift": 0.0,
    },
    **{"speed": 100.0, "pitch": 100.0, "defaultSpeed": 100.0, "defaultPitch": 100.0},
}


class Speech:
    """ALTextToSpeech's methods, by their names in ``methods``."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        self._language, self._voice, self._volume = "English", "naoenu", 1.0
        self._parameters, self._dictionary = dict(PARAMETERS), dict[str, str]()
        self._count = 0  # of sentences
        self._said: dict[int, tuple[float, Future[None]]] = {}  # number -> end (s) and call
        self.methods: dict[str, Callable[..., Any]] = {
            "say": self._say,
            "stopAll": self._stop_all,
            "getLanguage": lambda: self._language,
            "setLanguage": self._set_language,
            "getAvailableLanguages": lambda: list(LANGUAGES),
            "getSupportedLanguages": lambda: list(LANGUAGES),
            "getVolume": lambda: self._volume,
            "setVolume": self._set_volume,
            "getVoice": lambda: self._voice,
            "setVoice": partial(setattr, self, "_voice"),
            "getAvailableVoices": lambda: [self._voice],
            "setLanguageDefaultVoice": lambda language, voice: None,
            "loadVoicePreference": lambda name: None,
            "locale": lambda: "en_US",
            "getParameter": lambda name: self._parameters[self._known(name)],
            "setParameter": self._set_parameter,
            "reset": lambda: self._parameters.update(PARAMETERS),
            "resetSpeed": lambda: self._set_parameter("speed", PARAMETERS["speed"]),
            "enableNotifications": lambda: None,
            "disableNotifications": lambda: None,
            "addToDictionary": self._add_word,
            "deleteFromDictionary": lambda word, *_: self._dictionary.pop(word, None) is not None,
            "showDictionary": lambda: print(f"NAO's dictionary: {self._dictionary}", flush=True),
        }

    def _say(self, text: str, *language: str) -> Future[None]:
        now = time.monotonic()
        begin = max([now, *(end for end, call in self._said.values() if not call.done())])
        end = begin + SECONDS_PER_LETTER * len(text)
        call: Future[None] = Future()
        self._said = {k: row for k, row in self._said.items() if not row[1].done()}
        self._count += 1
        number = self._count
        self._said[number] = (end, call)

        def speak() -> None:
            if not call.done():
                print(f"NAO says: {text}", flush=True)
                self._raise_event("Status", [number, "started"])
                self._raise_event("TextStarted", True)
                self._raise_event("CurrentSentence", text)

        def finish() -> None:
            if not call.done():
                self._raise_event("TextDone", True)
                self._raise_event("Status", [number, "done"])
                settle(call)

        self._raise_event("Status", [number, "enqueued"])
        for at, what in ((begin, speak), (end, finish)):
            timer = threading.Timer(at - now, what)
            timer.daemon = True
            timer.start()
        return call

    def _raise_event(self, event: str, value: Any) -> None:
        self._memory.raise_event(f"ALTextToSpeech/{event}", value)

    def _stop_all(self) -> None:
        for number, (_, call) in self._said.items():
            if not call.done():
                self._raise_event("TextInterrupted", True)
                self._raise_event("Status", [number, "stopped"])
                settle(call)

    def _set_language(self, language: str) -> None:
        if language not in LANGUAGES:
            raise unknown_name("language", language, LANGUAGES)
        self._language = language

    def _set_volume(self, volume: float) -> None:
        (number,) = finite_numbers([volume])
        if number < 0.0:
            raise NaoError(f"the volume must be at least 0, not {volume}")
        self._volume = float(number)

    def _known(self, parameter: str) -> str:
        if parameter not in self._parameters:
            raise unknown_name("parameter", parameter, self._parameters)
        return parameter

    def _set_parameter(self, name: str, value: float) -> None:
        self._parameters[self._known(name)] = float(finite_numbers([value])[0])

    def _add_word(self, *words: str) -> bool:
        """Store (word, replacement) or (type, word, priority, phonetic text, accent)."""
        if len(words) not in (2, 5):
            raise NaoError("a word needs its replacement")
        word, text = words if len(words) == 2 else (words[1], words[3])
        self._dictionary[word] = text
        return True


def speech(memory: Memory) -> dict[str, Callable[..., Any]]:
    """Return ALTextToSpeech's methods."""
    return Speech(memory).methods
