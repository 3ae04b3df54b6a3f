"""Documented methods that the simulated robot rejects, with the reason and the alternative."""

from collections.abc import Callable
from typing import Any

from rigid_tree_nao.errors import NaoError

NO_ACTIVITIES = "the simulated robot has no activities: call the services of your script directly"
NO_LAUNCHPAD = "the simulated robot has no launchpad: start your script yourself"
NO_SOUND = "the simulated robot has no voice: use say, which prints the text"
# Module -> method -> why it cannot be called.
ABSENT: dict[str, dict[str, str]] = {
    "ALMotion": {
        "animation": "supports of an animation are not simulated: use angleInterpolationBezier",
        "getChainClosestObstaclePosition": "the simulation has no obstacles: read the sonars, "
        "Device/SubDeviceList/US/Left/Sensor/Value and .../Right/..., from ALMemory",
        "updateTrackerTarget": "nothing is tracked: use setAngles for the head, or "
        "wbSetEffectorControl for the whole body",
    },
    "ALMemory": {
        "getDataPtr": "a pointer is valid in the robot's own process only: use getData",
        "getDataOnChange": "deprecated since NAOqi 1.12: use subscriber(key).signal.connect, or "
        "getData",
        "addMapping": "signals of other services are not simulated: use raiseEvent",
    },
    "ALTextToSpeech": {
        **dict.fromkeys(("sayToFile", "sayToFileAndPlay"), NO_SOUND),
        "getLanguageEncoding": "deprecated since NAOqi 1.22: texts are UTF-8",
    },
    "ALAutonomousLife": {
        **dict.fromkeys(
            (
                *("switchFocus", "getActivityNature", "getFocusContext", "onReady"),
                "getActivityContextPermissionViolations",
            ),
            NO_ACTIVITIES,
        ),
        **dict.fromkeys(
            ("setLaunchpadPluginEnabled", "getLaunchpadPluginsForGroup"), NO_LAUNCHPAD
        ),
    },
}


def rejections(module: str) -> dict[str, Callable[..., Any]]:
    """Return method -> function that raises NaoError, for the methods that a module rejects."""
    return {name: _rejecting(reason) for name, reason in ABSENT.get(module, {}).items()}


def _rejecting(reason: str) -> Callable[..., Any]:
    def reject(*_: Any) -> None:
        raise NaoError(f"not simulated: {reason}")

    return reject
