"""Loading libqi, the robot's protocol, which is an optional dependency."""

from __future__ import annotations

import os
import sys
from typing import Any

from rigid_tree_kinematics.nao.errors import NaoError


def load_libqi() -> Any:
    """Return the module ``qi``.

    Raises NaoError if it is not installed, with instructions, and if this process has loaded coal
    or Pinocchio: they bring another version of Boost, and libqi would crash.
    """
    clash = next((name for name in ("coal", "pinocchio") if name in sys.modules), None)
    if clash and "qi" not in sys.modules:
        raise NaoError(
            f"libqi cannot be loaded after {clash}: their versions of Boost crash in one process; "
            "connect to the robot from a process of its own, such as nao_bridge"
        )
    os.environ.setdefault("QI_LOG_LEVEL", "0")  # its log repeats every error that it raises
    try:
        import qi
    except ImportError as error:
        version = f"{sys.version_info.major}.{sys.version_info.minor}"
        raise NaoError(
            f"the package qi (libqi, NAO's protocol) is not installed for Python {version}: "
            f"pip install qi; it exists for Python 3.8 to 3.12 on x86-64 Linux ({error})"
        ) from None
    return qi
