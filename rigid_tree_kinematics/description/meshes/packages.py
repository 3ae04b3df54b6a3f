"""Lookup of mesh files and packages, with or without a ROS installation."""

import functools
import os
import re
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from rigid_tree_kinematics.errors import DescriptionError, DescriptionWarning
from rigid_tree_kinematics.files import read_plain_file
from rigid_tree_kinematics.model import Mesh, RigidBodyTree

# Variables with folders of packages, separated like in PATH: of ROS 1, Gazebo and this package.
OWN_PATH = "RIGID_TREE_PACKAGE_PATH"
SEARCH_PATHS = ("ROS_PACKAGE_PATH", "GZ_SIM_RESOURCE_PATH", "GAZEBO_MODEL_PATH", OWN_PATH)
IN_PACKAGE = re.compile("(package|model)://")  # Gazebo's models are found like packages

PackagePaths = str | os.PathLike[str] | Iterable[str | os.PathLike[str]]


def resolve_mesh_path(
    filename: str, directory: str | Path | None = None, package_paths: PackagePaths = ()
) -> Path:
    """Return the existing file of a mesh file name.

    - ``package://name/rest`` or ``model://name/rest`` is looked up in ``package_folders``, then as
      ``rest`` and by the file's name in ``package_paths``. If it is not found there, ``rest`` is
      looked up in ``directory`` and its parents, with a DescriptionWarning;
    - ``file:///path`` and absolute paths are used as they are, then by the file's name in
      ``package_paths``;
    - relative paths start in ``directory``, the folder of the description, or in
      ``package_paths``, which may also contain the file itself.

    Raises DescriptionError that lists all searched places.

    Example:
        >>> open("part.stl", "w").close()
        >>> resolve_mesh_path("part.stl", directory=".").name
        'part.stl'
    """
    tried = []
    folders = checked_folders(package_paths)
    for candidate in _candidates(filename, directory, folders):
        if os.path.isfile(candidate):
            return candidate
        tried.append(str(candidate))
    if (found := _in_renamed_package(filename, directory)) is not None:
        return found
    if tried:
        where = f"; searched {', '.join(tried)}; name its folder in package_paths"
    else:
        name = IN_PACKAGE.sub("", filename, count=1).lstrip("/").split("/")[0]
        where = f"; {_where_packages_are(name, directory)}"
    raise DescriptionError(f"the mesh file '{filename}' was not found{where}")


def locate_meshes(tree: RigidBodyTree, package_paths: PackagePaths) -> None:
    """Replace the names of a robot's mesh files by their paths, found with ``package_paths``.

    Files that are not found keep their names, which a DescriptionWarning lists. Raises
    DescriptionError if one of ``package_paths`` is not a folder.
    """
    folders = checked_folders(package_paths)
    missing: list[str] = []
    for body in (tree.base, *tree.bodies) if folders else ():
        all_shapes: tuple[list[Any], ...] = (body.visuals, body.collisions)
        for shapes in all_shapes:
            for k, shape in enumerate(shapes):
                mesh = shape.geometry
                if isinstance(mesh, Mesh):
                    try:
                        path = resolve_mesh_path(mesh.filename, mesh.directory, folders)
                    except DescriptionError:
                        missing.append(mesh.filename)
                    else:
                        named = replace(mesh, filename=path.absolute().as_uri())
                        shapes[k] = replace(shape, geometry=named)
    if missing:
        names = ", ".join(f"'{name}'" for name in dict.fromkeys(missing))
        text = f"{tree.name}: mesh files that were not found, also not in package_paths: {names}"
        warnings.warn(text, DescriptionWarning, stacklevel=3)


def checked_folders(package_paths: PackagePaths) -> tuple[Path, ...]:
    """Return folders, one or several; raises DescriptionError if one does not exist."""
    if isinstance(package_paths, (str, os.PathLike)):
        package_paths = (package_paths,)
    folders = tuple(Path(os.path.expanduser(path)) for path in package_paths)
    for folder in folders:
        if not os.path.isdir(folder):
            raise DescriptionError(f"package_paths: '{folder}' is not a folder")
    return folders


def find_package(
    name: str, directory: str | Path | None = None, package_paths: PackagePaths = ()
) -> Path:
    """Return the folder of a ROS package, its share folder or its sources.

    Raises DescriptionError if ``package_folders`` does not find it.
    """
    for folder in package_folders(name, directory, checked_folders(package_paths)):
        return folder
    raise DescriptionError(
        f"package '{name}' was not found; {_where_packages_are(name, directory)}"
    )


def package_folders(
    name: str, directory: str | Path | None = None, package_paths: Iterable[Path] = ()
) -> Iterator[Path]:
    """Yield the candidate folders of a package, best first.

    These are ``package_paths`` with this name (also in their package.xml), and folders with it in
    them; ``share/<name>`` below each prefix of AMENT_PREFIX_PATH; folders ``<name>`` in, or
    one level below, the folders of the variables SEARCH_PATHS; then
    ``directory`` and its parents, if they have this name (also in their package.xml) or contain
    a folder with it; last, ``package_paths``, which may be the package under another name.
    """
    if not name or name in (".", "..") or "/" in name:
        return
    yield from _folders_of(name, package_paths)
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
        yield from _folders_of(name, _upwards(directory))
    yield from package_paths


def _upwards(directory: str | Path) -> Iterator[Path]:
    """Yield a folder and its parents, then those of the folder that a link names."""
    for start in dict.fromkeys((Path(directory).absolute(), Path(os.path.realpath(directory)))):
        yield from (start, *start.parents)


def _folders_of(name: str, places: Iterable[Path]) -> Iterator[Path]:
    """Yield the folders of a package among places and the folders in them."""
    for folder in places:
        if _is_package(folder, name):
            yield folder
        elif os.path.isdir(folder / name):
            yield folder / name


def _in_renamed_package(filename: str, directory: str | Path | None) -> Path | None:
    """Return the file of a package under another name, a parent folder of the description."""
    package, rest = _package_and_rest(filename)
    if not (package and rest) or directory is None:
        return None
    for folder in _upwards(directory):
        if os.path.isfile(folder / rest):
            _warn_of_renamed(package, folder)
            return folder / rest
    return None


@functools.lru_cache
def _warn_of_renamed(package: str, folder: Path) -> None:
    """Warn once that a folder is used as a package of another name."""
    text = f"package '{package}' was not found or lacks files; they are taken from '{folder}'"
    warnings.warn(text, DescriptionWarning, stacklevel=4)


def _package_and_rest(filename: str) -> tuple[str, str]:
    """Return the package and the path of ``package://name/path``; empty for other names."""
    scheme = IN_PACKAGE.match(filename)
    if not scheme:
        return "", ""
    package, _, rest = unquote(filename[scheme.end() :]).lstrip("/").partition("/")
    return package, rest


def _candidates(
    filename: str, directory: str | Path | None, package_paths: Iterable[Path]
) -> Iterator[Path]:
    if IN_PACKAGE.match(filename):
        package, rest = _package_and_rest(filename)
        for folder in package_folders(package, directory, package_paths):
            yield folder / rest
        yield from (folder / os.path.basename(rest) for folder in package_paths)
        return
    scheme = re.match(r"([A-Za-z][A-Za-z0-9+.-]*)://", filename)
    if scheme and scheme[1] != "file":
        raise DescriptionError(
            f"the mesh '{filename}' cannot be downloaded; use package://, model://, file:// or a "
            "path"
        )
    path = Path(unquote(_file_of(filename)) if scheme else filename)
    if path.is_absolute() or directory is not None:
        yield Path(directory or "") / path
    elif not package_paths:
        raise DescriptionError(
            f"the folder of the relative mesh file '{filename}' is unknown; "
            "load the description from its file, or give its directory"
        )
    for folder in package_paths:
        yield from (folder / path, folder / path.name)


def model_places(
    uri: str, directory: str | Path | None, package_paths: PackagePaths
) -> Iterator[Path]:
    """Yield the candidate folders or files of a model, ``model://name`` or a path, best first."""
    folders = checked_folders(package_paths)
    package, rest = _package_and_rest(uri)
    if package:
        yield from (folder / rest for folder in package_folders(package, directory, folders))
    elif "://" not in uri or uri.startswith("file://"):
        path = unquote(_file_of(uri))
        yield from (folder / path for folder in (*_upwards(directory or "/"), *folders))


def _file_of(uri: str) -> str:
    """Return the path of a ``file://`` URI; other texts are paths already."""
    path = uri.removeprefix("file://")
    return path.lstrip("/") if os.name == "nt" and path != uri else path  # file:///C:/part.stl


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
        f"the package, add its parent folder to {OWN_PATH}, or name its folder in "
        "package_paths"
    )
