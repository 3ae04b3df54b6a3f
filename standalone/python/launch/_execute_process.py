"""ExecuteProcess: starts, monitors, restarts and terminates a process."""

import asyncio
import contextlib
import itertools
import logging
import os
import shlex
import signal
import traceback
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from ._bases import SomeEntitiesType, SomeSubstitutionsType
from ._process import ProcessGroup
from .action import Action
from .event_handlers import OnProcessExit, OnProcessIO, OnProcessStart, OnShutdown
from .events import Shutdown
from .events.process import (
    ProcessExited,
    ProcessIO,
    ProcessStarted,
    ProcessStderr,
    ProcessStdout,
)
from .launch_context import LaunchContext
from .logging import get_logger, get_output_loggers
from .substitutions import LaunchConfiguration
from .utilities import (
    normalize_to_list_of_substitutions,
    normalize_typed,
    perform,
    perform_substitutions,
    perform_typed,
)

_SIGTERM_TIMEOUT = LaunchConfiguration("sigterm_timeout", default=5)
_SIGKILL_TIMEOUT = LaunchConfiguration("sigkill_timeout", default=5)
_numbers = itertools.count(1)  # "talker-1": numbers all launched processes
Environment = Mapping[SomeSubstitutionsType, SomeSubstitutionsType]


class ExecuteProcess(Action):
    """Runs a command on this machine and emits events about it.

    ``prefix`` is a command line before the command, such as a debugger's. ``env`` replaces the
    environment, ``additional_env`` extends it. ``output`` is 'screen', 'log' (launch.log, and
    stderr on the screen) or 'both'; the environment variable OVERRIDE_LAUNCH_PROCESS_OUTPUT
    takes precedence. The process is terminated by SIGINT, after ``sigterm_timeout`` seconds by
    SIGTERM, and after ``sigkill_timeout`` more seconds by SIGKILL. A respawned process starts
    ``respawn_delay`` seconds after its exit.

    ``process_details`` has action, name, cmd, cwd, env and (once started) pid; None before
    execution.
    """

    def __init__(  # noqa: PLR0913 (ROS 2's own arguments)
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
        super().__init__(**kwargs)
        self._cmd = [normalize_to_list_of_substitutions(word) for word in cmd]
        self.__prefix = prefix
        self.__name = name
        self.__cwd = cwd
        self.__env = env
        self.__additional_env = additional_env or {}
        self.__options = {"shell": shell, "emulate_tty": emulate_tty}
        self.__timeouts = sigterm_timeout, sigkill_timeout
        self.__output = os.environ.get("OVERRIDE_LAUNCH_PROCESS_OUTPUT", output)
        self.__on_exit = on_exit
        self.__respawn = normalize_typed(respawn, bool)
        self.__respawn_delay = respawn_delay

        self.process_details: dict[str, Any] | None = None
        self.__process: ProcessGroup | None = None
        self.__timers: list[asyncio.TimerHandle] = []
        self.__completed: asyncio.Future[None] | None = None
        self.__ending = asyncio.Event()  # set once the termination has started
        self.__lines = {1: "", 2: ""}  # incomplete lines by file descriptor
        self.__output_loggers: dict[int, logging.Logger] = {}

    @property
    def return_code(self) -> int | None:
        """The exit code (negative: a signal's number), None before the exit."""
        return None if self.__process is None else self.__process.returncode

    @property
    def __details(self) -> dict[str, Any]:
        assert self.process_details is not None, "the action has not been executed"
        return self.process_details

    def get_sub_entities(self) -> list[Any]:
        """Return the actions at the process's exit, if given as a list."""
        return self.__on_exit if isinstance(self.__on_exit, list) else []

    def get_asyncio_future(self) -> asyncio.Future[Any] | None:
        """Return the future that is done when the process has exited and is not respawned."""
        return self.__completed

    def execute(self, context: LaunchContext) -> Any:
        """Start the process, unless the launch is being shut down."""
        if self.__completed is not None:
            raise RuntimeError(
                f"process action '{self.__details['name']}' cannot be executed again: {self!r}"
            )
        self.process_details = self.__perform(context)
        if context.is_shutdown:
            return
        loop = context.asyncio_loop
        assert loop is not None, "actions are executed by a running launch service"
        loggers = get_output_loggers(self.__details["name"], perform(context, self.__output))
        self.__output_loggers = dict(enumerate(loggers, start=1))
        for event_handler in (
            OnProcessIO(
                target_action=self, on_stdout=self.__on_output, on_stderr=self.__on_output
            ),
            OnShutdown(on_shutdown=self.__end),
            OnProcessExit(target_action=self, on_exit=self.__on_exit),
            OnProcessExit(target_action=self, on_exit=self.__flush_output),
        ):
            context.register_event_handler(event_handler)
        self.__completed = loop.create_future()
        # The reference in the context keeps the task from being collected while it runs.
        context.add_completion_future(loop.create_task(self.__run(context)))

    def __perform(self, context: LaunchContext) -> dict[str, Any]:
        cmd = shlex.split(perform(context, self.__prefix))
        cmd += [perform_substitutions(context, word) for word in self._cmd]
        name = os.path.basename(cmd[0]) if self.__name is None else perform(context, self.__name)
        env = dict(context.environment) if self.__env is None else {}
        for key, value in (*(self.__env or {}).items(), *self.__additional_env.items()):
            env[perform(context, key)] = perform(context, value)
        self.__respawn = perform_typed(context, self.__respawn, bool)
        return {
            "action": self,
            "name": f"{name}-{next(_numbers)}",
            "cmd": cmd,
            "cwd": None if self.__cwd is None else perform(context, self.__cwd),
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
                on_output=on_output,
                **self.__options,
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
        if not self.__respawn or context.is_shutdown:
            return False
        with contextlib.suppress(asyncio.TimeoutError):
            await asyncio.wait_for(self.__ending.wait(), self.__respawn_delay or 0.0)
        return not self.__ending.is_set()

    # Termination.

    def __end(self, event: Shutdown | ProcessStarted, context: LaunchContext) -> None:
        """Send SIGINT, and set the timers of the following signals."""
        assert self.__completed is not None
        if self.__ending.is_set() or self.__completed.done():
            return
        if self.__process is None:  # it is starting: terminate it afterwards
            context.register_event_handler(
                OnProcessStart(target_action=self, on_start=self.__end, handle_once=True)
            )
            return
        self.__ending.set()
        self.__signal(signal.SIGINT)
        loop = asyncio.get_running_loop()
        delay, last = 0.0, signal.SIGINT
        for timeout, following in zip(
            self.__timeouts, (signal.SIGTERM, signal.SIGKILL), strict=True
        ):
            delay += float(perform(context, timeout))
            self.__timers.append(loop.call_later(delay, self.__escalate, delay, last, following))
            last = following

    def __escalate(self, seconds: float, last: signal.Signals, following: signal.Signals) -> None:
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
        assert self.__process is not None
        if self.__process.returncode is not None:
            return
        name = self.__details["name"]
        get_logger(name).info("sending signal '%s' to process[%s]", signal_number.name, name)
        self.__process.send_signal(signal_number)

    # Output.

    def __on_output(self, event: ProcessIO) -> None:
        fd = 1 if event.from_stdout else 2
        text = self.__lines[fd] + event.text.decode(errors="replace")
        *lines, self.__lines[fd] = text.split("\n")
        for line in lines:
            self.__log_line(fd, line)

    def __flush_output(self, event: ProcessExited, context: LaunchContext) -> None:
        for fd, line in self.__lines.items():
            if line:
                self.__log_line(fd, line)
            self.__lines[fd] = ""

    def __log_line(self, fd: int, line: str) -> None:
        self.__output_loggers[fd].info(f"[{self.__details['name']}] {line}")
