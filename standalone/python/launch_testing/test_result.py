"""Results of test runs."""
# ruff: noqa: N802 (the names of unittest)

from __future__ import annotations

import time
import unittest
from typing import Any


class TestResult(unittest.TextTestResult):
    """A text result that also keeps the cases and their durations."""

    __test__ = False  # no test class for pytest

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Create an empty result."""
        super().__init__(*args, **kwargs)
        self.test_times: dict[Any, float] = {}  # s, by test case

    def startTest(self, test: unittest.TestCase) -> None:
        """Start the clock."""
        self.test_times[test] = -time.monotonic()
        super().startTest(test)

    def stopTest(self, test: unittest.TestCase) -> None:
        """Stop the clock."""
        self.test_times[test] += time.monotonic()
        super().stopTest(test)

    def append(self, other: TestResult) -> None:
        """Add the results of the tests that were run after shutdown."""
        self.test_times.update(other.test_times)
        self.failures += other.failures
        self.errors += other.errors
        self.skipped += other.skipped
        self.expectedFailures += other.expectedFailures
        self.unexpectedSuccesses += other.unexpectedSuccesses
        self.testsRun += other.testsRun


class FailResult(unittest.TestResult):
    """All tests of a run failed for one reason."""

    def __init__(self, cases: list[Any], message: str) -> None:
        """Create the result of ``cases``."""
        super().__init__()
        self.test_times = dict.fromkeys(cases, 0.0)
        for case in cases:
            self.addFailure(case, (Exception, Exception(message), None))  # type: ignore[arg-type]
            self.testsRun += 1

    def wasSuccessful(self) -> bool:
        """Return False."""
        return False


class SkipResult(unittest.TestResult):
    """All tests of a run were skipped."""

    def __init__(self, cases: list[Any], reason: str) -> None:
        """Create the result of ``cases``."""
        super().__init__()
        self.test_times = dict.fromkeys(cases, 0.0)
        for case in cases:
            self.addSkip(case, reason)
            self.testsRun += 1
