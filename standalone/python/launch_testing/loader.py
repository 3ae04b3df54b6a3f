"""Test runs from a module with generate_test_description and unittest classes."""
# ruff: noqa: N802 (the real names)

from __future__ import annotations

import functools
import inspect
import unittest
from collections.abc import Callable, Iterable, Iterator
from types import ModuleType
from typing import Any

from launch import LaunchDescription, LaunchDescriptionEntity

from .actions import ReadyToTest

_DEFAULT_READY_TIMEOUT = 15  # s, as in the real package


class TestRun:
    """One launch and the tests that go with it."""

    __test__ = False  # no test class for pytest

    def __init__(
        self,
        name: str,
        test_description_function: Callable,
        param_args: dict[str, Any],
        module: ModuleType,
    ) -> None:
        """Create a run of the module's tests with one set of parameters."""
        self.name = name
        self.param_args = param_args
        self.pre_shutdown_tests = _load_tests(module, post_shutdown=False)
        self.post_shutdown_tests = _load_tests(module, post_shutdown=True)
        self.timeout: float = getattr(
            test_description_function, "__ready_to_test_action_timeout__", _DEFAULT_READY_TIMEOUT
        )
        self.markers: dict[str, Any] = getattr(test_description_function, "__markers__", {})
        self._test_description_function = test_description_function
        if param_args:
            for case in self.all_cases():
                method = getattr(case, case._testMethodName)
                case._testMethodName += self._format_params()
                setattr(case, case._testMethodName, method)

    def describe_test(
        self, ready_fn: Callable[[], None]
    ) -> tuple[LaunchDescription, dict[str, Any]]:
        """Return the launch description, which calls ``ready_fn``, and the tests' context."""
        result = self._test_description_function()
        description, context = result if isinstance(result, tuple) else (result, {})
        ready_action = next(_ready_to_test_actions(description.entities), None)
        if ready_action is None:
            raise Exception(
                "the launch description of generate_test_description has no ReadyToTest action: "
                "the tests would never start"
            )
        ready_action._add_callback(ready_fn)
        return description, context

    def validate(self) -> None:
        """Raise an Exception if parameters and arguments of the function do not agree."""
        function = inspect.unwrap(self._test_description_function)
        arguments = inspect.signature(function).parameters
        for name in self.param_args:
            if name not in arguments:
                raise Exception(
                    f"parametrize gives '{name}', which generate_test_description does not take"
                )
        for name in arguments:
            if name not in self.param_args:
                raise Exception(
                    f"nothing gives argument '{name}' of generate_test_description a value"
                )

    def all_cases(self) -> list[Any]:
        """Return the test cases of both kinds."""
        return [*_cases(self.pre_shutdown_tests), *_cases(self.post_shutdown_tests)]

    def __str__(self) -> str:
        """Return the name with the parameters."""
        return self.name + self._format_params()

    def _format_params(self) -> str:
        return f"[{', '.join(map(str, self.param_args.values()))}]" if self.param_args else ""


def LoadTestsFromPythonModule(module: ModuleType, *, name: str = "launch_tests") -> list[TestRun]:
    """Return one run, or one for each set of parameters."""
    function = module.generate_test_description
    runs = function() if hasattr(function, "__parametrized__") else [(function, {})]
    return [TestRun(name, description, arguments, module) for description, arguments in runs]


def give_arguments(
    tests: unittest.TestSuite, attributes: dict[str, Any], arguments: dict[str, Any]
) -> None:
    """Give test methods, setUp, setUpClass and the like those of both that they name.

    ``attributes`` are also attributes of the test classes, unless the class has its own.
    """
    candidates = {**arguments, **attributes}
    for test_class in {type(case) for case in _cases(tests)}:
        for name, value in attributes.items():
            if not hasattr(test_class, name):
                setattr(test_class, name, value)
        for method in ("setUpClass", "tearDownClass"):
            setattr(test_class, method, _bind(getattr(test_class, method), candidates))
    for case in _cases(tests):
        for method in (case._testMethodName, "setUp", "tearDown"):
            setattr(case, method, _bind(getattr(case, method), candidates))


def _bind(function: Callable, candidates: dict[str, Any]) -> Callable:
    names = inspect.signature(function).parameters
    return functools.partial(function, **{k: v for k, v in candidates.items() if k in names})


def _load_tests(module: ModuleType, *, post_shutdown: bool) -> unittest.TestSuite:
    suite = unittest.TestSuite()
    suite._cleanup = False  # type: ignore[attr-defined]  # keep the cases for the report
    for item in vars(module).values():
        if not (isinstance(item, type) and issubclass(item, unittest.TestCase)):
            continue
        if getattr(item, "__post_shutdown_test__", False) != post_shutdown:
            continue
        # A subclass of its own, so that arguments of one run do not reach another.
        own = type(item.__name__, (item,), {"__module__": item.__module__})
        suite.addTest(unittest.defaultTestLoader.loadTestsFromTestCase(own))
    return suite


def _cases(tests: unittest.TestSuite) -> Iterator[Any]:
    for test in tests:
        if isinstance(test, unittest.TestSuite):
            yield from _cases(test)
        else:
            yield test


def _ready_to_test_actions(entities: Iterable[LaunchDescriptionEntity]) -> Iterator[ReadyToTest]:
    for entity in entities:
        if isinstance(entity, ReadyToTest):
            yield entity
        yield from _ready_to_test_actions(entity.describe_sub_entities())
        for _, sub_entities in entity.describe_conditional_sub_entities():
            yield from _ready_to_test_actions(sub_entities)
