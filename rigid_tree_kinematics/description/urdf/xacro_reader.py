"""xacro files to URDF text and trees, through the package ``xacro``.

xacro evaluates Python expressions that stand in the file (with most builtins removed): read files
of people you trust.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rigid_tree_kinematics.description.meshes import find_package
from rigid_tree_kinematics.description.urdf.urdf_reader import read_urdf
from rigid_tree_kinematics.description.urdf.xml_source import parse_xml
from rigid_tree_kinematics.errors import DescriptionError
from rigid_tree_kinematics.model import RigidBodyTree
from rigid_tree_kinematics.needed_packages import needs

_xacro_lock = threading.Lock()  # xacro keeps its state in module variables


def xacro_text(
    path: str | Path,
    arguments: Mapping[str, str] | None = None,
    packages: Mapping[str, str] | None = None,
) -> str:
    """Return the URDF text that a xacro file expands to.

    Args:
        path: the file.
        arguments: values for its ``<xacro:arg>`` elements.
        packages: folders of packages; others are looked for as ``find_package`` does.

    Raises:
        DescriptionError: for unreadable or malformed files (included ones too), and for whatever
            xacro complains about.
    """
    file = Path(path).absolute()
    values = {str(key): str(value) for key, value in (arguments or {}).items()}
    with _xacro_lock:
        with needs("xacro", f"reading {file.name}"):
            import xacro

        with _own_look_ups(xacro, file, packages or {}):
            try:
                return xacro.process_file(str(file), mappings=values).toprettyxml(indent="  ")
            except DescriptionError:
                raise
            except RecursionError:
                raise DescriptionError("xacro: endless recursion", str(path)) from None
            except Exception as error:  # expressions in the file may raise anything
                raise DescriptionError(_complaint(xacro, error, file), str(path)) from error


def read_xacro_file(path: str | Path, arguments: Mapping[str, str] | None = None) -> RigidBodyTree:
    """Return the tree that a xacro file describes; lines in errors are those after expansion."""
    text = xacro_text(path, arguments)
    return read_urdf(text, f"{path} (expanded)", str(Path(path).absolute().parent))


@contextmanager
def _own_look_ups(xacro: Any, file: Path, packages: Mapping[str, str]) -> Iterator[None]:
    """Let xacro find packages without a ROS installation, and read files as safely as we do."""
    from xacro import substitution_args

    parse, find = xacro.parse, substitution_args._eval_find

    def safe_parse(text: Any, filename: str | None = None) -> Any:
        if text is None and filename is not None:
            try:
                data = Path(filename).read_bytes()
            except OSError:
                return parse(text, filename)  # let xacro say it; includes may be optional
            parse_xml(data, filename)
            text = data.decode() if _is_utf8(data) else text
        return parse(text, filename)

    def find_folder(package: str) -> str:
        return packages.get(package) or str(find_package(package, file.parent))

    xacro.parse = safe_parse
    substitution_args._eval_find = find_folder
    substitution_args._eval_dict["find"] = find_folder
    try:
        yield
    finally:
        xacro.parse = parse
        substitution_args._eval_find = find
        substitution_args._eval_dict["find"] = find


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def _complaint(xacro: Any, error: Exception, file: Path) -> str:
    """Return xacro's message with the included file and the macros in which it stopped."""
    text = str(error) or type(error).__name__
    included = [str(name) for name in (xacro.filestack or []) if name and str(name) != str(file)]
    where = f" (in {included[-1]})" if included else ""
    return f"xacro cannot expand the file: {text}{where}"
