"""Runs launches and, beside and after them, their tests."""

from __future__ import annotations

import threading
import unittest
from collections.abc import Iterable, Sequence
from typing import Any

from launch import LaunchDescription, LaunchDescriptionSource, LaunchService
from launch.actions import IncludeLaunchDescription, RegisterEventHandler
from launch.event_handlers import OnProcessExit, OnProcessIO, OnProcessStart

from .io_handler import ActiveIoHandler
from .loader import TestRun, give_arguments
from .parse_arguments import parse_launch_arguments
from .proc_info_handler import ActiveProcInfoHandler
from .test_result import FailResult, SkipResult, TestResult


class LaunchTestRunner:
    """Runs test runs one after the other."""

    def __init__(
        self,
        test_runs: Iterable[TestRun],
        launch_file_arguments: Sequence[str] = (),
        debug: bool = False,
    ) -> None:
        """Create a runner; the arguments are texts of the form name:=value."""
        self._test_runs = list(test_runs)
        self._launch_file_arguments = launch_file_arguments
        self._debug = debug

    def validate(self) -> None:
        """Raise an Exception if a run cannot work."""
        for run in self._test_runs:
            run.validate()

    def run(self) -> dict[TestRun, Any]:
        """Run all and return the unittest results."""
        results: dict[TestRun, Any] = {}
        for run in self._test_runs:
            if len(self._test_runs) > 1:
                print(f"\nStarting test run {run}")
            try:
                results[run] = _Launch(run, self._launch_file_arguments, self._debug).run()
            except unittest.SkipTest as skip:
                print(f"{run} is skipped: {skip}")
                results[run] = SkipResult(run.all_cases(), str(skip))
        return results


class _Launch:
    """One launch with its tests: the launch in the main thread, the tests in another."""

    def __init__(self, test_run: TestRun, launch_arguments: Sequence[str], debug: bool) -> None:
        self._run = test_run
        self._arguments = parse_launch_arguments(launch_arguments)
        self._launch_service = LaunchService(debug=debug)
        self._proc_info = ActiveProcInfoHandler()
        self._proc_output = ActiveIoHandler()
        self._ready = threading.Event()
        self._result: TestResult | None = None

    def run(self) -> Any:
        description, context = self._run.describe_test(self._ready.set)
        self._give_arguments({**context, **self._run.param_args})
        self._launch_service.include_launch_description(self._observed(description))
        tester = threading.Thread(target=self._test, name="test_runner_thread", daemon=True)
        tester.start()
        keep_alive = self._run.markers.get("keep_alive", False)
        self._launch_service.run(shutdown_when_idle=not keep_alive)
        if self._result is None:
            print("The launch ended while its tests were running")
            self._print_failed_processes()
            return FailResult(self._run.all_cases(), "the launch ended before its tests did")
        self._result.append(_run_tests(self._run.post_shutdown_tests))
        return self._result

    def _give_arguments(self, context: dict[str, Any]) -> None:
        test_args = dict(self._arguments)
        give_arguments(
            self._run.pre_shutdown_tests,
            {
                "launch_service": self._launch_service,
                "proc_info": self._proc_info,
                "proc_output": self._proc_output,
                "test_args": test_args,
            },
            context,
        )
        give_arguments(
            self._run.post_shutdown_tests,
            {
                "proc_info": self._proc_info._proc_info_handler,
                "proc_output": self._proc_output._io_handler,
                "test_args": test_args,
            },
            context,
        )

    def _observed(self, description: LaunchDescription) -> LaunchDescription:
        """Return the description with handlers that keep a record of the processes."""
        info, output = self._proc_info, self._proc_output
        handlers = [
            OnProcessStart(on_start=lambda event, _: info.append(event)),
            OnProcessStart(on_start=lambda event, _: output.track(event.process_name)),
            OnProcessExit(on_exit=lambda event, _: info.append(event)),
            OnProcessIO(on_stdout=output.append, on_stderr=output.append),
        ]
        return LaunchDescription(
            [
                *(RegisterEventHandler(handler) for handler in handlers),
                IncludeLaunchDescription(
                    LaunchDescriptionSource(launch_description=description),
                    launch_arguments=self._arguments,
                ),
            ]
        )

    def _test(self) -> None:
        try:
            if self._ready.wait(self._run.timeout):
                self._result = _run_tests(self._run.pre_shutdown_tests)
            else:
                print("ReadyToTest did not come in time")
        finally:
            self._launch_service.shutdown()

    def _print_failed_processes(self) -> None:
        for event in self._proc_info:
            if getattr(event, "returncode", 0) == 0:
                continue
            print(f"Process '{event.process_name}' exited with {event.returncode}")
            print(f"##### '{event.process_name}' output #####")
            for io in self._proc_output[event.process_name]:
                print(io.text.decode(errors="replace"))


def _run_tests(tests: unittest.TestSuite) -> TestResult:
    runner = unittest.TextTestRunner(verbosity=2, resultclass=TestResult)
    result = runner.run(tests)
    assert isinstance(result, TestResult)
    return result
