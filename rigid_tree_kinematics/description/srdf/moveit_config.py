"""MoveIt configuration packages, as written by its setup assistant, for moveit.launch.py."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from rigid_tree_kinematics.errors import ConfigurationError

CONTROLLERS = "moveit_controllers.yaml"
POSITIONS = "initial_positions.yaml"
MANAGER = "moveit_simple_controller_manager"
SIMULATED = {  # types of controllers, and the simulator's parameters with their names
    "FollowJointTrajectory": "controllers",
    "GripperCommand": "gripper_controllers",
    "ParallelGripperCommand": "parallel_gripper_controllers",
}
PLANNING, KINEMATICS = "robot_description_planning", "robot_description_kinematics"


@dataclass(frozen=True)
class MoveItConfig:
    """A configuration package: its files, and the node parameters in them."""

    robot: str  # path
    srdf: str  # path
    simulator: dict[str, Any]  # parameters
    move_group: dict[str, Any]  # parameters
    used: tuple[str, ...]  # names of files
    ignored: tuple[str, ...]  # names of files, and of keys that cannot be parameters

    @property
    def summary(self) -> str:
        """The files that are used and ignored, in a sentence."""
        ignored = f"; ignored: {', '.join(self.ignored)}" if self.ignored else ""
        return f"configuration of MoveIt: {', '.join(self.used)}{ignored}"


def read_moveit_config(folder: str | Path, controllers: str = CONTROLLERS) -> MoveItConfig:
    """Return the configuration in a package's folder; raises ConfigurationError.

    ``controllers`` is the name of the file with the controllers; only the default may be missing.
    """
    place = Path(folder) / "config"
    if controllers != CONTROLLERS and not (place / controllers).is_file():
        raise ConfigurationError(f"'{place}' has no file {controllers}")
    robot, srdf = _only(place, ".urdf.xacro", ".urdf"), _only(place, ".srdf", ".srdf.xacro")
    files = {
        name: _yaml(place / name)
        for name in (
            POSITIONS,
            controllers,
            "pilz_cartesian_limits.yaml",
            "joint_limits.yaml",
            "kinematics.yaml",
        )
        if (place / name).is_file()
    }
    limits, kinematics = (files.get(f"{name}.yaml", {}) for name in ("joint_limits", "kinematics"))
    for joint, given in _part(files, "joint_limits.yaml", "joint_limits").items():
        if not isinstance(given, dict):
            raise ConfigurationError(f"joint_limits.yaml: '{joint}' must be a mapping of names")
    simulator = _controllers(_part(files, controllers, MANAGER), controllers)
    if POSITIONS in files:
        simulator |= read_initial_positions(place / POSITIONS)
    pilz = files.get("pilz_cartesian_limits.yaml", {})
    move_group = _flat({PLANNING: limits | pilz, KINEMATICS: kinematics})
    move_group |= _flat(files.get(controllers, {}))
    lost = [f"{name} (not a parameter)" for name, value in move_group.items() if value is None]
    move_group = {name: value for name, value in move_group.items() if value is not None}
    used = (robot.name, srdf.name, *files)
    others = sorted(path.name for path in place.glob("*.yaml") if path.name not in files)
    return MoveItConfig(str(robot), str(srdf), simulator, move_group, used, (*others, *lost))


def read_initial_positions(path: str | Path) -> dict[str, Any]:
    """Return robot_simulator's parameters of an initial_positions.yaml.

    Raises ConfigurationError if it cannot be read, or has no positions.
    """
    positions = _yaml(Path(path)).get("initial_positions")
    if not isinstance(positions, dict):
        raise ConfigurationError(f"'{path}' must look like 'initial_positions: {{joint: 0.5}}'")
    parameters = {}
    for joint, position in positions.items():
        try:
            parameters[f"initial_positions.{joint}"] = float(position)
        except (TypeError, ValueError) as error:
            raise ConfigurationError(f"'{path}': the position of '{joint}': {error}") from None
    return parameters


def _only(place: Path, *endings: str) -> Path:
    """Return the only file with one of the endings, tried in order."""
    for ending in endings:
        found = sorted(place.glob(f"*{ending}"))
        if len(found) == 1:
            return found[0]
        if found:
            names = ", ".join(path.name for path in found)
            raise ConfigurationError(f"'{place}' has several files *{ending}: {names}")
    raise ConfigurationError(f"'{place}' has no file *{' or *'.join(endings)}")


def _yaml(path: Path) -> dict[str, Any]:
    try:
        content = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, yaml.YAMLError) as error:
        raise ConfigurationError(f"cannot read '{path}': {error}") from error
    if not isinstance(content := {} if content is None else content, dict):
        raise ConfigurationError(
            f"'{path}' must be a mapping of names, not {type(content).__name__}"
        )
    return content


def _part(files: Mapping[str, Any], name: str, key: str) -> dict[str, Any]:
    part = files.get(name, {}).get(key) or {}
    if not isinstance(part, dict):
        raise ConfigurationError(f"{name}: '{key}' must be a mapping of names")
    return part


def _controllers(manager: Mapping[str, Any], file: str) -> dict[str, Any]:
    """Return the simulator's controllers of each kind, and the joints of each."""
    found: dict[str, Any] = {}
    for name in _names(manager, "controller_names", file):
        given = _part({file: manager}, file, name)
        if given.get("type") not in SIMULATED:
            continue
        found.setdefault(SIMULATED[given["type"]], []).append(name)
        if joints := _names(given, "joints", file):
            found[f"{name}.joints"] = joints
    return found


def _names(part: Mapping[str, Any], key: str, file: str) -> list[str]:
    names = part.get(key) or []
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise ConfigurationError(f"{file}: '{key}' must be a list of names")
    return names


def _flat(content: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Return nested values by their dotted names; None for those that parameters cannot have."""
    rows: dict[str, Any] = {}
    for key, value in content.items():
        if isinstance(value, Mapping):
            rows |= _flat(value, f"{prefix}{key}.")
        else:
            items = value if isinstance(value, list) else [value]
            kinds = {type(item) for item in items}
            is_parameter = len(kinds) == 1 and kinds <= {bool, int, float, str}
            rows[f"{prefix}{key}"] = value if is_parameter else None
    return rows
