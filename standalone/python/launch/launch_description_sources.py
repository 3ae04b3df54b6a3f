"""Launch descriptions and the Python files that define them."""

import os
from collections.abc import Iterable
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from typing import Any

from rigid_tree_stand_in import PACKAGES, missing_name, not_covered

from ._bases import LaunchDescriptionEntity, SomeSubstitutionsType
from .action import Action
from .launch_context import LaunchContext
from .logging import get_logger
from .utilities import normalize_to_list_of_substitutions, perform_substitutions

__getattr__ = missing_name(__name__)


class LaunchDescription(LaunchDescriptionEntity):
    """An ordered list of entities."""

    def __init__(self, initial_entities: Iterable[LaunchDescriptionEntity] | None = None) -> None:
        self.entities = list(initial_entities or ())

    def add_action(self, action: Action) -> None:
        """Append an action."""
        self.entities.append(action)

    def visit(self, context: LaunchContext) -> list[LaunchDescriptionEntity]:
        """Return the entities in the order of their visits."""
        return self.entities

    def _contents(self) -> list[tuple[LaunchDescriptionEntity, bool]]:
        return [(entity, False) for entity in self.entities]

    def get_launch_arguments(self) -> list[Any]:
        """Return the arguments declared here and in includes, each name once, in order."""
        return [argument for argument, _ in self._arguments_and_includes()]

    def _arguments_and_includes(self) -> list[tuple[Any, list[Any]]]:
        """Return the arguments, each with the chain of includes that leads to it."""
        from .actions import DeclareLaunchArgument, IncludeLaunchDescription

        found: dict[str, tuple[Any, list[Any]]] = {}

        def collect(
            entity: LaunchDescriptionEntity, is_conditional: bool, includes: list[Any]
        ) -> None:
            if isinstance(entity, DeclareLaunchArgument) and entity.name not in found:
                entity._conditionally_included = is_conditional or entity.condition is not None
                found[entity.name] = entity, includes
            if isinstance(entity, IncludeLaunchDescription):
                includes = [*includes, entity]
            for inner, inner_is_conditional in entity._contents():
                collect(inner, inner_is_conditional, includes)

        collect(self, False, [])
        return list(found.values())


class LaunchDescriptionSource:
    """A launch description, or (in subclasses) the file it is loaded from when needed.

    ``location`` is the path, known after ``get_launch_description``.
    """

    def __init__(
        self,
        launch_description: LaunchDescription | None = None,
        location: SomeSubstitutionsType = "<string>",
    ) -> None:
        self._launch_description = launch_description
        self._location = normalize_to_list_of_substitutions(location)
        self.location = ""

    def try_get_launch_description_without_context(self) -> LaunchDescription | None:
        """Return the description if its location is known before the launch, else None."""
        if self._launch_description is not None:
            return self._launch_description
        try:
            return self._load(perform_substitutions(LaunchContext(), self._location))
        except Exception as error:  # a launch file can raise anything
            get_logger(__name__).debug("cannot load this without a context: %s", error)
            return None

    def get_launch_description(self, context: LaunchContext) -> LaunchDescription:
        """Return the description; the first call loads it."""
        self.location = self.location or perform_substitutions(context, self._location)
        if self._launch_description is None:
            self._launch_description = self._load(self.location)
        return self._launch_description

    def _load(self, location: str) -> LaunchDescription:
        raise RuntimeError(
            "a LaunchDescriptionSource without a launch description cannot load one"
        )


class InvalidLaunchFileError(Exception):
    """A launch file has a syntax error, raised an error or has an unknown format."""


class InvalidPythonLaunchFileError(Exception):
    """A Python launch file lacks generate_launch_description()."""


def get_launch_description_from_python_launch_file(
    python_launch_file_path: str,
) -> LaunchDescription:
    """Return what the file's ``generate_launch_description()`` returns."""
    loader = SourceFileLoader("python_launch_file", python_launch_file_path)
    spec = spec_from_loader(loader.name, loader)
    assert spec is not None
    module = module_from_spec(spec)
    try:
        loader.exec_module(module)
    except ModuleNotFoundError as error:
        if error.name is not None and error.name.split(".")[0] in PACKAGES:
            raise ImportError(not_covered(error.name), name=error.name) from error
        raise
    if not hasattr(module, "generate_launch_description"):
        raise InvalidPythonLaunchFileError(
            f"'{python_launch_file_path}' has no function generate_launch_description(), "
            "which a Python launch file needs"
        )
    description: LaunchDescription = module.generate_launch_description()
    return description


def get_launch_description_from_any_launch_file(launch_file_path: str) -> LaunchDescription:
    """Return the description in a launch file; only Python launch files are supported.

    Raises InvalidLaunchFileError, which names the cause, if the file cannot be loaded.
    """
    extension = os.path.splitext(launch_file_path)[1].lstrip(".")
    if extension not in ("", "py"):
        raise InvalidLaunchFileError(not_covered(f"'{launch_file_path}', not in Python,"))
    try:
        return get_launch_description_from_python_launch_file(launch_file_path)
    except Exception as error:  # a launch file can raise anything
        raise InvalidLaunchFileError(
            f"loading the {extension} launch file failed:\n - {type(error).__name__}: {error}"
        ) from error


class PythonLaunchDescriptionSource(LaunchDescriptionSource):
    """A Python launch file."""

    def __init__(self, launch_file_path: SomeSubstitutionsType) -> None:
        super().__init__(None, launch_file_path)

    def _load(self, location: str) -> LaunchDescription:
        return get_launch_description_from_python_launch_file(location)


class AnyLaunchDescriptionSource(PythonLaunchDescriptionSource):
    """A launch file of any supported kind."""

    def _load(self, location: str) -> LaunchDescription:
        return get_launch_description_from_any_launch_file(location)
