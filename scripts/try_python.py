#!/usr/bin/env python3
"""Run the tests that need no ROS under other Pythons.

    python scripts/try_python.py ~/.pyenv/versions/3.10.13/bin/python /usr/bin/python3.13

For each a virtual environment is made in a temporary folder, and the folders of tests that start
no node run in it: ten minutes of one core, some of it for compiling kernels. Needs PyPI.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
WITH_ROS = ("docs", "examples", "nodes", "launch", "harness")
REQUIREMENTS = ("requirements.txt", "requirements-test.txt")
OTHERS = ("xacro", "setuptools<80")


def passes(python: str, folder: Path) -> bool:
    """Return whether all tests pass; what fails is printed."""
    subprocess.run([python, "-m", "venv", folder], check=True)
    own = folder / "bin" / "python"
    install = [own, "-m", "pip", "install", "-q", "--disable-pip-version-check"]
    files = [word for name in REQUIREMENTS for word in ("-r", ROOT / name)]
    subprocess.run([*install, *files, *OTHERS], check=True)
    environment = {
        "PATH": f"{folder / 'bin'}:/usr/bin:/bin",
        "HOME": str(folder),
        "MPLBACKEND": "Agg",
        "NUMBA_CACHE_DIR": str(folder / "kernels"),
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONPATH": str(ROOT),
    }
    rooms = [
        path
        for path in sorted((ROOT / "test").iterdir())
        if path.is_dir() and path.name not in WITH_ROS and not path.name.startswith("_")
    ]
    command = [own, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-n", "2", *rooms]
    return subprocess.run(command, cwd=ROOT, env=environment).returncode == 0


def main() -> int:
    """Try the Pythons of the command line; return the exit code."""
    failed = []
    for python in sys.argv[1:]:
        print(f"---- {python}", flush=True)
        with tempfile.TemporaryDirectory() as folder:
            if not passes(python, Path(folder)):
                failed.append(python)
    print(f"failed: {', '.join(failed)}" if failed else "all passed")
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main())
