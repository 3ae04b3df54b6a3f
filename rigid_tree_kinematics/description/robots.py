"""Finding and loading a robot by name or path."""

from __future__ import annotations

import functools
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from rigid_tree_kinematics.errors import DescriptionError, UnknownNameError
from rigid_tree_kinematics.model import RigidBodyTree

if TYPE_CHECKING:
    from rigid_tree_kinematics.description.meshes import PackagePaths

PACKAGE = "rigid_tree_kinematics"
ELSEWHERE = "robot_descriptions:"  # robots of that package
IN_PACKAGE = "package://"
XACRO = ".xacro"
SUFFIXES = (".urdf", ".xml", ".sdf", XACRO, ".yaml", ".yml")


def load_robot(
    name_or_path: str | os.PathLike[str],
    package_paths: PackagePaths = (),
    xacro_arguments: Mapping[str, str] | None = None,
) -> RigidBodyTree:
    """Return a robot by name or path.

    Args:
        name_or_path: a bundled robot's name (``list_robots()``), the path of a .urdf, .xacro,
            .sdf, .xml (MJCF) or .yaml file (DH, mDH; see docs/robot_tables.md), such a file in a
            ROS package ("package://my_arm/robots/arm.yaml"), or "robot_descriptions:" and a name
            of that package, which downloads the robot on first use.
        package_paths: one or more folders with packages or meshes, searched first for the files
            that ``package://`` and relative names refer to. A package's folder can have another
            name. The found paths replace the names.
        xacro_arguments: values of a .xacro file's arguments, such as ``{"name": "ur"}``.

    Raises:
        UnknownNameError: the name is neither a bundled robot nor a path.
        DescriptionError: the file or its ROS package is missing, or the file is invalid, such as
            a .xacro file with an argument without a value, or arguments for another file.
        MissingPackageError: robot_descriptions, or mujoco for MJCF, is not installed.

    Example:
        >>> robot = load_robot("ur5")  # or "arms/my_arm.urdf"
        >>> robot.joint_names[:2]
        ('shoulder_pan_joint', 'shoulder_lift_joint')
        >>> print(robot.get_transform(robot.home_configuration(), "tool0")[:3, 3].round(3))
        [0.487 0.109 0.432]
    """
    text = os.fspath(name_or_path)
    if xacro_arguments and not text.lower().endswith(XACRO):
        raise DescriptionError("xacro arguments are only for .xacro files", text)
    if text.startswith(ELSEWHERE):
        from rigid_tree_kinematics.description.other_packages import load_description

        return load_description(text.removeprefix(ELSEWHERE), package_paths)
    if text in _bundled_robots():
        return _load_file(*_bundled_robots()[text], package_paths)
    path = local_path(text)
    # os.path, unlike Path, accepts impossible file names.
    if path.suffix.lower() in SUFFIXES or os.sep in text or os.path.exists(path):
        return _load_file(path, None, package_paths, xacro_arguments)
    advice = f"A path must end in {', '.join(SUFFIXES)}"
    raise UnknownNameError("robot", text, list_robots(), PACKAGE, advice)


def read_description(
    text: str | bytes,
    source: str = "<text>",
    directory: str | None = None,
    package_paths: PackagePaths = (),
) -> RigidBodyTree:
    """Return the tree of a URDF, SDF or MJCF document; its root element tells the format.

    The arguments are those of ``read_urdf``. The files of an MJCF document are looked up in the
    current folder. Raises DescriptionError, and MissingPackageError for MJCF without mujoco.

    Example:
        >>> read_description('<robot name="stand"><link name="floor"/></robot>')
        RigidBodyTree('stand', 0 bodies on 'floor')
    """
    from rigid_tree_kinematics.description.mjcf import MJCF, read_mjcf
    from rigid_tree_kinematics.description.sdf import SDF, read_sdf
    from rigid_tree_kinematics.description.urdf import decoded_xml, read_urdf, root_tag

    root = root_tag(text)
    if root == SDF:
        return read_sdf(text, source, directory, package_paths)
    if root == MJCF:
        return read_mjcf(decoded_xml(text) if isinstance(text, bytes) else text, source)
    return read_urdf(text, source, directory, package_paths)


def list_robots() -> list[str]:
    """Return the names of the bundled robots, sorted.

    Example:
        >>> [name for name in list_robots() if not name.startswith("nao")]
        ['double_pendulum', 'panda', 'panda_hand', 'planar_two_link', 'puma560', 'ur5']
    """
    return sorted(_bundled_robots())


def bundled_folder(name: str) -> Path:
    """Return a folder of bundled YAML files (robots, scenes).

    It is in the package if pip installed it, below share/ if colcon did, and beside the package
    in a source tree. Raises DescriptionError if it is not found.
    """
    package = Path(__file__).parents[1]
    places = [package / name]
    for ancestor in package.resolve().parents:
        places += [ancestor / name, ancestor / "share" / PACKAGE / name]
    for folder in places:
        if any(folder.glob("*.yaml")):
            return folder
    raise DescriptionError(f"the folder '{name}' of {PACKAGE} is not installed")


def local_path(text: str) -> Path:
    """Return the path of "package://name/rest", or of a file name with optional "~".

    Raises DescriptionError if the ROS package is not found.
    """
    if not text.startswith(IN_PACKAGE):
        return Path(os.path.expanduser(text))
    from rigid_tree_kinematics.description.meshes import find_package

    name, _, rest = text.removeprefix(IN_PACKAGE).partition("/")
    return find_package(name) / rest


@functools.cache
def _bundled_robots() -> dict[str, tuple[Path, str | None]]:
    """Return each bundled robot's file and variant."""
    from rigid_tree_kinematics.description.table import table_text, table_variants

    robots: dict[str, tuple[Path, str | None]] = {}
    for path in sorted(bundled_folder("robots").iterdir()):
        if path.suffix in SUFFIXES:
            robots[path.stem] = (path, None)
        if path.suffix in (".yaml", ".yml"):
            variants = table_variants(table_text(path), str(path))
            robots.update({variant: (path, variant) for variant in variants})
    return robots


def _load_file(
    path: Path,
    variant: str | None,
    package_paths: PackagePaths,
    arguments: Mapping[str, str] | None = None,
) -> RigidBodyTree:
    if os.path.isdir(path):
        raise DescriptionError("is a folder, not a robot file", str(path))
    if not os.path.isfile(path):
        raise DescriptionError("no such file", str(path))
    suffix = path.suffix.lower()
    if suffix in (".yaml", ".yml"):
        from rigid_tree_kinematics.description.meshes import locate_meshes
        from rigid_tree_kinematics.description.table import read_table_file

        tree = read_table_file(path, variant)
        locate_meshes(tree, package_paths)
        return tree
    if suffix in SUFFIXES:
        from rigid_tree_kinematics.description.mjcf import MJCF, read_mjcf_file
        from rigid_tree_kinematics.description.urdf import (
            read_description_file,
            root_tag,
            xacro_text,
        )

        if suffix == XACRO:
            text = xacro_text(path, arguments, package_paths=package_paths)
            folder = str(path.absolute().parent)
            return read_description(text, f"{path} (expanded)", folder, package_paths)
        data, directory = read_description_file(path)
        if root_tag(data) == MJCF:
            return read_mjcf_file(path)
        return read_description(data, str(path), directory, package_paths)
    raise DescriptionError(f"a robot file must end in one of {', '.join(SUFFIXES)}", str(path))
