"""The libqi connection to a real or simulated NAO, with automatic reconnection."""

from __future__ import annotations

import contextlib
import math
import os
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any

from rigid_tree_nao.errors import NaoError, NoRobotConnectionError

CONNECT_PATIENCE = 3.0  # s for one attempt
FIRST_PAUSE, LONGEST_PAUSE = 0.25, 5.0  # s between attempts, doubled each time
WAIT_SLICE = 0.1  # s after which a wait checks whether to continue
SERVICES = ("ALMotion", "ALRobotPosture", "ALMemory")
OPTIONAL = ("ALTextToSpeech", "ALSonar", "ALLeds", "ALAutonomousLife")  # not on every robot


@dataclass(frozen=True)
class ConnectionState:
    """The state of the connection."""

    is_connected: bool
    connections: int  # that were established since the start
    attempts: int  # that failed since the last connection
    last_error: str  # why the last connection or attempt ended


class NaoConnection:
    """A connection that its own thread maintains from ``start`` to ``close``.

    With a ``user`` (NAOqi 2.8 and later) it uses tcps. ``on_change`` is called, in the
    connection's thread, with every new state. Raises NaoError if libqi cannot be loaded.
    """

    def __init__(
        self,
        host: str,
        port: int,
        user: str = "",
        password: str = "",
        on_change: Callable[[ConnectionState], None] = lambda state: None,
    ) -> None:
        self._qi = load_libqi()
        self.url = f"{'tcps' if user else 'tcp'}://{host}:{port}"
        self._user = user
        self._password = password
        self._on_change = on_change
        self._lock = threading.Lock()
        self._session: Any = None
        self._token = object()
        self._services: dict[str, Any] = {}
        self._pending: set[Future[Any]] = set()
        self._lost = threading.Event()
        self._closed = threading.Event()
        self._state = ConnectionState(False, 0, 0, "not yet connected")
        self._thread = threading.Thread(target=self._keep_up, name="robot", daemon=True)

    @property
    def state(self) -> ConnectionState:
        """The current state of the connection."""
        return self._state

    def start(self) -> None:
        """Start to connect, and to reconnect after failures."""
        self._thread.start()

    def close(self) -> None:
        """Close the connection; pending calls fail with NoRobotConnectionError."""
        self._closed.set()
        self._lost.set()
        if self._thread.is_alive():
            self._thread.join(CONNECT_PATIENCE)
        self._drop("it was closed")

    def call(self, service: str, method: str, *arguments: Any) -> Future[Any]:
        """Call a method of the robot; return a Future of its value.

        The Future fails with NaoError and the robot's error message if the robot rejects the call,
        and with NoRobotConnectionError without a connection or if it is lost. Cancelling it does
        not stop the method. Arguments are plain Python values: libqi does not convert NumPy's
        types.
        """
        answer: Future[Any] = Future()
        with self._lock:
            self._pending.add(answer)
        try:
            reply = self._sent(service, method, *arguments)
        except NaoError as error:
            self._settle(answer, error=error)
        else:
            reply.addCallback(lambda done: self._on_reply(answer, done))
        return answer

    def ask(self, service: str, method: str, *arguments: Any, timeout: float) -> Any:
        """Call a method and return its value; see ``ask_all``."""
        return self.ask_all((service, method, *arguments), timeout=timeout)[0]

    def ask_all(self, *calls: tuple[Any, ...], timeout: float) -> list[Any]:
        """Call several (service, method, arguments ...) concurrently; return their values.

        The calling thread waits for libqi, which is cheaper for frequent calls. Raises the errors
        of ``call``, and NoRobotConnectionError if the robot does not answer all of them within
        ``timeout`` (s).
        """
        deadline = time.monotonic() + timeout
        replies = [self._sent(*call) for call in calls]
        values = []
        for reply in replies:
            reply.wait(max(1, math.ceil(1000.0 * (deadline - time.monotonic()))))
            if reply.isRunning():
                raise NoRobotConnectionError(
                    f"the robot at {self.url} did not respond within {timeout:g} s"
                )
            values.append(self._value_of(reply))
        return values

    def give_up(self, reason: str) -> None:
        """Drop the connection to a robot that does not respond, and reconnect.

        ``reason`` becomes part of the errors of pending calls.
        """
        if self._state.is_connected:
            self._state = ConnectionState(True, self._state.connections, 0, reason)
            self._lost.set()

    def _keep_up(self) -> None:
        pause = FIRST_PAUSE
        while not self._closed.is_set():
            self._lost.clear()
            try:
                self._connect()
            except NaoError as error:
                state = self._state
                self._state = ConnectionState(
                    False, state.connections, state.attempts + 1, str(error)
                )
                if state.attempts == 0:
                    self._on_change(self._state)
                self._closed.wait(pause)
                pause = min(2.0 * pause, LONGEST_PAUSE)
                continue
            pause = FIRST_PAUSE
            self._state = ConnectionState(True, self._state.connections + 1, 0, "")
            self._on_change(self._state)
            self._lost.wait()
            reason = self._state.last_error or "the robot closed the connection"
            self._drop(reason)
            if not self._closed.is_set():
                self._state = ConnectionState(False, self._state.connections, 0, reason)
                self._on_change(self._state)

    def _connect(self) -> None:
        """Open a new session. Raises NaoError with the reason if that fails."""
        session = self._qi.Session()
        if self._user:
            session.setClientAuthenticatorFactory(_Authenticator(self._user, self._password))
        self._wait(session.connect(self.url, _async=True), session)
        try:
            found = {n: session.service(n, _async=True) for n in (*SERVICES, *OPTIONAL)}
            for name in SERVICES:
                self._wait(found[name], session)
            services = {name: found[name].value() for name in SERVICES}
            for name in OPTIONAL:
                with contextlib.suppress(NaoError):
                    self._wait(found[name], session)
                    services[name] = found[name].value()
        except NaoError:
            session.close()
            raise
        token = self._token = object()  # of this session, which the signal must not keep alive
        session.disconnected.connect(lambda reason: self._on_disconnected(token))
        with self._lock:
            self._session, self._services = session, services
        if not session.isConnected():  # it was lost before the signal was connected
            self._lost.set()

    def _wait(self, future: Any, session: Any) -> None:
        """Wait for libqi until CONNECT_PATIENCE has passed or the connection is closed."""
        deadline = time.monotonic() + CONNECT_PATIENCE
        while future.isRunning():
            if self._closed.is_set() or time.monotonic() > deadline:
                session.close()
                raise NaoError(f"no answer from {self.url} within {CONNECT_PATIENCE:g} s")
            future.wait(int(WAIT_SLICE * 1000))
        if future.hasError():
            raise NaoError(f"{self.url}: {message_of(future.error())}")

    def _on_disconnected(self, token: object) -> None:
        if token is self._token:
            self._lost.set()

    def _drop(self, reason: str) -> None:
        """Release the session; pending calls fail."""
        with self._lock:
            session, self._session, self._services = self._session, None, {}
            self._token = object()
            pending, self._pending = self._pending, set()
        for answer in pending:
            if not answer.done():
                answer.set_exception(
                    NoRobotConnectionError(f"connection to the robot lost: {reason}")
                )
        if session is not None:
            # close() blocks if the robot is unplugged.
            threading.Thread(target=session.close, daemon=True).start()

    def _sent(self, service: str, method: str, *arguments: Any) -> Any:
        """Send a call; return libqi's future. Raises NaoError if it cannot be sent."""
        with self._lock:
            target = self._services.get(service)
        if target is None:
            reason = self._state.last_error
            if self._state.is_connected and not reason:
                raise NoRobotConnectionError(f"the robot at {self.url} has no {service}")
            suffix = f": {reason}" if reason else ""
            raise NoRobotConnectionError(f"no connection to {service} at {self.url}{suffix}")
        try:
            return getattr(target, method)(*arguments, _async=True)
        except AttributeError:
            raise NaoError(f"{service} of this robot has no method {method}") from None
        except RuntimeError as error:
            raise self._error_of(str(error)) from None

    def _on_reply(self, answer: Future[Any], reply: Any) -> None:
        try:
            self._settle(answer, value=self._value_of(reply))
        except NaoError as error:
            self._settle(answer, error=error)

    def _value_of(self, reply: Any) -> Any:
        """Return the value of libqi's completed future. Raises NaoError if it failed."""
        if reply.hasError():
            raise self._error_of(reply.error())
        if reply.isCanceled():
            raise NoRobotConnectionError("the call was canceled")
        return reply.value()

    def _settle(
        self, answer: Future[Any], value: Any = None, error: Exception | None = None
    ) -> None:
        with self._lock:
            known = answer in self._pending
            self._pending.discard(answer)
        if not known or answer.done():
            return
        if error is not None:
            answer.set_exception(error)
        else:
            answer.set_result(value)

    def _error_of(self, text: str) -> NaoError:
        if not self._services or text in ("Session closed", "Socket is not connected"):
            return NoRobotConnectionError(f"connection to the robot lost: {text}")
        return NaoError(message_of(text))


def message_of(text: str) -> str:
    """Return libqi's error text in one line, without the traceback that it appends."""
    return " ".join(text.split("\n\nAt:\n")[0].removeprefix("RuntimeError: ").split())


class _Authenticator:
    """libqi's source of the user and password, and its factory, for NAOqi 2.8 and later."""

    def __init__(self, user: str, password: str) -> None:
        self._user = user
        self._password = password

    def newAuthenticator(self) -> _Authenticator:  # noqa: N802 - libqi's name
        return self

    def initialAuthData(self) -> dict[str, str]:  # noqa: N802 - libqi's name
        return {"user": self._user, "token": self._password}


def load_libqi() -> Any:
    """Return the module ``qi``.

    Raises NaoError if it is not installed, with instructions, and if this process has loaded coal
    or Pinocchio: they bring another version of Boost, and libqi would crash.
    """
    clash = next((name for name in ("coal", "pinocchio") if name in sys.modules), None)
    if clash and "qi" not in sys.modules:
        raise NaoError(
            f"libqi cannot be loaded after {clash}: their versions of Boost crash in one process; "
            "connect to the robot from a separate process, such as nao_bridge"
        )
    os.environ.setdefault("QI_LOG_LEVEL", "0")  # its log repeats all errors that it raises
    try:
        import qi
    except ImportError as error:
        version = f"{sys.version_info.major}.{sys.version_info.minor}"
        raise NaoError(
            f"the package qi (libqi, NAO's protocol) is not installed for Python {version}: "
            "pip install qi; it exists for Python 3.8 to 3.12 on x86-64 Linux, so for a newer "
            f"Python create the environment with one of these ({error})"
        ) from None
    return qi
