"""ALLeds: intensities by device, which change at once; fades take their time.

Names: Aldebaran, NAOqi 1.14 documentation, "ALLeds".
"""

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from typing import Any

import numpy as np

from rigid_tree_nao.errors import NaoError, unknown_name
from rigid_tree_nao.model import finite_numbers
from rigid_tree_nao.simulated.memory import DEVICE, Memory
from rigid_tree_nao.simulated.methods import settle

COLORS = ("Red", "Green", "Blue")
SIDES = ("Right", "Left")
NAMED = {
    **{"white": 0xFFFFFF, "red": 0xFF0000, "green": 0x00FF00, "blue": 0x0000FF},
    **{"yellow": 0xFFFF00, "magenta": 0xFF00FF, "cyan": 0x00FFFF},
}
EYE, EAR = range(8), range(10)  # LEDs, 45 and 36 degrees apart
BRAIN = (  # in the order of the short names, Brain0 to Brain11
    *("Front/Right/1", "Front/Right/0", "Middle/Right/0", "Rear/Right/0", "Rear/Right/1"),
    *("Rear/Right/2", "Rear/Left/2", "Rear/Left/1", "Rear/Left/0", "Middle/Left/0"),
    *("Front/Left/0", "Front/Left/1"),
)
# LEDs of the eyes, by FaceLed0 to FaceLed7.
EYE_PARTS = {"Top": (7, 0), "Bottom": (3, 4), "External": (5, 6), "Internal": (1, 2)}


def _short_names() -> dict[str, list[str]]:
    """Return short name -> devices."""
    names = {f"Brain{k}": [f"Head/Led/{place}"] for k, place in enumerate(BRAIN)}
    for side in SIDES:
        names |= {f"{side}EarLed{k + 1}": [f"Ears/Led/{side}/{36 * k}Deg"] for k in EAR}
        for k in EYE:
            names[f"{side}FaceLed{k + 1}"] = [f"Face/Led/{c}/{side}/{45 * k}Deg" for c in COLORS]
        names |= {f"{side}FootLeds{c}": [f"{side[0]}Foot/Led/{c}"] for c in COLORS}
    names |= {f"ChestLeds{c}": [f"ChestBoard/Led/{c}"] for c in COLORS}
    return {
        name: [f"{device}/Actuator/Value" for device in devices] for name, devices in names.items()
    }


def _groups(short: dict[str, list[str]]) -> dict[str, list[str]]:
    """Return group -> devices."""
    devices = [device for row in short.values() for device in row]

    def holding(*parts: str) -> list[str]:
        return [device for device in devices if all(part in device for part in parts)]

    groups = {"AllLeds": devices, "BrainLeds": holding("Head/"), "EarLeds": holding("Ears/")}
    groups |= {"FaceLeds": holding("Face/"), "FeetLeds": holding("Foot/")}
    groups["ChestLeds"] = holding("ChestBoard/")
    groups |= {f"AllLeds{c}": holding(f"/{c}/") for c in COLORS}
    for part, place in (("Front", "Front"), ("Middle", "Middle"), ("Back", "Rear")):
        groups[f"BrainLeds{part}"] = holding("Head/", place)
    for side in SIDES:
        groups[f"BrainLeds{side}"] = holding("Head/", f"/{side}/")
        groups[f"{side}FaceLeds"] = holding("Face/", f"/{side}/")
        groups[f"{side}FootLeds"] = holding(f"{side[0]}Foot/")
        groups |= {f"{side}FaceLeds{c}": holding(f"Face/Led/{c}/{side}") for c in COLORS}
        ears = [short[f"{side}EarLed{k + 1}"][0] for k in EAR]
        groups[f"{side}EarLeds"] = ears
        groups |= {f"{side}EarLedsFront": ears[:5], f"{side}EarLedsBack": ears[5:]}
        groups |= {f"{side}EarLedsEven": ears[1::2], f"{side}EarLedsOdd": ears[::2]}
        for k in EYE:
            # Groups are numbered symmetrically, short names by the angle.
            at = k + 1 if side == "Left" else (8 - k)
            groups[f"FaceLed{side}{k}"] = short[f"{side}FaceLed{at}"]
    groups |= {f"FaceLed{k}": [d for s in SIDES for d in groups[f"FaceLed{s}{k}"]] for k in EYE}
    for part, numbers in EYE_PARTS.items():
        for side in ("", *SIDES):
            groups[f"FaceLeds{side}{part}"] = [
                device for k in numbers for device in groups[f"FaceLed{side}{k}"]
            ]
    return groups


class Leds:
    """ALLeds' methods, by their names in ``methods``."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        self._short = _short_names()
        self._groups = _groups(self._short)
        self._devices = {device for row in self._short.values() for device in row}
        self._set(self._groups["AllLeds"], 1.0)
        self.methods: dict[str, Callable[..., Any]] = {
            "on": lambda name: self.fade(name, 1.0, 0.0),
            "off": lambda name: self.fade(name, 0.0, 0.0),
            "reset": lambda name: self.fade(name, 1.0, 0.0),
            "setIntensity": lambda name, intensity: self.fade(name, intensity, 0.0),
            "getIntensity": self._intensity,
            "fade": self.fade,
            "fadeRGB": self._fade_rgb,
            "fadeListRGB": self._fade_list,
            "randomEyes": lambda duration: self.fade("FaceLeds", 1.0, duration),
            "rasta": lambda duration: self.fade("AllLeds", 1.0, duration),
            "rotateEyes": lambda rgb, turn, duration: self._fade_rgb("FaceLeds", rgb, duration),
            "earLedsSetAngle": self._set_ears,
            "createGroup": self._create_group,
            "listGroup": self._devices_of,
            "listGroups": lambda: list(self._groups),
            "listLED": self._devices_of,
            "listLEDs": lambda: list(self._short),
        }

    def fade(self, name: str, intensity: float, duration: float) -> Future[None]:
        """Set an intensity, from 0 to 1; the Future is done after the duration (s)."""
        (value,) = finite_numbers([intensity])
        self._set(self._devices_of(name), float(np.clip(value, 0.0, 1.0)))
        return _after(duration)

    def _devices_of(self, name: str) -> list[str]:
        for names in (self._groups, self._short):
            if name in names:
                return list(names[name])
        device = name.removeprefix(f"{DEVICE}/")
        if device in self._devices:
            return [device]
        raise unknown_name("LED or group", name, (*self._groups, *self._short))

    def _set(self, devices: Sequence[str], intensity: float) -> None:
        for device in devices:
            self._memory.store(f"{DEVICE}/{device}", intensity)

    def _intensity(self, name: str) -> list[list[Any]]:
        read = self._memory.methods["getData"]
        return [[device, read(f"{DEVICE}/{device}")] for device in self._devices_of(name)]

    def _fade_rgb(self, name: str, *color_and_duration: Any) -> Future[None]:
        """Set a color: red, green and blue from 0 to 1, 0xRRGGBB, or its name."""
        *color, duration = color_and_duration
        devices = self._devices_of(name)
        if len(color) == 3:
            parts = np.clip(finite_numbers(color), 0.0, 1.0).tolist()
        elif len(color) == 1:
            if isinstance(color[0], str) and color[0] not in NAMED:
                raise unknown_name("color", color[0], NAMED)
            number = int(NAMED.get(color[0], color[0]))
            parts = [(number >> shift & 255) / 255.0 for shift in (16, 8, 0)]
        else:
            raise NaoError("a color must be 0xRRGGBB, its name, or red, green and blue")
        for part, letters in zip(parts, COLORS, strict=True):
            self._set([device for device in devices if f"/{letters}" in device], part)
        # LEDs of the ears and the head are blue only.
        self._set([d for d in devices if not any(f"/{c}" in d for c in COLORS)], parts[2])
        return _after(duration)

    def _fade_list(self, name: str, colors: Any, times: Any) -> Future[None]:
        self._fade_rgb(name, list(colors)[-1], 0.0)
        return _after(max(finite_numbers(times)))

    def _set_ears(self, degrees: int, duration: float, leave_on: Any) -> Future[None]:
        self.fade("EarLeds", 0.0, 0.0)
        if leave_on:
            number = round(float(degrees) / 36.0) % len(EAR) + 1
            for side in SIDES:
                self._set(self._short[f"{side}EarLed{number}"], 1.0)
        return _after(duration)

    def _create_group(self, group: str, names: Sequence[str]) -> None:
        self._groups[group] = [device for name in names for device in self._devices_of(name)]


def leds(memory: Memory) -> dict[str, Callable[..., Any]]:
    """Return ALLeds' methods."""
    return Leds(memory).methods


def _after(duration: float) -> Future[None]:
    """Return a Future that is done after a time (s)."""
    (seconds,) = finite_numbers([duration])
    if seconds < 0.0:
        raise NaoError(f"a duration must be at least 0 s, not {duration}")
    done: Future[None] = Future()
    if seconds > 0.0:
        timer = threading.Timer(float(seconds), settle, (done,))
        timer.daemon = True
        timer.start()
    else:
        settle(done)
    return done
