"""Point the CMake files of the ROS wheels at this machine's Python and NumPy headers.

The wheels carry the include paths of the machine that built them, such as
``/opt/python/cp311-cp311/include/python3.11``; interface packages cannot be configured until they
are replaced. Run this with the Python of the virtual environment to be repaired.
"""

import re
import sys
import sysconfig
from pathlib import Path

import numpy

BUILD_PREFIX = r"/opt/python/cp\d+-cp\d+t?"
PYTHON_INCLUDE = re.compile(BUILD_PREFIX + r"/include/python\d+\.\d+t?")
NUMPY_INCLUDE = re.compile(
    BUILD_PREFIX + r"/lib/python\d+\.\d+t?/site-packages/numpy/(?:_core|core)/include"
)


def repair(text: str, python_include: str, numpy_include: str) -> str:
    """Return the text of a CMake file with both include paths replaced."""
    text = NUMPY_INCLUDE.sub(lambda _: numpy_include, text)
    return PYTHON_INCLUDE.sub(lambda _: python_include, text)


def repair_folder(share: Path) -> list[Path]:
    """Rewrite the CMake files below a folder that contain a foreign path; return those files."""
    changed = []
    for path in sorted(share.rglob("*.cmake")):
        before = path.read_text(encoding="utf-8")
        after = repair(before, sysconfig.get_path("include"), numpy.get_include())
        if after != before:
            # A wheel's file may be hard-linked to an installer's cache: write a new one.
            path.unlink()
            path.write_text(after, encoding="utf-8")
            changed.append(path)
    return changed


def main() -> int:
    """Repair this Python's environment and print the number of changed files."""
    share = Path(sys.prefix) / "share"
    changed = repair_folder(share)
    print(f"repair_paths: {len(changed)} CMake files rewritten in {share}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
