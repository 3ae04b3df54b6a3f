"""libqi, the protocol of the robot, where it is installed."""

from __future__ import annotations

import os
import sys
from typing import Any

from rigid_tree_kinematics.nao.errors import NaoError


def load_libqi() -> Any:
    """Return the module ``qi``.

    Raises NaoError that says how to get it where it is not installed, and where this process has
    loaded what libqi crashes beside: coal and Pinocchio, whose Boost is another one.
    """
    clash = next((name for name in ("coal", "pinocchio") if name in sys.modules), None)
    if clash and "qi" not in sys.modules:
        raise NaoError(
            f"libqi cannot be loaded after {clash}: their versions of Boost crash in one process; "
            "speak to the robot from a process of its own, such as nao_bridge"
        )
    os.environ.setdefault("QI_LOG_LEVEL", "0")  # its log repeats every error that is reported
    try:
        import qi
    except ImportError as error:
        version = f"{sys.version_info.major}.{sys.version_info.minor}"
        raise NaoError(
            f"the package qi (libqi), which speaks to NAO, is not installed for Python {version}: "
            f"pip install qi; it exists for Python 3.8 to 3.12 on x86-64 Linux ({error})"
        ) from None
    return qi
