"""The undocumented names of Numba: where they are used, and which versions have them."""

import ast
import importlib
import json
import re
from pathlib import Path

import rigid_tree_kinematics

PACKAGE = Path(rigid_tree_kinematics.__file__).parent
FACTS = json.loads(Path(__file__).with_name("numba_private_names.json").read_text())
REQUIREMENTS = Path(__file__).parents[2] / "requirements.txt"


def test_the_oldest_allowed_version_and_the_newest_have_every_name() -> None:
    oldest = re.search(r"^numba>=([\d.]+)", REQUIREMENTS.read_text(), re.MULTILINE)
    assert oldest is not None
    versions = list(FACTS["sources"])
    assert f"{oldest[1]}.0" in versions
    assert not [name for name, found in FACTS["names"].items() if set(found) != set(versions)]
    assert all(all(found.values()) for found in FACTS["names"].values())


def test_the_installed_numba_has_every_name() -> None:
    for name in FACTS["names"]:
        module, parts = name, []
        while True:
            try:
                found = importlib.import_module(module)
                break
            except ModuleNotFoundError:
                module, _, last = module.rpartition(".")
                parts.insert(0, last)
        for part in parts:
            assert hasattr(found, part), name
            found = getattr(found, part)


def test_what_is_imported_from_inside_numba_is_listed() -> None:
    imported = {
        f"{node.module}.{alias.name}"
        for path in PACKAGE.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.ImportFrom)
        and (node.module or "").startswith(("numba.core", "numba.np"))
        for alias in node.names
    }
    assert imported
    listed = set(FACTS["names"])
    assert {
        name for name in imported if not any(known.startswith(name) for known in listed)
    } == set()
