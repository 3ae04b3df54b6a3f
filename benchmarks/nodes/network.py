"""Shared by the benchmarks of nodes: processes, their cost, and a client node."""

import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from importlib.metadata import entry_points
from typing import Any

import psutil
import rclpy
from rclpy.executors import SingleThreadedExecutor
from tf2_msgs.msg import TFMessage

DOMAIN = 87
SIMULATED_NAO = "simulated_nao"
PATIENCE = 60.0  # s


class Asker:
    """A client node that spins while it waits."""

    def __init__(self, name: str) -> None:
        self.node = rclpy.create_node(name)
        self.executor = SingleThreadedExecutor()
        self.executor.add_node(self.node)
        self._clients: dict[str, Any] = {}

    def until(self, condition: Callable[[], Any], seconds: float) -> bool:
        """Spin until a condition is true or time is up; return whether it is true."""
        deadline = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > deadline:
                return False
            self.executor.spin_once(timeout_sec=0.01)
        return True

    def expect(self, condition: Callable[[], Any], what: str) -> None:
        """Spin until a condition is true; exit the benchmark on timeout."""
        if not self.until(condition, PATIENCE):
            raise SystemExit(f"no {what} within {PATIENCE:g} s")

    def send(self, kind: Any, service: str, **fields: Any) -> Any:
        """Wait for a service and call it; return the future."""
        if service not in self._clients:
            self._clients[service] = self.node.create_client(kind, service)
            self.expect(self._clients[service].service_is_ready, service)
        return self._clients[service].call_async(kind.Request(**fields))

    def call(self, kind: Any, service: str, **fields: Any) -> Any:
        """Call a service; return the reply."""
        future = self.send(kind, service, **fields)
        self.expect(future.done, f"response of {service}")
        return future.result()


class Listener:
    """Calls functions with the serialized messages of topics of one type, in its own thread."""

    def __init__(self, kind: type, callbacks: Mapping[str, Callable[[bytes], None]]) -> None:
        self._node = rclpy.create_node("listener")
        for topic, callback in callbacks.items():
            self._node.create_subscription(kind, topic, callback, 1000, raw=True)
        self._executor = SingleThreadedExecutor()
        self._executor.add_node(self._node)
        self._thread = threading.Thread(target=self._executor.spin)
        self._thread.start()

    def stop(self) -> None:
        """Stop listening."""
        self._executor.shutdown()
        self._thread.join()
        self._node.destroy_node()


@contextmanager
def network(name: str) -> Iterator[Asker]:
    """Yield a client node in a ROS domain for this program, on this machine only."""
    os.environ["ROS_DOMAIN_ID"] = str(DOMAIN)
    os.environ["ROS_AUTOMATIC_DISCOVERY_RANGE"] = "LOCALHOST"
    rclpy.init()
    try:
        yield Asker(name)
    finally:
        rclpy.try_shutdown()


def started(program: str, *arguments: str, **options: Any) -> psutil.Popen:
    """Start a program in its own process, without output."""
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    (point,) = entry_points(group="console_scripts", name=program)
    code = f"from {point.module} import {point.attr} as main; main()"
    return psutil.Popen([sys.executable, "-c", code, *arguments], **quiet | options)


def stop(processes: Iterable[psutil.Popen]) -> None:
    """Stop processes with SIGINT; kill those still running after 30 s."""
    running = [process for process in processes if process.poll() is None]
    for process in running:
        process.send_signal(signal.SIGINT)
    for process in running:
        try:
            process.wait(30.0)
        except (subprocess.TimeoutExpired, psutil.TimeoutExpired):
            process.kill()


@contextmanager
def running(module: str, *arguments: str, **options: Any) -> Iterator[psutil.Popen]:
    """Run a module in its own process; yield the process."""
    process = started(module, *arguments, **options)
    try:
        yield process
    finally:
        stop([process])


@contextmanager
def launched(
    asker: Asker, arguments: list[str], processes: str = "one"
) -> Iterator[tuple[psutil.Popen, float]]:
    """Launch a file of a package; yield its process and the seconds to the first moving frame."""
    command = ["ros2", "launch", *arguments, f"processes:={processes}"]
    frames: list[TFMessage] = []
    subscription = asker.node.create_subscription(TFMessage, "/tf", frames.append, 100)
    begin = time.monotonic()
    with tempfile.TemporaryFile() as log:
        launch = psutil.Popen(command, stdout=log, stderr=log)
        try:
            asker.until(lambda: frames or launch.poll() is not None, 2.0 * PATIENCE)
            if not frames:
                log.seek(0)
                raise SystemExit(f"no frames of {arguments[1]}:\n{log.read().decode()}")
            asker.node.destroy_subscription(subscription)
            yield launch, time.monotonic() - begin
        finally:
            stop([launch])


def memory(processes: Iterable[psutil.Process]) -> dict[str, float]:
    """Return the total RSS and PSS of the processes, MB."""
    infos = [process.memory_full_info() for process in processes]
    sums = {"RSS MB": sum(i.rss for i in infos), "PSS MB": sum(i.pss for i in infos)}
    return {name: size / 2**20 for name, size in sums.items()}


def resident(process: psutil.Process) -> float:
    """Return the RSS of a process, MB."""
    return float(process.memory_info().rss) / 2**20


def processor_seconds(processes: Iterable[psutil.Process]) -> float:
    """Return the total processor time of the processes, s."""
    return float(sum(sum(process.cpu_times()[:2]) for process in processes))


@contextmanager
def core_share(processes: Iterable[psutil.Process]) -> Iterator[dict[str, float]]:
    """Yield a dictionary that gets the processes' share of a core, %, at the end."""
    processes, share = list(processes), dict[str, float]()
    used, begin = processor_seconds(processes), time.monotonic()
    yield share
    used = processor_seconds(processes) - used
    share["% of a core"] = 100.0 * used / (time.monotonic() - begin)


def free_port() -> int:
    """Return a free TCP port."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
