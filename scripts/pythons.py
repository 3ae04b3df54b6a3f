"""Which other Pythons a machine has than the one of ``make test``, and what is tried with them.

The oldest and the newest run all tests that start no node (``try_python.py``): what a Python lacks
or does otherwise shows at the ends, and each takes some four minutes of two cores, half of them to
compile the kernels. One between them installs the package as users do (``try_pip_install.py``),
which compiles kernels and runs the README's example.
"""

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SUPPORTED = ("3.10", "3.11", "3.12", "3.13")


def version_of(python: str | Path) -> str:
    """Return "3.12" or the like, and "" for what cannot run or make virtual environments."""
    code = "import ensurepip, sys, venv; print('%d.%d' % sys.version_info[:2])"
    try:
        result = subprocess.run([python, "-c", code], capture_output=True, text=True)
    except OSError:
        return ""
    return result.stdout.strip()


def candidates(version: str) -> Iterator[str | Path]:
    """Yield where a Python may be: on the PATH, among pyenv's (newest first), the system's."""
    name = f"python{version}"
    if found := shutil.which(name):
        yield found
    builds = (Path.home() / ".pyenv" / "versions").glob(f"{version}.*/bin/{name}")
    yield from sorted(builds, key=lambda path: (len(str(path)), path), reverse=True)
    yield Path("/usr/bin") / name


def other_pythons() -> dict[str, str | None]:
    """Return a Python of each supported version but that of ``make test``; None if not found."""
    own = version_of(ROOT / ".venv" / "bin" / "python")
    others: dict[str, str | None] = {}
    for version in SUPPORTED:
        if version != own:
            fits = (str(path) for path in candidates(version) if version_of(path) == version)
            others[version] = next(fits, None)
    return others


def ends_and_between() -> tuple[list[str], list[str]]:
    """Return those that run all tests and those that only install the package."""
    found = [python for python in other_pythons().values() if python]
    return [*found[:1], *found[1:][-1:]], found[1:-1]
