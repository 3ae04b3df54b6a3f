"""Robots and meshes of other Python packages: robot_descriptions and example-robot-data."""

import importlib
import pkgutil
import warnings
from dataclasses import replace
from importlib import metadata

import numpy as np

from rigid_tree_kinematics.description.meshes import PackagePaths, resolve_mesh_path
from rigid_tree_kinematics.description.mjcf import read_mjcf_file
from rigid_tree_kinematics.description.urdf import read_urdf, read_urdf_file, xacro_text
from rigid_tree_kinematics.errors import DescriptionError, DescriptionWarning, UnknownNameError
from rigid_tree_kinematics.model import Mesh, RigidBodyTree
from rigid_tree_kinematics.model.transforms import inverse
from rigid_tree_kinematics.needed_packages import MissingPackageError, needs

DESCRIPTIONS, PACKAGE = "robot_descriptions", "example-robot-data"
PANDA, UR5 = "panda_description/urdf/panda.urdf", "ur_description/urdf/ur5_robot.urdf"
FILES = {"panda": PANDA, "panda_hand": PANDA, "ur5": UR5}  # Apache-2.0, Apache-2.0, BSD


def use_real_meshes(tree: RigidBodyTree) -> None:
    """Replace the visuals of a bundled arm by its manufacturer's meshes.

    Raises DescriptionError for a robot without such meshes, MissingPackageError without the
    package example-robot-data.

    Example:
        >>> from rigid_tree_kinematics import load_robot
        >>> robot = load_robot("ur5")
        >>> use_real_meshes(robot)
        >>> robot.get_body("forearm_link").visuals[0].geometry.filename.rpartition("/")[2]
        'forearm.dae'
    """
    if tree.name not in FILES:
        known = ", ".join(FILES)
        raise DescriptionError(f"robot '{tree.name}' has no meshes; available: {known}")
    try:
        package = metadata.distribution(PACKAGE)
    except metadata.PackageNotFoundError:
        raise MissingPackageError(PACKAGE, "a robot with real meshes") from None
    file = package.locate_file(f"cmeel.prefix/share/{PACKAGE}/robots/{FILES[tree.name]}")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DescriptionWarning)
        source = read_urdf_file(str(file))
    # The frames of links may differ by constant transforms, which the frames at zero show.
    zero, source_zero = np.zeros(len(tree.position_names)), np.zeros(len(source.position_names))
    for body in (tree.base, *tree.bodies):
        body.visuals.clear()
        if body.name not in (source.base_name, *source.body_names):
            continue
        T = inverse(tree.get_transform(zero, body.name)) @ source.get_transform(
            source_zero, body.name
        )
        for visual in source.get_body(body.name).visuals:
            mesh = visual.geometry
            if isinstance(mesh, Mesh):
                path = resolve_mesh_path(mesh.filename, mesh.directory)
                mesh = Mesh(path.as_uri(), mesh.scale)
            body.visuals.append(replace(visual, geometry=mesh, origin=T @ visual.origin))


def load_description(name: str, package_paths: PackagePaths = ()) -> RigidBodyTree:
    """Return the robot of one of the package's modules, such as "ur10e_description".

    The package clones the robot's repository into its cache. Raises MissingPackageError without
    the package, UnknownNameError for an unknown module, and DescriptionError if the robot cannot
    be downloaded or read. URDF is preferred to xacro, and xacro to MJCF.
    """
    with needs(DESCRIPTIONS, "loading robots by its names"):
        import robot_descriptions
    found = pkgutil.iter_modules(robot_descriptions.__path__)
    names = [module.name for module in found if not module.name.startswith("_")]
    known = [name for name in names if name.endswith("_description")]
    if name not in known:
        raise UnknownNameError("robot", name, known, DESCRIPTIONS)
    try:
        module = importlib.import_module(f"{DESCRIPTIONS}.{name}")
    except Exception as error:  # of git, the network, the cache
        reason = str(error).strip() or type(error).__name__
        raise DescriptionError(
            f"cannot be downloaded: {reason}", f"{DESCRIPTIONS}:{name}"
        ) from error
    path = getattr(module, "URDF_PATH", None)
    if path is not None:
        return read_urdf_file(path, package_paths)
    path = getattr(module, "XACRO_PATH", None)
    if path is None:
        return read_mjcf_file(module.MJCF_PATH)
    packages: dict[str, str] = getattr(module, "XACRO_PACKAGE_PATHS", {})
    text = xacro_text(path, getattr(module, "XACRO_ARGS", None), packages, package_paths)
    for package, folder in packages.items():
        text = text.replace(f"package://{package}/", f"file://{folder}/")
    return read_urdf(text, f"{path} (expanded)", module.PACKAGE_PATH, package_paths)
