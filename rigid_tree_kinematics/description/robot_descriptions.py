"""Robots of the package robot_descriptions, which downloads them on first use."""

from __future__ import annotations

import importlib
import pkgutil

from rigid_tree_kinematics.description.urdf import read_urdf, read_urdf_file, xacro_text
from rigid_tree_kinematics.errors import DescriptionError, UnknownNameError
from rigid_tree_kinematics.model import RigidBodyTree
from rigid_tree_kinematics.needed_packages import needs

PACKAGE = "robot_descriptions"


def load_description(name: str) -> RigidBodyTree:
    """Return the robot of one of the package's modules, such as "ur10e_description".

    The package clones the robot's repository into its cache. Raises MissingPackageError without
    the package, UnknownNameError for an unknown module, and DescriptionError if the robot has no
    URDF or cannot be downloaded.
    """
    with needs(PACKAGE, "loading robots by its names"):
        import robot_descriptions
    found = pkgutil.iter_modules(robot_descriptions.__path__)
    known = [module.name for module in found if module.name.endswith("_description")]
    if name not in known:
        raise UnknownNameError("robot", name, known, PACKAGE)
    try:
        module = importlib.import_module(f"{PACKAGE}.{name}")
    except Exception as error:  # of git, the network, the cache
        reason = str(error).strip() or type(error).__name__
        raise DescriptionError(f"cannot be downloaded: {reason}", f"{PACKAGE}:{name}") from error
    path = getattr(module, "URDF_PATH", None)
    if path is not None:
        return read_urdf_file(path)
    path = getattr(module, "XACRO_PATH", None)
    if path is None:
        raise DescriptionError("this robot has no URDF", f"{PACKAGE}:{name}")
    packages: dict[str, str] = getattr(module, "XACRO_PACKAGE_PATHS", {})
    text = xacro_text(path, getattr(module, "XACRO_ARGS", None), packages)
    for package, folder in packages.items():
        text = text.replace(f"package://{package}/", f"file://{folder}/")
    return read_urdf(text, f"{path} (expanded)", module.PACKAGE_PATH)
