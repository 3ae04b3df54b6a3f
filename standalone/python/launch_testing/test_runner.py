"""Runs the launch of a test module, and its tests during and after it."""

import functools
import inspect
import threading
import unittest
from collections.abc import Iterable, Iterator
from types import ModuleType
from typing import Any

from launch import (
    LaunchDescription,
    LaunchDescriptionEntity,
    LaunchDescriptionSource,
    LaunchService,
)
from launch.actions import IncludeLaunchDescription, RegisterEventHandler
from launch.event_handlers import OnProcessExit, OnProcessIO, OnProcessStart

from .actions import ReadyToTest
from .handlers import ActiveIoHandler, ActiveProcInfoHandler

_READY_TIMEOUT = 15.0  # s, as in the real package

Failures = list[tuple[str, str]]  # names and messages of failed tests


class LaunchTestRunner:
    """Runs one launch in the main thread and its tests in another thread.

    ``module`` has generate_test_description() and unittest classes.
    """

    def __init__(self, module: ModuleType) -> None:
        result = module.generate_test_description()
        self._description, context = result if isinstance(result, tuple) else (result, {})
        self._launch_service = LaunchService()
        self._proc_info = ActiveProcInfoHandler()
        self._proc_output = ActiveIoHandler()
        arguments = {**context, "proc_info": self._proc_info, "proc_output": self._proc_output}
        self._tests = _suite(module, arguments, post_shutdown=False)
        self._post_shutdown_tests = _suite(module, arguments, post_shutdown=True)
        self._ready = threading.Event()
        self._failures: Failures | None = None

    def run(self) -> Failures:
        """Run all tests; return the failures."""
        ready_action = next(_ready_to_test_actions(self._description.entities), None)
        if ready_action is None:
            raise Exception(
                "the launch description of generate_test_description has no ReadyToTest action: "
                "the tests would never start"
            )
        ready_action._start = self._ready.set
        info, output = self._proc_info, self._proc_output
        handlers = [
            OnProcessStart(on_start=lambda event, _: info.append(event)),
            OnProcessStart(on_start=lambda event, _: output.track(event.action)),
            OnProcessExit(on_exit=lambda event, _: info.append(event)),
            OnProcessIO(on_stdout=output.append, on_stderr=output.append),
        ]
        observed = [RegisterEventHandler(handler) for handler in handlers]
        included = IncludeLaunchDescription(LaunchDescriptionSource(self._description))
        self._launch_service.include_launch_description(LaunchDescription([*observed, included]))
        threading.Thread(target=self._test, name="test_runner_thread", daemon=True).start()
        self._launch_service.run()
        if self._failures is None:
            return [("launch", "the launch ended before its tests")]
        return self._failures + _run_tests(self._post_shutdown_tests)

    def _test(self) -> None:
        try:
            if self._ready.wait(_READY_TIMEOUT):
                self._failures = _run_tests(self._tests)
            else:
                self._failures = [("launch", "ReadyToTest was not executed in time")]
        finally:
            self._launch_service.shutdown()


def _suite(
    module: ModuleType, arguments: dict[str, Any], *, post_shutdown: bool
) -> unittest.TestSuite:
    """Return the module's tests; their methods receive the arguments that they name."""
    suite = unittest.TestSuite()
    for item in vars(module).values():
        if not (isinstance(item, type) and issubclass(item, unittest.TestCase)):
            continue
        if getattr(item, "__post_shutdown_test__", False) != post_shutdown:
            continue
        for case in unittest.defaultTestLoader.loadTestsFromTestCase(item):
            name = case._testMethodName  # type: ignore[union-attr]  # a case, not a suite
            method = getattr(case, name)
            wanted = inspect.signature(method).parameters
            given = {key: value for key, value in arguments.items() if key in wanted}
            setattr(case, name, functools.partial(method, **given))
            suite.addTest(case)
    return suite


def _run_tests(tests: unittest.TestSuite) -> Failures:
    result = unittest.TextTestRunner(verbosity=2).run(tests)
    return [(case.id(), text) for case, text in (*result.errors, *result.failures)]


def _ready_to_test_actions(entities: Iterable[LaunchDescriptionEntity]) -> Iterator[ReadyToTest]:
    for entity in entities:
        if isinstance(entity, ReadyToTest):
            yield entity
        yield from _ready_to_test_actions(inner for inner, _ in entity._contents())
