"""The simulated robot on the network: ALMotion, ALMemory and other services over libqi.

python -m rigid_tree_nao.simulated.server --port 9559
"""

import argparse
import os
import signal
import sys
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

from rigid_tree_kinematics.errors import RigidTreeError
from rigid_tree_nao.model import BODY_TYPES, VERSIONS
from rigid_tree_nao.robot import load_libqi
from rigid_tree_nao.simulated import methods
from rigid_tree_nao.simulated.absent import rejections
from rigid_tree_nao.simulated.memory import Memory
from rigid_tree_nao.simulated.other_services import other_services
from rigid_tree_nao.simulated.robot import Late, SimulatedRobot

Methods = dict[str, Callable[..., Any]]
LONGEST_LOOKUP = 2000  # ms, to find a client's module: a suspended client must not delay events

# Errors of methods for arguments of a wrong type.
UNFIT = (TypeError, ValueError, LookupError, AttributeError, ArithmeticError)


def services_of(robot: SimulatedRobot, memory: Memory) -> dict[str, Methods]:
    """Return service -> method -> function, by NAOqi's names; blocking methods return Futures."""
    walk = methods.WalkMethods(robot)
    cartesian = methods.CartesianMethods(robot)
    services: dict[str, Methods] = {
        "ALMotion": {
            **methods.JointMethods(robot).methods,
            **walk.methods,
            **cartesian.methods,
            **methods.WholeBodyMethods(robot, cartesian).methods,
            **methods.GeneralMethods(robot, walk.stop).methods,
        },
        "ALRobotPosture": methods.PostureMethods(robot, walk.stop).methods,
        "ALMemory": memory.methods,
        **other_services(memory),
    }
    return {name: {**rejections(name), **own} for name, own in services.items()}


def libqi_service(qi: Any, robot: SimulatedRobot, name: str, functions: Methods) -> Any:
    """Return an object whose methods libqi serves; Futures do not occupy threads."""

    def served(method: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def call(self: Any, *arguments: Any) -> Any:
            promise = qi.Promise()

            def fail(error: BaseException) -> None:
                is_ours = isinstance(error, RigidTreeError)
                reason = error if is_ours else f"cannot be called with {arguments}"
                promise.setError(f"{name}::{method}\n\t{reason}")

            def settle(done: Future[Any]) -> None:
                error = done.exception()
                if error is None:
                    promise.setValue(done.result())
                else:
                    fail(error)

            try:
                if isinstance(function, Late):
                    function.load()
                with robot.lock:
                    value = function(*arguments)
                    if not isinstance(value, Future):
                        return value
                    value.add_done_callback(settle)
            except (RigidTreeError, *UNFIT) as error:
                fail(error)
            finally:
                if name != "ALMemory":  # it moves nothing, and is read all the time
                    robot.called.set()
            return promise.future()

        call.__name__ = method
        return call

    members = {method: served(method, function) for method, function in functions.items()}
    # Stop calls must get through during other calls.
    return qi.multiThreaded()(type(name, (), members))()


def networked_memory(qi: Any, session: Any, robot: SimulatedRobot) -> Memory:
    """Return the robot's ALMemory, whose events reach clients through libqi, in their order."""
    events = ThreadPoolExecutor(1, thread_name_prefix="events")
    subscribers: dict[str, Any] = {}

    def call_module(module: str, method: str, event: str, value: Any, message: str) -> None:
        try:
            call = getattr(session.service(module, _async=True).value(LONGEST_LOOKUP), method)
        except (RuntimeError, AttributeError) as error:
            with robot.lock:
                memory.events.unsubscribe(event, module)
            reason = " ".join(str(error).split())
            print(f"ALMemory: {event} ends for {module}.{method}: {reason}", flush=True)
            return
        # Callbacks have two or three arguments; libqi rejects a wrong number.
        done = call(event, value, message, _async=True)
        done.addCallback(lambda done: done.hasError() and call(event, value, _async=True))

    def subscriber(event: str) -> Any:
        """Return the object whose ``signal`` is the event; all subscribers share it."""
        if event not in subscribers:
            subscribers[event] = type("Subscriber", (), {})()
            subscribers[event].signal = qi.Signal("(m)")
        memory.events.declare(event)
        memory.listen(event, "", subscribers[event].signal)
        return subscribers[event]

    memory = Memory(robot, events.submit, call_module)
    memory.methods["subscriber"] = subscriber
    return memory


def serve(qi: Any, session: Any, robot: SimulatedRobot, url: str) -> None:
    """Register all services and start the robot; then clients can connect to ``url``.

    libqi registers services only in a session that listens already: first on a free port, so that
    every client of ``url`` finds all services.
    """
    session.listenStandalone("tcp://127.0.0.1:0")
    memory = networked_memory(qi, session, robot)
    for name, own in services_of(robot, memory).items():
        every = {**methods.ModuleMethods(robot, own).methods, **own}
        session.registerService(name, libqi_service(qi, robot, name, every))
    robot.start()
    session.listen(url)


def main(arguments: Sequence[str] | None = None) -> int:
    """Serve until Ctrl-C or SIGTERM; return the exit code."""
    parser = argparse.ArgumentParser(prog="simulated_nao", description="A simulated NAO.")
    parser.add_argument(
        "--port", type=int, default=9559, help="on the loopback interface; 0: a free one"
    )
    parser.add_argument("--version", default="V6", choices=sorted(VERSIONS))
    parser.add_argument("--body-type", default="H25", choices=BODY_TYPES)
    options = parser.parse_args(arguments)
    ended = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: ended.set())
    os.environ.setdefault("QI_EVENTLOOP_THREAD_COUNT", "2")
    try:
        qi = load_libqi()
        robot = SimulatedRobot(options.version, options.body_type)
        session = qi.Session()
        serve(qi, session, robot, f"tcp://127.0.0.1:{options.port}")
    except (RigidTreeError, RuntimeError) as error:
        print(f"simulated_nao: {' '.join(str(error).split())}", file=sys.stderr, flush=True)
        return 1
    print(
        f"simulated NAO {options.version} {options.body_type} at {session.endpoints()[-1]}",
        flush=True,
    )
    ended.wait()
    session.close()
    return 0


def run() -> None:
    """Run as a process of its own.

    libqi's threads would outlive the interpreter and end the process by a signal.
    """
    code = main()
    sys.stdout.flush()
    os._exit(code)


if __name__ == "__main__":
    run()
