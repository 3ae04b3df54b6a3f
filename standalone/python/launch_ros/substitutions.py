"""Substitutions that find packages, their executables, and parameters."""

from __future__ import annotations

import os
import shutil
from typing import Any

from ament_index_python.packages import get_package_prefix, get_package_share_directory
from launch import LaunchContext, SomeSubstitutionsType, Substitution
from launch.frontend import expose_substitution
from launch.substitutions import SubstitutionFailure
from launch.utilities import normalize_to_list_of_substitutions, perform_substitutions

__all__ = [
    "ExecutableInPackage",
    "FindPackage",
    "FindPackagePrefix",
    "FindPackageShare",
    "Parameter",
]


def _describe(substitutions: list[Substitution]) -> str:
    return " + ".join(sub.describe() for sub in substitutions)


class FindPackage(Substitution):
    """Base of the substitutions that find something of a package."""

    def __init__(self, package: SomeSubstitutionsType) -> None:
        """Create a substitution from the package's name."""
        self.__package = normalize_to_list_of_substitutions(package)

    @property
    def package(self) -> list[Substitution]:
        """The package's name."""
        return self.__package

    def describe(self) -> str:
        """Return the kind of substitution and the package."""
        return f"{type(self).__name__}(pkg={_describe(self.package)})"

    def find(self, package_name: str) -> str:
        """Return what is to be found; raises PackageNotFoundError."""
        raise NotImplementedError(f"{type(self).__name__} does not define find()")

    def perform(self, context: LaunchContext) -> str:
        """Return the path."""
        return self.find(perform_substitutions(context, self.package))


@expose_substitution("find-pkg-prefix")
class FindPackagePrefix(FindPackage):
    """The directory a package is installed in."""

    def find(self, package_name: str) -> str:
        """Return the install prefix."""
        return get_package_prefix(package_name)


@expose_substitution("find-pkg-share")
class FindPackageShare(FindPackage):
    """The directory of a package's launch files, configuration and the like."""

    def find(self, package_name: str) -> str:
        """Return the share directory."""
        return get_package_share_directory(package_name)


@expose_substitution("exec-in-pkg")
class ExecutableInPackage(FindPackagePrefix):
    """The path of an executable in ``<prefix>/lib/<package>``."""

    def __init__(self, executable: SomeSubstitutionsType, package: SomeSubstitutionsType) -> None:
        """Create a substitution from the names of the executable and of its package."""
        super().__init__(package)
        self.__executable = normalize_to_list_of_substitutions(executable)

    @property
    def executable(self) -> list[Substitution]:
        """The executable's name."""
        return self.__executable

    def describe(self) -> str:
        """Return ``ExecInPkg(pkg='package', exec='executable')``."""
        return f"ExecInPkg(pkg={_describe(self.package)}, exec={_describe(self.executable)})"

    def perform(self, context: LaunchContext) -> str:
        """Return the path; raises SubstitutionFailure if there is no such executable."""
        executable = perform_substitutions(context, self.executable)
        package = perform_substitutions(context, self.package)
        prefix = super().perform(context)
        directory = os.path.join(prefix, "lib", package)
        if not os.path.exists(directory):
            raise SubstitutionFailure(
                f"package '{package}' in '{prefix}' has no executables: there is no directory "
                f"'{directory}'"
            )
        path = shutil.which(executable, path=directory)
        if path is None:
            raise SubstitutionFailure(f"no executable '{executable}' in '{directory}'")
        return path


class Parameter(Substitution):
    """The value of a parameter set by SetParameter."""

    def __init__(self, name: SomeSubstitutionsType, *, default: Any = None) -> None:
        """Create a substitution; ``default`` is used where the parameter is not set."""
        self.__name = normalize_to_list_of_substitutions(name)
        self.__default = default

    @property
    def name(self) -> list[Substitution]:
        """The parameter's name."""
        return self.__name

    def describe(self) -> str:
        """Return ``Parameter('name')``."""
        return f"Parameter({_describe(self.name)})"

    def perform(self, context: LaunchContext) -> str:
        """Return the value or the default; raises SubstitutionFailure if there is neither."""
        name = perform_substitutions(context, self.name)
        for entry in context.launch_configurations.get("global_params", []):
            if isinstance(entry, tuple) and entry[0] == name:
                return str(entry[1])
        if self.__default is None:
            raise SubstitutionFailure(f"parameter '{name}' not found")
        if isinstance(self.__default, (str, Substitution, list, tuple)):
            default = normalize_to_list_of_substitutions(self.__default)
            return perform_substitutions(context, default)
        return str(self.__default)
