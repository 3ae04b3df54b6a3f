"""ExecuteProcess: starts, monitors, restarts and terminates a process."""

from __future__ import annotations

import asyncio
import itertools
import logging
import os
import shlex
import signal
import traceback
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from .._process import ProcessGroup
from ..action import Action
from ..event_handlers import OnProcessExit, OnProcessIO, OnProcessStart, OnShutdown
from ..events import Shutdown
from ..events.process import (
    ProcessExited,
    ProcessIO,
    ProcessStarted,
    ProcessStderr,
    ProcessStdout,
)
from ..launch_context import LaunchContext
from ..logging import get_logger, get_output_loggers
from ..some_entities_type import SomeEntitiesType
from ..some_substitutions_type import SomeSubstitutionsType
from ..substitution import Substitution
from ..substitutions import LaunchConfiguration
from ..utilities import normalize_to_list_of_substitutions, perform_substitutions
from ..utilities.type_utils import normalize_typed_substitution, perform_typed_substitution

_SIGTERM_TIMEOUT = LaunchConfiguration("sigterm_timeout", default=5)
_SIGKILL_TIMEOUT = LaunchConfiguration("sigkill_timeout", default=5)
_numbers = itertools.count(1)  # "talker-1": numbers all launched processes
Environment = Mapping[SomeSubstitutionsType, SomeSubstitutionsType]


class ExecuteProcess(Action):
    """Runs a command on this machine and emits events about it."""

    def __init__(  # the signature of the real class  # noqa: PLR0913 (ROS 2's own arguments)
        self,
        *,
        cmd: Iterable[SomeSubstitutionsType],
        prefix: SomeSubstitutionsType = "",
        name: SomeSubstitutionsType | None = None,
        cwd: SomeSubstitutionsType | None = None,
        env: Environment | None = None,
        additional_env: Environment | None = None,
        shell: bool = False,
        sigterm_timeout: SomeSubstitutionsType = _SIGTERM_TIMEOUT,
        sigkill_timeout: SomeSubstitutionsType = _SIGKILL_TIMEOUT,
        emulate_tty: bool = False,
        output: SomeSubstitutionsType = "log",
        on_exit: SomeEntitiesType | Callable[[ProcessExited, LaunchContext], Any] | None = None,
        respawn: bool | SomeSubstitutionsType = False,
        respawn_delay: float | None = None,
        **kwargs: Any,
    ) -> None:
        """Create the action.

        ``prefix`` is a command line before the command, such as a debugger's. ``env`` replaces the
        environment, ``additional_env`` extends it. ``output`` is 'screen', 'log' (launch.log, and
        stderr on the screen) or 'both'; the environment variable OVERRIDE_LAUNCH_PROCESS_OUTPUT
        takes precedence. The process is terminated by SIGINT, after ``sigterm_timeout`` seconds by
        SIGTERM, and after ``sigkill_timeout`` more seconds by SIGKILL. A respawned process starts
        ``respawn_delay`` seconds after its exit.
        """
        super().__init__(**kwargs)
        self._cmd = [normalize_to_list_of_substitutions(word) for word in cmd]
        self.__prefix = normalize_to_list_of_substitutions(prefix)
        self.__name = None if name is None else normalize_to_list_of_substitutions(name)
        self.__cwd = None if cwd is None else normalize_to_list_of_substitutions(cwd)
        self.__env = None if env is None else _pairs(env)
        self.__additional_env = _pairs(additional_env or {})
        self.__shell = shell
        self.__sigterm_timeout = normalize_to_list_of_substitutions(sigterm_timeout)
        self.__sigkill_timeout = normalize_to_list_of_substitutions(sigkill_timeout)
        self.__emulate_tty = emulate_tty
        self.__output = normalize_to_list_of_substitutions(
            os.environ.get("OVERRIDE_LAUNCH_PROCESS_OUTPUT", output)
        )
        self.__on_exit = on_exit
        self.__respawn = normalize_typed_substitution(respawn, bool)
        self.__respawn_delay = respawn_delay

        self.__details: dict[str, Any] | None = None
        self.__process: ProcessGroup | None = None
        self.__timers: list[asyncio.TimerHandle] = []
        self.__completed: asyncio.Future[None] | None = None
        self.__ending: asyncio.Future[None] | None = None  # done once the termination has started
        self.__lines = {1: "", 2: ""}  # incomplete lines by file descriptor
        self.__output_loggers: dict[int, logging.Logger] = {}

    @property
    def process_details(self) -> dict[str, Any] | None:
        """action, name, cmd, cwd, env and (once started) pid; None before execution."""
        return self.__details

    @property
    def return_code(self) -> int | None:
        """The exit code (negative: a signal's number), None before the exit."""
        return None if self.__process is None else self.__process.returncode

    def get_sub_entities(self) -> list[Any]:
        """Return the actions at the process's exit, if given as a list."""
        return self.__on_exit if isinstance(self.__on_exit, list) else []

    def get_asyncio_future(self) -> asyncio.Future | None:
        """Return the future that is done when the process has exited and is not respawned."""
        return self.__completed

    def execute(self, context: LaunchContext) -> Any:
        """Start the process, unless the launch is being shut down."""
        if self.__completed is not None:
            assert self.__details is not None
            raise RuntimeError(
                f"process action '{self.__details['name']}' cannot be executed again: {self!r}"
            )
        self.__details = self.__perform(context)
        if context.is_shutdown:
            return None
        loop = context.asyncio_loop
        assert loop is not None, "actions are executed by a running launch service"
        output = perform_substitutions(context, self.__output)
        loggers = get_output_loggers(self.__details["name"], output)
        self.__output_loggers = dict(enumerate(loggers, start=1))
        for event_handler in (
            OnProcessIO(
                target_action=self, on_stdout=self.__on_output, on_stderr=self.__on_output
            ),
            OnShutdown(on_shutdown=self.__on_shutdown),
            OnProcessExit(target_action=self, on_exit=self.__on_exit),
            OnProcessExit(target_action=self, on_exit=self.__flush_output),
        ):
            context.register_event_handler(event_handler)
        self.__completed = loop.create_future()
        self.__ending = loop.create_future()
        # The reference in the context keeps the task from being collected while it runs.
        context.add_completion_future(loop.create_task(self.__run(context)))
        return None

    def __perform(self, context: LaunchContext) -> dict[str, Any]:
        cmd = shlex.split(perform_substitutions(context, self.__prefix))
        cmd += [perform_substitutions(context, word) for word in self._cmd]
        name = (
            os.path.basename(cmd[0])
            if self.__name is None
            else perform_substitutions(context, self.__name)
        )
        env = dict(context.environment) if self.__env is None else {}
        for key, value in (*(self.__env or ()), *self.__additional_env):
            env[perform_substitutions(context, key)] = perform_substitutions(context, value)
        self.__respawn = perform_typed_substitution(context, self.__respawn, bool)
        return {
            "action": self,
            "name": f"{name}-{next(_numbers)}",
            "cmd": cmd,
            "cwd": None if self.__cwd is None else perform_substitutions(context, self.__cwd),
            "env": env,
        }

    # Running.

    async def __run(self, context: LaunchContext) -> None:
        assert self.__completed is not None
        try:
            while await self.__run_once(context) and await self.__may_respawn(context):
                pass
        finally:
            for timer in self.__timers:
                timer.cancel()
            self.__completed.set_result(None)

    async def __run_once(self, context: LaunchContext) -> bool:
        """Run the process until it exits; return whether it was started."""
        details = self.__details
        assert details is not None
        logger = get_logger(details["name"])

        def on_output(fd: int, data: bytes) -> None:
            event_class = ProcessStdout if fd == 1 else ProcessStderr
            context.emit_event_sync(event_class(text=data, **details))

        self.__process = None
        try:
            process = await ProcessGroup.start(
                details["cmd"],
                cwd=details["cwd"],
                env=details["env"],
                shell=self.__shell,
                emulate_tty=self.__emulate_tty,
                on_output=on_output,
            )
        except Exception:
            logger.error("exception occurred while executing process:\n%s", traceback.format_exc())
            return False
        self.__process = process
        context._process_groups.append(process)
        details["pid"] = process.pid
        logger.info("process started with pid [%d]", process.pid)
        context.emit_event_sync(ProcessStarted(**details))
        returncode = await process.wait()
        if returncode == 0:
            logger.info("process has finished cleanly [pid %d]", process.pid)
        else:
            logger.error(
                "process has died [pid %d, exit code %d, cmd '%s'].",
                process.pid,
                returncode,
                " ".join(part for part in details["cmd"] if part.strip()),
            )
        context.emit_event_sync(ProcessExited(returncode=returncode, **details))
        if not process.is_alive():  # else the launch service terminates its children
            process.close()
            context._process_groups.remove(process)
        return True

    async def __may_respawn(self, context: LaunchContext) -> bool:
        assert self.__ending is not None
        if not self.__respawn or context.is_shutdown:
            return False
        if self.__respawn_delay is not None and self.__respawn_delay > 0.0:
            await asyncio.wait([self.__ending], timeout=self.__respawn_delay)
        return not self.__ending.done()

    # Termination.

    def __on_shutdown(self, event: Shutdown, context: LaunchContext) -> None:
        self.__end(context)

    def __end(self, context: LaunchContext) -> None:
        """Send SIGINT, and set the timers of the following signals."""
        assert self.__ending is not None
        assert self.__completed is not None
        if self.__ending.done() or self.__completed.done():
            return
        if self.__process is None:  # it is starting: terminate it afterwards
            context.register_event_handler(
                OnProcessStart(
                    target_action=self,
                    on_start=lambda _event, context: self.__end(context),
                    handle_once=True,
                )
            )
            return
        self.__ending.set_result(None)
        self.__signal(signal.SIGINT)
        loop = asyncio.get_running_loop()
        to_sigterm = float(perform_substitutions(context, self.__sigterm_timeout))
        to_sigkill = to_sigterm + float(perform_substitutions(context, self.__sigkill_timeout))
        for seconds, last, following in (
            (to_sigterm, signal.SIGINT, signal.SIGTERM),
            (to_sigkill, signal.SIGTERM, signal.SIGKILL),
        ):
            self.__timers.append(
                loop.call_later(seconds, self.__escalate, seconds, last, following)
            )

    def __escalate(self, seconds: float, last: signal.Signals, following: signal.Signals) -> None:
        assert self.__details is not None
        name = self.__details["name"]
        get_logger(name).error(
            "process[%s] failed to terminate '%g' seconds after receiving '%s', "
            "escalating to '%s'",
            name,
            seconds,
            last.name,
            following.name,
        )
        self.__signal(following)

    def __signal(self, signal_number: signal.Signals) -> None:
        assert self.__details is not None
        assert self.__process is not None
        if self.__process.returncode is not None:
            return
        name = self.__details["name"]
        get_logger(name).info("sending signal '%s' to process[%s]", signal_number.name, name)
        self.__process.send_signal(signal_number)

    # Output.

    def __on_output(self, event: ProcessIO) -> None:
        fd = 1 if event.from_stdout else 2
        *lines, self.__lines[fd] = (self.__lines[fd] + event.text.decode(errors="replace")).split(
            "\n"
        )
        for line in lines:
            self.__log_line(fd, line)

    def __flush_output(self, event: ProcessExited, context: LaunchContext) -> None:
        for fd, line in self.__lines.items():
            if line:
                self.__log_line(fd, line)
            self.__lines[fd] = ""

    def __log_line(self, fd: int, line: str) -> None:
        assert self.__details is not None
        self.__output_loggers[fd].info(f"[{self.__details['name']}] {line}")


def _pairs(env: Environment) -> list[tuple[list[Substitution], list[Substitution]]]:
    return [
        (normalize_to_list_of_substitutions(key), normalize_to_list_of_substitutions(value))
        for key, value in env.items()
    ]
