"""Logging of launch: to the screen, to ``launch.log`` and to files of single processes."""

from __future__ import annotations

import logging
import os
import socket
import sys
from collections.abc import Iterable, Mapping
from datetime import datetime
from pathlib import Path

_FILE_FORMAT = "{created:.7f} [{levelname}] [{name}]: {msg}"
_SOURCES = ("stdout", "stderr", "both")
_DESTINATIONS = ("screen", "log", "own_log")
_ALIASES: dict[str, dict[str, set[str]]] = {
    "screen": {"both": {"screen"}},
    "log": {"both": {"log"}, "stderr": {"screen"}},
    "both": {"both": {"log", "screen"}},
    "own_log": {"both": {"own_log"}, "stdout": {"own_log"}, "stderr": {"own_log"}},
    "full": {
        "both": {"screen", "log", "own_log"},
        "stdout": {"own_log"},
        "stderr": {"own_log"},
    },
}
_PROCESS_OUTPUT = "launch_process_output"  # marks the loggers of processes' output


class _OutputAwareFormatter(logging.Formatter):
    """Formats launch's own messages one way and the output of processes another."""

    def __init__(self, own: str, output: str) -> None:
        super().__init__(own, style="{")
        self._output = logging.Formatter(output, style="{")

    def format(self, record: logging.LogRecord) -> str:
        if getattr(logging.getLogger(record.name), _PROCESS_OUTPUT, False):
            return self._output.format(record)
        record.msg, record.args = record.getMessage(), None
        return super().format(record)


class _ScreenHandler(logging.StreamHandler):
    """Writes to whatever ``sys.stdout`` is at the time."""

    def __init__(self) -> None:
        super().__init__(sys.stdout)

    def emit(self, record: logging.LogRecord) -> None:
        self.stream = sys.stdout
        super().emit(record)


class LaunchConfig:
    """Where log files go, and from which level on."""

    def __init__(self) -> None:
        """Create the default configuration; the directory is made when first needed."""
        self._log_dir: str | None = None
        self._file_handlers: dict[str, logging.Handler] = {}
        self._screen_handler: logging.Handler | None = None
        self.level = logging.INFO

    @property
    def log_dir(self) -> str:
        """This launch's directory for log files, below ROS_LOG_DIR, ROS_HOME/log or ~/.ros/log."""
        if self._log_dir is None:
            self._log_dir = _make_log_dir()
        return self._log_dir

    @log_dir.setter
    def log_dir(self, new_log_dir: str | None) -> None:
        if new_log_dir is not None and not os.path.isdir(new_log_dir):
            raise ValueError(f"the log directory {new_log_dir} does not exist")
        self._log_dir = new_log_dir

    def get_log_file_path(self, file_name: str = "launch.log") -> str:
        """Return the path of a log file."""
        return os.path.join(self.log_dir, file_name)

    def get_screen_handler(self) -> logging.Handler:
        """Return the handler that writes to the screen."""
        if self._screen_handler is None:
            screen_format = os.environ.get("OVERRIDE_LAUNCH_SCREEN_FORMAT")
            own = (screen_format or "[{levelname}] [{name}]: {msg}").replace(r"\n", "\n")
            self._screen_handler = _ScreenHandler()
            self._screen_handler.setFormatter(_OutputAwareFormatter(own, "{msg}"))
        return self._screen_handler

    def get_log_file_handler(self, file_name: str = "launch.log") -> logging.Handler:
        """Return the handler of a log file; the file is created with its first line."""
        if file_name not in self._file_handlers:
            handler = logging.FileHandler(
                self.get_log_file_path(file_name), encoding="utf-8", delay=True
            )
            handler.setFormatter(_OutputAwareFormatter(_FILE_FORMAT, "{created:.7f} {msg}"))
            self._file_handlers[file_name] = handler
        return self._file_handlers[file_name]


def _make_log_dir() -> str:
    base = os.environ.get("ROS_LOG_DIR") or os.path.join(
        os.environ.get("ROS_HOME") or os.path.join("~", ".ros"), "log"
    )
    stamp = datetime.now().strftime("%Y-%m-%d-%H-%M-%S-%f")
    path = Path(base).expanduser() / f"{stamp}-{socket.gethostname()}-{os.getpid()}"
    path.mkdir(parents=True, exist_ok=True)
    latest = path.parent / "latest"
    try:
        if latest.is_symlink():
            latest.unlink()
        latest.symlink_to(path, target_is_directory=True)
    except OSError:
        pass  # two launches at once, or a real directory of that name: the link is a convenience
    return str(path)


launch_config = LaunchConfig()


def log_launch_config(*, logger: logging.Logger) -> None:
    """Log where log files are found and how verbose the log is."""
    logger.info("All log files can be found below %s", launch_config.log_dir)
    logger.info(
        "Default logging verbosity is set to %s", logging.getLevelName(launch_config.level)
    )


def get_logger(name: str | None = None) -> logging.Logger:
    """Return a logger that writes to the screen and to ``launch.log``."""
    logger = _detached_logger(name or "launch")
    for handler in (launch_config.get_screen_handler(), launch_config.get_log_file_handler()):
        if handler not in logger.handlers:
            logger.addHandler(handler)
    return logger


def get_output_loggers(
    process_name: str, output_config: str | Mapping[str, str | Iterable[str]]
) -> tuple[logging.Logger, logging.Logger]:
    """Return the loggers of a process's stdout and stderr.

    ``output_config`` is 'screen', 'log' (everything to launch.log, stderr to the screen too),
    'both', 'own_log', 'full', or a mapping from 'stdout', 'stderr' or 'both' to one or more of
    'screen', 'log' and 'own_log'.
    """
    destinations = _normalize_output_config(output_config)
    loggers = []
    for source in ("stdout", "stderr"):
        logger = _detached_logger(f"{process_name}-{source}")
        setattr(logger, _PROCESS_OUTPUT, True)
        handlers = []
        wanted = destinations["both"] | destinations[source]
        if "screen" in wanted:
            handlers.append(launch_config.get_screen_handler())
        if "log" in wanted:
            handlers.append(launch_config.get_log_file_handler())
        if "own_log" in destinations[source]:
            handlers.append(_own_log_handler(f"{process_name}-{source}.log"))
        if "own_log" in destinations["both"]:
            handlers.append(_own_log_handler(f"{process_name}.log"))
        for handler in handlers:
            if handler not in logger.handlers:
                logger.addHandler(handler)
        loggers.append(logger)
    return loggers[0], loggers[1]


def _own_log_handler(file_name: str) -> logging.Handler:
    handler = launch_config.get_log_file_handler(file_name)
    handler.setFormatter(logging.Formatter("{msg}", style="{"))
    return handler


def _detached_logger(name: str) -> logging.Logger:
    """Return a logger whose records reach only its own handlers, at launch's level."""
    logger = logging.getLogger(name)
    logger.propagate = False
    logger.setLevel(launch_config.level)
    return logger


def _normalize_output_config(
    config: str | Mapping[str, str | Iterable[str]],
) -> dict[str, set[str]]:
    if isinstance(config, str):
        if config not in _ALIASES:
            raise ValueError(
                f"unknown output configuration '{config}', there are {', '.join(_ALIASES)}"
            )
        config = _ALIASES[config]
    normalized: dict[str, set[str]] = {source: set() for source in _SOURCES}
    for source, wanted in config.items():
        if source not in _SOURCES:
            raise ValueError(f"unknown output source '{source}', there are {', '.join(_SOURCES)}")
        wanted = {wanted} if isinstance(wanted, str) else set(wanted)
        for destination in wanted - set(_DESTINATIONS):
            raise ValueError(
                f"unknown output destination '{destination}', there are {', '.join(_DESTINATIONS)}"
            )
        normalized[source] = wanted
    return normalized
