"""Substitutions that find packages and their executables."""

import os
import shutil

from ament_index_python.packages import get_package_prefix, get_package_share_directory
from launch import LaunchContext, SomeSubstitutionsType, Substitution
from launch.substitutions import SubstitutionFailure
from launch.utilities import (
    describe_all,
    normalize_to_list_of_substitutions,
    perform_substitutions,
)
from rigid_tree_stand_in import missing_name

__getattr__ = missing_name(__name__)


class FindPackageShare(Substitution):
    """The directory of a package's launch files, configuration and the like."""

    def __init__(self, package: SomeSubstitutionsType) -> None:
        self._package = normalize_to_list_of_substitutions(package)

    def describe(self) -> str:
        """Return ``FindPackageShare(pkg='package')``."""
        return f"FindPackageShare(pkg={describe_all(self._package)})"

    def perform(self, context: LaunchContext) -> str:
        """Return the directory; raises PackageNotFoundError."""
        return get_package_share_directory(perform_substitutions(context, self._package))


class ExecutableInPackage(Substitution):
    """The path of an executable in ``<prefix>/lib/<package>``."""

    def __init__(self, executable: SomeSubstitutionsType, package: SomeSubstitutionsType) -> None:
        self._executable = normalize_to_list_of_substitutions(executable)
        self._package = normalize_to_list_of_substitutions(package)

    def describe(self) -> str:
        """Return ``ExecInPkg(pkg='package', exec='executable')``."""
        package, executable = describe_all(self._package), describe_all(self._executable)
        return f"ExecInPkg(pkg={package}, exec={executable})"

    def perform(self, context: LaunchContext) -> str:
        """Return the path; raises SubstitutionFailure if the executable is not found."""
        executable = perform_substitutions(context, self._executable)
        package = perform_substitutions(context, self._package)
        directory = os.path.join(get_package_prefix(package), "lib", package)
        path = shutil.which(executable, path=directory)
        if path is None:
            raise SubstitutionFailure(f"no executable '{executable}' in '{directory}'")
        return path
