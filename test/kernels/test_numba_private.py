"""The undocumented names of Numba: their use, and the versions that have them."""

import importlib
import inspect
import json
import re
from pathlib import Path

import numba
import pytest

import rigid_tree_kinematics
from rigid_tree_kinematics.kernels import numba_private

HOME = Path(numba_private.__file__)
PACKAGE = Path(rigid_tree_kinematics.__file__).parent
FACTS = json.loads(Path(__file__).with_name("numba_private_names.json").read_text())
REQUIREMENTS = Path(__file__).parents[2] / "requirements.txt"


def number(version: str) -> tuple[int, ...]:
    return tuple(map(int, re.findall(r"\d+", version)[:2]))


def test_every_version_has_every_name() -> None:
    assert set(numba_private.NAMES) == set(FACTS["names"])
    assert set(FACTS["names"].values()) == {"all"}
    required = re.search(r"numba>=([\d.]+)", REQUIREMENTS.read_text())
    assert required
    assert number(min(FACTS["versions"], key=number)) <= number(required.group(1))
    assert number(numba.__version__) <= number(max(FACTS["versions"], key=number))


@pytest.mark.parametrize("name", numba_private.NAMES)
def test_the_installed_numba_has_it(name: str) -> None:
    part, file, *owners, last = name.split(".")
    module = importlib.import_module(f"numba.{part}.{file}")
    if not owners:
        assert hasattr(module, last)
        return
    owner = getattr(module, owners[0])
    # What a constructor sets is no attribute of the class.
    assert hasattr(owner, last) or f"self.{last} = " in inspect.getsource(owner)


def test_only_one_file_uses_them() -> None:
    words = {name.rpartition(".")[2] for name in numba_private.NAMES}
    given = {*numba_private.__all__, "set_env", "get_pointer_to_function"}
    # Numba's guide to extensions has cgutils; its documentation has Dispatcher.
    inside = r"numba\.(core|np)\b(?! import cgutils|\.dispatcher import Dispatcher)"
    private = re.compile(rf"\b({'|'.join(words - given)})\b|\b{inside}")
    assert not [
        str(path.relative_to(PACKAGE))
        for path in PACKAGE.rglob("*.py")
        if path != HOME and private.search(path.read_text())
    ]
