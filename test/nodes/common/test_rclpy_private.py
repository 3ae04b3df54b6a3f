"""The undocumented names of rclpy: their use, and the distributions that have them."""

import ast
import json
import re
from pathlib import Path

import rclpy.action.server
import rclpy.executors
import rclpy.guard_condition
from rclpy.impl.implementation_singleton import rclpy_implementation

import rigid_tree_kinematics
from rigid_tree_kinematics.nodes.common.process import rclpy_private

HOME = Path(rclpy_private.__file__)
PACKAGE = Path(rigid_tree_kinematics.__file__).parent
FACTS = json.loads(Path(__file__).with_name("rclpy_private_names.json").read_text())
README = Path(__file__).parents[3] / "README.md"
PUBLIC_WORDS = {"handle", "wait", "_executor", "WaitSet"}
OWNERS = {
    "action.server.ServerGoalHandle": rclpy.action.server.ServerGoalHandle,
    "executors.Executor": rclpy.executors.Executor,
    "guard_condition.GuardCondition": rclpy.guard_condition.GuardCondition,
    "impl.rclpy_implementation": rclpy_implementation,
    "impl.rclpy_implementation.GoalEvent": rclpy_implementation.GoalEvent,
    "impl.rclpy_implementation.WaitSet": rclpy_implementation.WaitSet,
    "subscription.Subscription.handle": rclpy_implementation.Subscription,
}


def test_every_distribution_and_the_installed_one_have_every_name(ros: None) -> None:
    for name, found in FACTS["names"].items():
        assert all(found.get(distribution) for distribution in FACTS["sources"]), name
        owner, _, last = name.rpartition(".")
        if owner != "executors.MultiThreadedExecutor":
            assert hasattr(OWNERS[owner], last), name
    pool = rclpy.executors.MultiThreadedExecutor(1)._executor
    assert pool.submit(int).result() == 0
    pool.shutdown()


def test_only_one_file_uses_them() -> None:
    words = {name.rpartition(".")[2] for name in FACTS["names"]}
    text = HOME.read_text()
    assert not [word for word in words if not re.search(rf"\.{word}\b|def {word}\b", text)]
    private = re.compile(rf"\b({'|'.join(words - PUBLIC_WORDS)}|rclpy\.impl)\b")
    assert not [
        str(path.relative_to(PACKAGE))
        for path in PACKAGE.rglob("*.py")
        if path != HOME and private.search(path.read_text())
    ]


def test_only_type_checkers_subscript_classes_of_rclpy() -> None:
    # Before Kilted, Service[Any, Any] and the like raise TypeError when they are evaluated.
    for path in [
        *PACKAGE.rglob("*.py"),
        *(README.parent / "packages").glob("*/rigid_tree_*/**/*.py"),
    ]:
        tree = ast.parse(path.read_text())
        imports = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
        names = {
            item.asname or item.name
            for node in imports
            if str(node.module).startswith("rclpy.")
            for item in node.names
        }
        subscripted = [
            node.value.id
            for node in ast.walk(tree)
            if isinstance(node, ast.Subscript)
            and isinstance(node.value, ast.Name)
            and node.value.id in names
        ]
        later = any(node.module == "__future__" for node in imports)
        assert later or not subscripted, f"{path}: {subscripted} without __future__.annotations"


def test_readme_names_only_distributions_that_have_them() -> None:
    text = README.read_text()
    for distribution in ("Humble", "Iron", "Jazzy", "Kilted", "Lyrical", "Rolling"):
        if re.search(rf"\b{distribution}\b", text):
            assert distribution.lower() in FACTS["sources"], distribution
