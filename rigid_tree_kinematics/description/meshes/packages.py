"""Lookup of mesh files and packages, with or without a ROS installation."""

import os
import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote

from rigid_tree_kinematics.errors import DescriptionError
from rigid_tree_kinematics.files import read_plain_file

# Variables with folders of packages, separated like in PATH. The first is from ROS 1.
SEARCH_PATHS = ("ROS_PACKAGE_PATH", "RIGID_TREE_PACKAGE_PATH")


def resolve_mesh_path(filename: str, directory: str | Path | None = None) -> Path:
    """Return the existing file of a mesh file name.

    - ``package://name/rest`` is looked up in ``package_folders``;
    - ``file:///path`` and absolute paths are used as they are;
    - relative paths start in ``directory``, the folder of the description.

    Raises DescriptionError that lists all searched places.

    Example:
        >>> open("part.stl", "w").close()
        >>> resolve_mesh_path("part.stl", directory=".").name
        'part.stl'
    """
    tried = []
    for candidate in _candidates(filename, directory):
        if os.path.isfile(candidate):
            return candidate
        tried.append(str(candidate))
    if tried:
        where = "; searched " + ", ".join(tried)
    else:
        name = filename.removeprefix("package://").lstrip("/").split("/")[0]
        where = f"; {_where_packages_are(name, directory)}"
    raise DescriptionError(f"the mesh file '{filename}' was not found{where}")


def find_package(name: str, directory: str | Path | None = None) -> Path:
    """Return the folder of a ROS package, its share folder or its sources.

    Raises DescriptionError if ``package_folders`` does not find it.
    """
    for folder in package_folders(name, directory):
        return folder
    raise DescriptionError(
        f"package '{name}' was not found; {_where_packages_are(name, directory)}"
    )


def package_folders(name: str, directory: str | Path | None = None) -> Iterator[Path]:
    """Yield the candidate folders of a package, best first.

    These are ``share/<name>`` below each prefix of AMENT_PREFIX_PATH; folders ``<name>`` in, or
    one level below, the folders of ROS_PACKAGE_PATH and RIGID_TREE_PACKAGE_PATH; then
    ``directory`` and its parents, if they have this name (also in their package.xml) or contain
    a folder with it.
    """
    if not name or name in (".", "..") or "/" in name:
        return
    for prefix in _folders_in("AMENT_PREFIX_PATH"):
        if os.path.isdir(prefix / "share" / name):
            yield prefix / "share" / name
    for variable in SEARCH_PATHS:
        for folder in _folders_in(variable):
            if _is_package(folder, name):
                yield folder
            places = (folder / name, *(below / name for below in folder.glob("*/")))
            yield from (path for path in places if os.path.isdir(path))
    if directory is not None:
        start = Path(directory).absolute()
        for folder in (start, *start.parents):
            if _is_package(folder, name):
                yield folder
            elif os.path.isdir(folder / name):
                yield folder / name


def _candidates(filename: str, directory: str | Path | None) -> Iterator[Path]:
    if filename.startswith("package://"):
        named = unquote(filename.removeprefix("package://")).lstrip("/")
        package, _, rest = named.partition("/")
        for folder in package_folders(package, directory):
            yield folder / rest
        return
    scheme = re.match(r"([A-Za-z][A-Za-z0-9+.-]*)://", filename)
    if scheme and scheme[1] != "file":
        raise DescriptionError(
            f"the mesh '{filename}' cannot be downloaded; use package://, file:// or a path"
        )
    path = Path(unquote(filename[len("file://") :]) if scheme else filename)
    if path.is_absolute():
        yield path
    elif directory is None:
        raise DescriptionError(
            f"the folder of the relative mesh file '{filename}' is unknown; "
            "load the description from its file, or give its directory"
        )
    else:
        yield Path(directory) / path


def _is_package(folder: Path, name: str) -> bool:
    if folder.name == name:
        return folder.is_dir()
    try:
        manifest = read_plain_file(folder / "package.xml").decode(errors="replace")
    except OSError:
        return False
    found = re.search(r"<name>\s*([^<\s]+)\s*</name>", manifest)
    return found is not None and found[1] == name


def _folders_in(variable: str) -> list[Path]:
    return [Path(entry) for entry in os.environ.get(variable, "").split(os.pathsep) if entry]


def _where_packages_are(name: str, directory: str | Path | None) -> str:
    places = [
        f"{variable} ({os.environ.get(variable) or 'not set'})"
        for variable in ("AMENT_PREFIX_PATH", *SEARCH_PATHS)
    ]
    parents = f", and in {directory} and its parents" if directory is not None else ""
    return (
        f"searched for a folder '{name}' in {', '.join(places)}{parents}; source the workspace of "
        f"the package, or add its parent folder to {SEARCH_PATHS[-1]}"
    )
