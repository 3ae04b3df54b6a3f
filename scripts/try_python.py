#!/usr/bin/env python3
"""Run the tests that start no node under Pythons other than that of ``make test``.

    python scripts/try_python.py                  # all others on this machine
    python scripts/try_python.py 3.10 3.14        # these versions
    python scripts/try_python.py ~/.pyenv/versions/3.12.1/bin/python /usr/bin/python3.13

For each, a virtual environment is created in a temporary folder, the kernels are compiled for it,
and the test folders that start no node run in it. Needs PyPI; ``make setup`` installs uv, which is
faster than pip.

Where Python 3.14 is missing, root gets it with debootstrap: a minimal Debian in a temporary folder
(1 GB), in which this script runs again.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SUPPORTED = ("3.10", "3.11", "3.12", "3.13", "3.14")
# The release of Debian that has the newest of them, with what the kernels and tests need.
DEBIAN, NEWEST = "forky", SUPPORTED[-1]
DEBIAN_PACKAGES = f"ca-certificates,g++,git,python{NEWEST}-dev,python{NEWEST}-venv"
MIRROR = "http://deb.debian.org/debian"
WITH_ROS = ("docs", "examples", "nodes", "launch", "harness")
# The tests of extensions that start no node.
OF_EXTENSIONS = (
    "rigid_tree_batch/test/batch",
    "rigid_tree_nao/test/nao",
    "rigid_tree_web/test/page",
)
REQUIREMENTS = ("requirements.txt", "requirements-extensions.txt", "requirements-test.txt")
OTHERS = ("xacro", "setuptools<80")


# $1: the folder of the Debian; $2: this repository. Nothing of this stays mounted.
IN_DEBIAN = f"""
set -e
mount -t proc proc "$1/proc"
mount --rbind /dev "$1/dev"
for path in /etc/hosts /etc/pip.conf /etc/resolv.conf /etc/ssl/certs "$2"; do
  [ -e "$path" ] || continue
  if [ -d "$path" ]; then mkdir -p "$1$path"; else touch "$1$path"; fi
  mount --bind "$path" "$1$path"
done
exec chroot "$1" /usr/bin/python{NEWEST} "$2/scripts/try_python.py" /usr/bin/python{NEWEST}
"""


def install(python: str, folder: Path) -> None:
    """Create an environment with everything that the tests need."""
    wanted = [word for name in REQUIREMENTS for word in ("-r", ROOT / name)] + list(OTHERS)
    own, uv = folder / "bin" / "python", ROOT / ".venv" / "bin" / "uv"
    subprocess.run([python, "-m", "venv", folder], check=True)
    if uv.exists():
        quick = [uv, "pip", "install", "--quiet", "--system-certs", "--python", own]
        if subprocess.run([*quick, *wanted]).returncode == 0:
            return
        print("uv failed; continuing with pip", flush=True)
    pip = [own, "-m", "pip", "install", "-q", "--disable-pip-version-check"]
    subprocess.run([*pip, *wanted], check=True)


def rooms() -> list[Path]:
    """Return the folders of tests that need no ROS 2."""
    own = [
        path
        for path in sorted((ROOT / "test").iterdir())
        if path.is_dir() and path.name not in WITH_ROS and not path.name.startswith("_")
    ]
    return own + [ROOT / "packages" / room for room in OF_EXTENSIONS]


def passes(python: str, folder: Path) -> bool:
    """Return whether the kernels compile and all tests pass; print failures."""
    begin = time.monotonic()

    def say(what: str) -> None:
        print(f"[{python}, {time.monotonic() - begin:3.0f} s] {what}", flush=True)

    say("installing")
    install(python, folder)
    own = folder / "bin" / "python"
    # Bytecode outside the clone: without any, each of the tests' processes compiles its imports
    # (5 s of processor time). No MPLBACKEND: notebooks set their own.
    environment = {
        "PATH": f"{folder / 'bin'}:/usr/bin:/bin",
        "HOME": str(folder),
        "NUMBA_CACHE_DIR": str(folder / "kernels"),
        "PYTHONPYCACHEPREFIX": str(folder / "bytecode"),
        "PYTHONPATH": os.pathsep.join(map(str, (ROOT, *(ROOT / "packages").iterdir()))),
    }

    def run(*arguments: str | Path, **options: int) -> bool:
        command = [own, "-m", *arguments]
        return subprocess.run(command, cwd=ROOT, env=environment, **options).returncode == 0

    say("compiling the kernels")
    if not run("rigid_tree_kinematics.compile_kernels", stdout=subprocess.DEVNULL):
        say("FAILED")
        return False
    say("running the tests")
    passed = run("pytest", "-q", "-p", "no:cacheprovider", "-n", "2", "-r", "fEs", *rooms())
    say("passed" if passed else "FAILED")
    return passed


def passes_in_debian(folder: Path) -> bool:
    """Return whether the tests pass under the newest Python, in a Debian made in a folder."""
    print(f"Python {NEWEST}: with Debian {DEBIAN} in {folder}", flush=True)
    # The script of sid fits all releases; one of this release comes with new debootstraps only.
    script = "/usr/share/debootstrap/scripts/sid"
    make = ["debootstrap", "--variant=minbase", f"--include={DEBIAN_PACKAGES}"]
    result = subprocess.run([*make, DEBIAN, folder, MIRROR, script], stdout=subprocess.DEVNULL)
    if result.returncode:
        return False
    run = ["unshare", "--mount", "bash", "-c", IN_DEBIAN, "bash", folder, ROOT]
    return subprocess.run(run).returncode == 0


def version_of(python: str | Path) -> str:
    """Return a version such as "3.12", or "" for a Python without virtual environments."""
    code = "import ensurepip, sys, venv; print('%d.%d' % sys.version_info[:2])"
    try:
        result = subprocess.run([python, "-c", code], capture_output=True, text=True)
    except OSError:
        return ""
    return result.stdout.strip()


def candidates(version: str) -> Iterator[str | Path]:
    """Yield candidate Pythons: on the PATH, pyenv's (newest first), the system's."""
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


def main() -> int:
    """Try the Pythons of the command line, or all others; return the exit code."""
    failed = []
    versions = [word for word in sys.argv[1:] if word in SUPPORTED]
    tried = {word: word for word in sys.argv[1:] if word not in SUPPORTED}
    if not tried:
        others = other_pythons().items()
        tried = {name: path for name, path in others if name in (versions or SUPPORTED)}
    can_make = os.geteuid() == 0 and bool(shutil.which("debootstrap"))
    for name, python in tried.items():
        with tempfile.TemporaryDirectory() as folder:
            if python:
                passed = passes(python, Path(folder))
            elif name == NEWEST and can_make:
                passed = passes_in_debian(Path(folder))
            else:
                print(f"Python {name}: NOT FOUND on this machine, so not tried")
                continue
        if not passed:
            failed.append(name)
    print(f"failed: {', '.join(failed)}" if failed else "all passed")
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main())
