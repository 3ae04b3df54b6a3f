"""The methods of every NAOqi module: ping, version, getMethodList, and background calls."""

import contextlib
import threading
from collections.abc import Callable
from concurrent.futures import Future, InvalidStateError
from typing import Any

from rigid_tree_nao.errors import NaoError, unknown_name
from rigid_tree_nao.simulated.robot import Late, SimulatedRobot

VERSION = "2.8.7"  # of the NAOqi whose interface this is
Methods = dict[str, Callable[..., Any]]


class ModuleMethods:
    """The methods, by their names in ``methods``; ``module`` has the module's other ones."""

    def __init__(self, robot: SimulatedRobot, module: Methods) -> None:
        self._robot = robot
        self._module = module
        self._posted: list[Future[Any]] = []  # by id - 1
        self.methods: Methods = {
            "ping": lambda: True,
            "version": lambda: VERSION,
            "getMethodList": lambda: sorted({*module, *self.methods}),
            "post": self._post,
            "wait": self._wait,
            "stop": self._stop,
            "isRunning": lambda number: not self._called(number).done(),
            "getBrokerName": lambda: "simulated_nao",
            "getModuleHelp": lambda: ["", []],
            "getMethodHelp": lambda method: [self._known(method), "", [], "", ""],
            "getUsage": lambda method: f"{self._known(method)}(...)",
            "exit": self._exit,
        }

    def _post(self, method: str, *arguments: Any) -> int:
        function = self._module[self._known(method)]
        if isinstance(function, Late):
            function.load()
        value = function(*arguments)
        if not isinstance(value, Future):
            value = Future()
            value.set_result(None)
        self._posted.append(value)
        return len(self._posted)

    def _known(self, method: str) -> str:
        if method not in self._module:
            raise unknown_name("method", method, self._module)
        return method

    def _exit(self) -> None:
        raise NaoError("not simulated: end the program simulated_nao with Ctrl-C")

    def _called(self, number: int) -> Future[Any]:
        if not 0 < number <= len(self._posted):
            raise NaoError(f"no call has the id {number}")
        return self._posted[number - 1]

    def _wait(self, number: int, milliseconds: int = 0) -> bool | Future[bool]:
        """Return whether the call still runs after a time (0: wait without limit)."""
        called = self._called(number)
        if called.done():
            return False
        over: Future[bool] = Future()
        called.add_done_callback(lambda _: settle(over, False))
        if milliseconds > 0:
            timer = threading.Timer(milliseconds / 1000.0, settle, (over, True))
            timer.daemon = True
            timer.start()
        return over

    def _stop(self, number: int) -> None:
        called = self._called(number)
        self._robot.board.kill(lambda task: task is called)


def settle(call: Future[Any], value: Any = None) -> None:
    """Set the result of a call, unless it has ended meanwhile."""
    with contextlib.suppress(InvalidStateError):
        call.set_result(value)
