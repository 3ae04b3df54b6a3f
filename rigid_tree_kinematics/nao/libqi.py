"""libqi, the protocol of the robot, where it is installed."""

from __future__ import annotations

import os
import sys
from typing import Any

from rigid_tree_kinematics.nao.errors import NaoError


def load_libqi() -> Any:
    """Return the module ``qi``; NaoError that says how to get it where it is not installed."""
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
