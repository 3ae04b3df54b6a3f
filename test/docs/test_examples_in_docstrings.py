"""Every public class and function has a docstring example that runs."""

import doctest
import importlib
import inspect
from collections.abc import Iterator
from enum import Enum
from types import ModuleType

import matplotlib.pyplot as plt
import numpy as np
import pytest

from rigid_tree_kinematics import load_robot

LIBRARY = (
    "ik description model model.transforms kinematics collision planning execution dynamics "
    "figures conversions servo perception"
)
EXTENSIONS = ("rigid_tree_batch", "rigid_tree_nao", "rigid_tree_web")
ROOMS = (*(f"rigid_tree_kinematics.{name}" for name in LIBRARY.split()), *EXTENSIONS)
# Errors and enumerations need none either.
EXEMPT = {
    "results": (
        "Blockage CollisionReport ConfigurationMap Contact DifferentialStep Distance "
        "GeneralizedIKResult IKBatch IKResult PlanResult PlanSeconds Progress ServoStep "
        "Simulation StraightLine Trajectory Violation"
    ),
    "settings and results of batches": (
        "BasePlacements IKDataJob MotionDataJob ReachMap ReachabilityJob"
    ),
    "made by Scene.attach": "AttachedObstacle",
    "base classes and protocols": "Constraint ToolPath Validity",
    "data of URDF files that only readers and writers use": "Calibration",
}
EXEMPT_NAMES = set(" ".join(EXEMPT.values()).split())


def public(room: ModuleType) -> Iterator[tuple[str, object]]:
    """Yield the classes and functions of a room, except errors, enumerations and aliases."""
    for name in room.__all__:
        value = getattr(room, name)
        own = str(getattr(value, "__module__", "")).startswith("rigid_tree_")
        if own and not (inspect.isclass(value) and issubclass(value, Exception | Enum)):
            yield name, value


def examples_of(room: ModuleType) -> list[doctest.DocTest]:
    names = {name: getattr(room, name) for name in room.__all__}
    names |= {"np": np, "load_robot": load_robot}
    finder = doctest.DocTestFinder()
    return [
        test
        for name, value in public(room)
        for test in finder.find(value, name, module=False, globs=names)
        if test.examples
    ]


def shown_in(room: ModuleType) -> set[str]:
    """Return the names whose docstrings, or those of their methods, have an example."""
    return {test.name.partition(".")[0] for test in examples_of(room)}


@pytest.mark.parametrize("name", ROOMS)
def test_the_examples_run(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    runner = doctest.DocTestRunner(verbose=False, optionflags=doctest.ELLIPSIS)
    output: list[str] = []
    for test in examples_of(importlib.import_module(name)):
        runner.run(test, out=output.append)
    plt.close("all")
    assert runner.tries, f"{name}: no example was found"
    assert not runner.failures, "".join(output)


def test_every_public_name_has_an_example_or_is_exempt():
    rooms = [importlib.import_module(name) for name in ROOMS]
    lacking = {item for room in rooms for item in {n for n, _ in public(room)} - shown_in(room)}
    assert lacking == EXEMPT_NAMES, lacking ^ EXEMPT_NAMES
