"""Logging of launch: to the screen and to ``launch.log``."""

import functools
import logging
import os
import socket
import sys
import tempfile
from datetime import datetime
from pathlib import Path

# Destinations of stdout and of stderr for each kind of ``output``.
_OUTPUTS: dict[str, tuple[set[str], set[str]]] = {
    "screen": ({"screen"}, {"screen"}),
    "log": ({"log"}, {"log", "screen"}),
    "both": ({"log", "screen"}, {"log", "screen"}),
}
_PROCESS_OUTPUT = "launch_process_output"  # marks the loggers of processes' output


class _Formatter(logging.Formatter):
    """Formats launch's own messages with their level and the output of processes without."""

    def __init__(self, time: str = "") -> None:
        super().__init__(time + "[{levelname}] [{name}]: {message}", style="{")
        self._output = logging.Formatter(time + "{message}", style="{")

    def format(self, record: logging.LogRecord) -> str:
        if getattr(logging.getLogger(record.name), _PROCESS_OUTPUT, False):
            return self._output.format(record)
        return super().format(record)


class _ScreenHandler(logging.StreamHandler):
    """Writes to the current ``sys.stdout``."""

    def emit(self, record: logging.LogRecord) -> None:
        self.stream = sys.stdout
        super().emit(record)


class LaunchConfig:
    """The folder and the level of log files."""

    level = logging.INFO

    @functools.cached_property
    def log_dir(self) -> str:
        """This launch's directory for log files, below ROS_LOG_DIR, ROS_HOME/log or ~/.ros/log."""
        return _make_log_dir()

    @functools.cached_property
    def handlers(self) -> dict[str, logging.Handler]:
        """The handlers of the screen and of ``launch.log``, created with its first line."""
        path = os.path.join(self.log_dir, "launch.log")
        screen = _ScreenHandler(sys.stdout)
        screen.setFormatter(_Formatter())
        file = logging.FileHandler(path, encoding="utf-8", delay=True)
        file.setFormatter(_Formatter("{created:.7f} "))
        return {"screen": screen, "log": file}


def _make_log_dir() -> str:
    base = os.environ.get("ROS_LOG_DIR") or os.path.join(
        os.environ.get("ROS_HOME") or os.path.join("~", ".ros"), "log"
    )
    stamp = datetime.now().strftime("%Y-%m-%d-%H-%M-%S-%f")
    name = f"{stamp}-{socket.gethostname()}-{os.getpid()}"
    path = Path(base).expanduser() / name
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        # Nodes log below the same folder and cannot start without it.
        os.environ["ROS_LOG_DIR"] = tempfile.mkdtemp(prefix="ros-log-")
        path = Path(os.environ["ROS_LOG_DIR"]) / name
        path.mkdir()
        print(
            f"log files go to {path} ({error}); set ROS_LOG_DIR to a writable folder",
            file=sys.stderr,
        )
    latest = path.parent / "latest"
    try:
        if latest.is_symlink():
            latest.unlink()
        latest.symlink_to(path, target_is_directory=True)
    except OSError:
        pass  # a concurrent launch, or a real directory of that name; the link is optional
    return str(path)


launch_config = LaunchConfig()


def log_launch_config(*, logger: logging.Logger) -> None:
    """Log the folder of the log files and the verbosity."""
    logger.info("All log files can be found below %s", launch_config.log_dir)
    logger.info(
        "Default logging verbosity is set to %s", logging.getLevelName(launch_config.level)
    )


def get_logger(name: str | None = None) -> logging.Logger:
    """Return a logger that writes to the screen and to ``launch.log``."""
    return _detached_logger(name or "launch", {"screen", "log"})


def get_output_loggers(process_name: str, output: str) -> tuple[logging.Logger, logging.Logger]:
    """Return the loggers of a process's stdout and stderr; ``output`` as in ExecuteProcess."""
    if output not in _OUTPUTS:
        raise ValueError(f"output cannot be '{output}', only one of {', '.join(_OUTPUTS)}")
    stdout, stderr = (
        _detached_logger(f"{process_name}-{source}", wanted)
        for source, wanted in zip(("stdout", "stderr"), _OUTPUTS[output], strict=True)
    )
    for logger in (stdout, stderr):
        setattr(logger, _PROCESS_OUTPUT, True)
    return stdout, stderr


def _detached_logger(name: str, destinations: set[str]) -> logging.Logger:
    """Return a logger at launch's level whose records reach only its own handlers."""
    logger = logging.getLogger(name)
    logger.propagate = False
    logger.setLevel(launch_config.level)
    for destination in destinations:
        logger.addHandler(launch_config.handlers[destination])
    return logger
