"""ExecuteLocal: runs a process, watches it, restarts it and ends it."""

from __future__ import annotations

import asyncio
import io
import logging
import os
import signal
import traceback
from collections.abc import Callable, Mapping
from typing import Any

from .._process import ProcessGroup
from ..action import Action
from ..conditions import evaluate_condition_expression
from ..descriptions import Executable
from ..event_handler import BaseEventHandler, EventHandler
from ..event_handlers import OnProcessExit, OnProcessIO, OnProcessStart, OnShutdown
from ..events import Shutdown
from ..events.process import (
    ProcessExited,
    ProcessIO,
    ProcessStarted,
    ProcessStderr,
    ProcessStdout,
    ShutdownProcess,
    SignalProcess,
)
from ..launch_context import LaunchContext
from ..logging import get_logger, get_output_loggers
from ..some_entities_type import SomeEntitiesType
from ..some_substitutions_type import SomeSubstitutionsType
from ..substitution import Substitution
from ..substitutions import LaunchConfiguration
from ..utilities import normalize_to_list_of_substitutions, perform_substitutions
from ..utilities.type_utils import normalize_typed_substitution, perform_typed_substitution
from .opaque_function import OpaqueFunction

_SIGTERM_TIMEOUT = LaunchConfiguration("sigterm_timeout", default=5)
_SIGKILL_TIMEOUT = LaunchConfiguration("sigkill_timeout", default=5)
OutputConfig = SomeSubstitutionsType | Mapping[str, Any]


class ExecuteLocal(Action):
    """Runs an executable on this machine and emits events about it."""

    def __init__(
        self,
        *,
        process_description: Executable,
        shell: bool = False,
        sigterm_timeout: SomeSubstitutionsType = _SIGTERM_TIMEOUT,
        sigkill_timeout: SomeSubstitutionsType = _SIGKILL_TIMEOUT,
        emulate_tty: bool = False,
        output: OutputConfig = "log",
        output_format: str = "[{this.process_description.final_name}] {line}",
        cached_output: bool = False,
        log_cmd: bool = False,
        on_exit: SomeEntitiesType | Callable[[ProcessExited, LaunchContext], Any] | None = None,
        respawn: bool | SomeSubstitutionsType = False,
        respawn_delay: float | None = None,
        respawn_max_retries: int = -1,
        **kwargs: Any,
    ) -> None:
        """Create the action.

        To end the process, SIGINT is sent; after ``sigterm_timeout`` seconds SIGTERM, and after
        ``sigkill_timeout`` more seconds SIGKILL. ``output`` is as in
        ``launch.logging.get_output_loggers``, and the environment variable
        OVERRIDE_LAUNCH_PROCESS_OUTPUT goes before it. ``cached_output`` keeps the output for
        ``get_stdout`` and ``get_stderr``. A respawned process is started again ``respawn_delay``
        seconds after its end, at most ``respawn_max_retries`` times (negative: without limit).
        """
        super().__init__(**kwargs)
        self.__process_description = process_description
        self.__shell = shell
        self.__sigterm_timeout = normalize_to_list_of_substitutions(sigterm_timeout)
        self.__sigkill_timeout = normalize_to_list_of_substitutions(sigkill_timeout)
        self.__emulate_tty = emulate_tty
        output = os.environ.get("OVERRIDE_LAUNCH_PROCESS_OUTPUT", output)
        self.__output: Mapping[str, Any] | list[Substitution] = (
            output if isinstance(output, Mapping) else normalize_to_list_of_substitutions(output)
        )
        self.__output_format = output_format
        self.__cached_output = cached_output
        self.__log_cmd = log_cmd
        self.__on_exit = on_exit
        self.__respawn = normalize_typed_substitution(respawn, bool)
        self.__respawn_delay = respawn_delay
        self.__respawns_left = respawn_max_retries  # negative: without limit

        self.__details: dict[str, Any] | None = None
        self.__process: ProcessGroup | None = None
        self.__timers: list[asyncio.TimerHandle] = []
        self.__completed: asyncio.Future[None] | None = None
        self.__ending: asyncio.Future[None] | None = None  # done once the process is asked to end
        self.__lines = {1: "", 2: ""}  # by file descriptor: the line not yet complete
        self.__cache = {1: io.StringIO(), 2: io.StringIO()}
        self.__output_loggers: dict[int, logging.Logger] = {}

    @property
    def process_description(self) -> Executable:
        """What is run."""
        return self.__process_description

    @property
    def shell(self) -> bool:
        """Whether the command is given to a shell."""
        return self.__shell

    @property
    def emulate_tty(self) -> bool:
        """Whether the process writes to a pseudo-terminal."""
        return self.__emulate_tty

    @property
    def sigterm_timeout(self) -> list[Substitution]:
        """The seconds from SIGINT to SIGTERM."""
        return self.__sigterm_timeout

    @property
    def sigkill_timeout(self) -> list[Substitution]:
        """The seconds from SIGTERM to SIGKILL."""
        return self.__sigkill_timeout

    @property
    def output(self) -> Mapping[str, Any] | list[Substitution]:
        """Where the output goes."""
        return self.__output

    @property
    def process_details(self) -> dict[str, Any] | None:
        """action, name, cmd, cwd, env and (once started) pid; None before execution."""
        return self.__details

    @property
    def return_code(self) -> int | None:
        """The exit code, minus a signal's number, or None while there is none."""
        return None if self.__process is None else self.__process.returncode

    def get_stdout(self) -> str:
        """Return what was written to stdout; needs ``cached_output=True``."""
        return self.__cached(1)

    def get_stderr(self) -> str:
        """Return what was written to stderr; needs ``cached_output=True``."""
        return self.__cached(2)

    def __cached(self, fd: int) -> str:
        if not self.__cached_output:
            raise RuntimeError(
                f"process '{self.__process_description.final_name}': its output is not kept, "
                "create the action with cached_output=True"
            )
        return self.__cache[fd].getvalue()

    def get_sub_entities(self) -> list[Any]:
        """Return the actions done at the process's end, if given as a list."""
        return self.__on_exit if isinstance(self.__on_exit, list) else []

    def get_asyncio_future(self) -> asyncio.Future | None:
        """Return the future that is done when the process has ended for good."""
        return self.__completed

    def prepare(self, context: LaunchContext) -> None:
        """Perform the substitutions."""
        description = self.__process_description
        description.prepare(context, self)
        self.__details = {
            "action": self,
            "name": description.final_name,
            "cmd": description.final_cmd,
            "cwd": description.final_cwd,
            "env": description.final_env,
        }
        self.__respawn = perform_typed_substitution(context, self.__respawn, bool)

    def execute(self, context: LaunchContext) -> Any:
        """Start the process, unless the launch is being shut down."""
        self.prepare(context)
        assert self.__details is not None
        name = self.__details["name"]
        if self.__completed is not None:
            raise RuntimeError(
                f"process action '{name}' cannot be executed again: {self.describe()}"
            )
        if context.is_shutdown:
            return None
        loop = context.asyncio_loop
        assert loop is not None, "actions are executed by a running launch service"
        output = (
            self.__output
            if isinstance(self.__output, Mapping)
            else perform_substitutions(context, self.__output)
        )
        self.__output_loggers = dict(enumerate(get_output_loggers(name, output), start=1))
        for event_handler in self.__event_handlers():
            context.register_event_handler(event_handler)
        self.__completed = loop.create_future()
        self.__ending = loop.create_future()
        # The reference in the context keeps the task from being collected while it runs.
        context.add_completion_future(loop.create_task(self.__run(context)))
        return None

    def __event_handlers(self) -> list[BaseEventHandler]:
        return [
            EventHandler(
                matcher=lambda e: isinstance(e, ShutdownProcess) and e.process_matcher(self),
                entities=[OpaqueFunction(function=self.__end)],
            ),
            EventHandler(
                matcher=lambda e: isinstance(e, SignalProcess) and e.process_matcher(self),
                entities=[OpaqueFunction(function=self.__on_signal_event)],
            ),
            OnProcessIO(
                target_action=self, on_stdout=self.__on_output, on_stderr=self.__on_output
            ),
            OnShutdown(on_shutdown=self.__on_shutdown),
            OnProcessExit(target_action=self, on_exit=self.__on_exit),
            OnProcessExit(target_action=self, on_exit=self.__flush_output),
        ]

    # The life of the process.

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
        """Run the process to its end; return whether it could be started."""
        details = self.__details
        assert details is not None
        logger = get_logger(details["name"])
        cmd_text = " ".join(part for part in details["cmd"] if part.strip())
        if self.__log_cmd:
            logger.info("process details: cmd='%s', cwd='%s'", cmd_text, details["cwd"])

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
                emulate_tty=self.__wants_tty(context),
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
                cmd_text,
            )
        context.emit_event_sync(ProcessExited(returncode=returncode, **details))
        if not process.is_alive():  # else children are left, which the launch service ends
            process.close()
            context._process_groups.remove(process)
        return True

    def __wants_tty(self, context: LaunchContext) -> bool:
        if "emulate_tty" not in context.launch_configurations:
            return self.__emulate_tty
        setting = context.launch_configurations["emulate_tty"]
        return evaluate_condition_expression(context, normalize_to_list_of_substitutions(setting))

    async def __may_respawn(self, context: LaunchContext) -> bool:
        assert self.__ending is not None
        if not self.__respawn or self.__respawns_left == 0 or context.is_shutdown:
            return False
        self.__respawns_left -= 1
        if self.__respawn_delay is not None and self.__respawn_delay > 0.0:
            await asyncio.wait([self.__ending], timeout=self.__respawn_delay)
        return not self.__ending.done()

    # Its end.

    def __on_shutdown(self, event: Shutdown, context: LaunchContext) -> None:
        self.__end(context)

    def __end(self, context: LaunchContext) -> None:
        """Send SIGINT now, and set the timers for what follows if that does not help."""
        assert self.__ending is not None
        assert self.__completed is not None
        if self.__ending.done() or self.__completed.done():
            return
        if self.__process is None:  # it is about to start: end it as soon as it has
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

    def __on_signal_event(self, context: LaunchContext) -> None:
        if self.__process is None:
            raise RuntimeError("a signal was sent to a process that is not started yet")
        self.__signal(signal.Signals[context.locals.event.signal_name])

    def __signal(self, signal_number: signal.Signals) -> None:
        assert self.__details is not None
        assert self.__process is not None
        if self.__process.returncode is not None:
            return
        name = self.__details["name"]
        get_logger(name).info("sending signal '%s' to process[%s]", signal_number.name, name)
        self.__process.send_signal(signal_number)

    # Its output.

    def __on_output(self, event: ProcessIO) -> None:
        fd = 1 if event.from_stdout else 2
        text = event.text.decode(errors="replace")
        if self.__cached_output:
            self.__cache[fd].write(text)
        *lines, self.__lines[fd] = (self.__lines[fd] + text).split("\n")
        for line in lines:
            self.__log_line(fd, line)

    def __flush_output(self, event: ProcessExited, context: LaunchContext) -> None:
        for fd, line in self.__lines.items():
            if line:
                self.__log_line(fd, line)
            self.__lines[fd] = ""

    def __log_line(self, fd: int, line: str) -> None:
        self.__output_loggers[fd].info(self.__output_format.format(line=line, this=self))
