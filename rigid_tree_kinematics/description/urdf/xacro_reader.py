"""Reading xacro files with the package ``xacro``.

xacro evaluates Python expressions of the file and removes most builtins, but that does not make
untrusted files safe: trust a xacro file like a program. Each file is expanded in its own process
with limits of time and memory.
"""

import difflib
import json
import os
import shlex
import signal
import sys
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rigid_tree_kinematics.description.meshes import PackagePaths, checked_folders
from rigid_tree_kinematics.description.urdf.urdf_reader import read_urdf
from rigid_tree_kinematics.errors import DescriptionError, DescriptionWarning
from rigid_tree_kinematics.model import RigidBodyTree
from rigid_tree_kinematics.needed_packages import needs

PROGRAM = "rigid_tree_kinematics.description.urdf.xacro_process"
LONGEST = 20  # s of processor time; the largest robots' files take 3 s
PATIENCE = 3  # factor for the wall-clock time, for a busy machine
MOST_MEMORY = 2**30  # bytes of address space; the largest robots' files take 100 MB
# Exit codes above the limit of processor time, which Windows does not have.
CPU_ENDS = tuple(-getattr(signal, name, 0) for name in ("SIGXCPU", "SIGKILL"))


def xacro_text(
    path: str | Path,
    arguments: Mapping[str, str] | None = None,
    packages: Mapping[str, str] | None = None,
    package_paths: PackagePaths = (),
) -> str:
    """Return the URDF text of a xacro file.

    The file can run any Python code with your permissions: expand only trusted files.

    Args:
        path: the file.
        arguments: values for its ``<xacro:arg>`` elements; a DescriptionWarning names unused ones.
        packages: folders of packages; others are found by ``find_package``.
        package_paths: further folders of packages, for ``find_package``.

    Raises:
        DescriptionError: unreadable or malformed files (also included ones), errors of xacro,
            and files that need more than 20 s of processor time or 1 GiB.
        MissingPackageError: xacro is not installed.

    Example:
        >>> with open("stand.urdf.xacro", "w") as file:
        ...     length = file.write('<robot name="$(arg name)"><link name="floor"/></robot>')
        >>> 'name="stand_2"' in xacro_text("stand.urdf.xacro", {"name": "stand_2"})
        True
    """
    file = Path(path).absolute()
    with needs("xacro", f"reading {file.name}"):
        import xacro  # noqa: F401  # for the other process
    given = {str(key): str(value) for key, value in (arguments or {}).items()}
    request = {
        "path": str(file),
        "arguments": given,
        "packages": dict(packages or {}),
        "package_paths": [str(folder) for folder in checked_folders(package_paths)],
        "seconds": LONGEST,
        "bytes": MOST_MEMORY,
    }
    answer = _answer(request, str(path))
    if "text" in answer:
        _warn_of_unused(given, answer["known"], str(path))
        return str(answer["text"])
    error = DescriptionError(answer["error"])
    error.source, error.line = answer["source"], answer["line"]
    raise error


def _warn_of_unused(given: Mapping[str, str], known: list[str], path: str) -> None:
    for name in given:
        if name not in known:
            close = difflib.get_close_matches(name, known, n=1)
            hint = f"; did you mean '{close[0]}'?" if close else "."
            text = f"{path}: no file uses the xacro argument '{name}'{hint} Known: "
            text += ", ".join(known) or "none"
            warnings.warn(DescriptionWarning(text), stacklevel=4)


def xacro_arguments(text: str) -> dict[str, str]:
    """Return arguments written as for the command xacro: ``name:=ur ur_type:=ur5e``.

    A value with spaces is quoted: ``name:='my arm'``. Raises DescriptionError.

    Example:
        >>> xacro_arguments("name:='my arm' size:=2")
        {'name': 'my arm', 'size': '2'}
    """
    try:
        pairs = [word.partition(":=") for word in shlex.split(text)]
    except ValueError as error:
        raise DescriptionError(f"xacro arguments {text!r}: {error}") from None
    for name, separator, _ in pairs:
        if not (name and separator):
            raise DescriptionError(f"xacro arguments must look like name:=value, not {text!r}")
    return {name: value for name, _, value in pairs}


def _answer(request: Mapping[str, Any], path: str) -> dict[str, Any]:
    """Return the output of the process that expands the file."""
    import subprocess  # 0.6 MB that nodes without xacro do not load

    too_slow = DescriptionError(
        f"xacro needs more than {LONGEST} s of processor time or {PATIENCE * LONGEST} s in total: "
        "look for an expression or an include that does not end",
        path,
    )
    try:
        run = subprocess.run(
            [sys.executable, "-m", PROGRAM],
            input=json.dumps(request),
            stdout=subprocess.PIPE,
            text=True,
            env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            timeout=PATIENCE * LONGEST,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise too_slow from None
    if run.returncode and run.returncode in CPU_ENDS:
        raise too_slow
    if run.returncode:
        raise DescriptionError(f"xacro's process exited with code {run.returncode}", path)
    return dict(json.loads(run.stdout))


def read_xacro_file(
    path: str | Path,
    arguments: Mapping[str, str] | None = None,
    package_paths: PackagePaths = (),
) -> RigidBodyTree:
    """Return the tree of a xacro file; lines in errors refer to the expanded text.

    Example:
        >>> with open("stand.urdf.xacro", "w") as file:
        ...     length = file.write('<robot name="$(arg name)"><link name="floor"/></robot>')
        >>> read_xacro_file("stand.urdf.xacro", {"name": "stand_2"})
        RigidBodyTree('stand_2', 0 bodies on 'floor')
    """
    text = xacro_text(path, arguments, package_paths=package_paths)
    directory = str(Path(path).absolute().parent)
    return read_urdf(text, f"{path} (expanded)", directory, package_paths)
