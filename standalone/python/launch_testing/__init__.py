"""Stand-in for the ROS 2 package ``launch_testing``; see standalone/README.md."""

from .decorator import post_shutdown_test
from .io_handler import ActiveIoHandler, IoHandler
from .parametrize import parametrize
from .proc_info_handler import ActiveProcInfoHandler, ProcInfoHandler
from .ready_to_test_action_timeout import ready_to_test_action_timeout

__all__ = [
    "ActiveIoHandler",
    "ActiveProcInfoHandler",
    "IoHandler",
    "ProcInfoHandler",
    "parametrize",
    "post_shutdown_test",
    "ready_to_test_action_timeout",
]
