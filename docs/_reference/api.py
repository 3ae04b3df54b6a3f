"""Pages of the library's packages: which names they offer; autodoc fills in the docstrings."""

from __future__ import annotations

import importlib
import inspect
from typing import get_origin

import numpy as np

# Each becomes a page; the modules after a package are documented below it.
ROOMS = {
    "description": ("Loading and writing robots", ()),
    "model": ("The model of a robot", ("model.transforms",)),
    "conversions": ("Other libraries' objects", ()),
    "kinematics": ("Frames and Jacobians", ()),
    "ik": ("Inverse kinematics", ()),
    "collision": ("Collisions", ()),
    "planning": (
        "Motion planning",
        ("planning.configuration_map", "planning.planar_demo"),
    ),
    "execution": ("Execution of trajectories", ()),
    "dynamics": ("Dynamics", ()),
    "servo": ("Servoing", ()),
    "perception": ("Perception", ()),
    "figures": ("Figures", ()),
    "errors": ("Errors", ()),
}
# The library parts of other packages.
EXTENSIONS = {
    "rigid_tree_batch": "Maps and datasets",
    "rigid_tree_nao": "NAO",
    "rigid_tree_web": "The page without ROS",
}
# The names of a package by task, in the order of their use; the last heading has the others.
TASKS = {
    "ik": {
        "Solvers": "InverseKinematics GeneralizedInverseKinematics IKTracker MultiIKTracker "
        "free_solutions projected_solutions each_solution loop_constraints",
        "Results": "IKResult IKStatus IKBatch GeneralizedIKResult Violation",
        "Differential inverse kinematics": "DifferentialIK DifferentialStep StepStatus FrameTask "
        "RelativeFrameTask PostureTask ComTask LookAtTask JointVelocityTask CollisionBarrier "
        "PositionBarrier PlaneBarrier",
        "Constraints": "",
    },
    "description": {
        "Load": "load_robot list_robots read_urdf read_urdf_file read_xacro_file xacro_text "
        "read_table read_table_file read_description read_sdf read_sdf_file read_mjcf "
        "read_mjcf_file",
        "Write": "write_urdf mjcf_srdf",
        "Shapes and meshes": "",
    },
    "model": {
        "Trees": "RigidBodyTree RigidBody Joint Loop CompiledTree",
        "Shapes": "Visual Collision Geometry Box Cylinder Sphere Mesh Material",
        "Properties of bodies and joints": "",
    },
    "collision": {
        "Checks": "CollisionChecker CollisionReport Contact Distance LeftOut nearest_free "
        "SceneCheckers",
        "Scenes": "Scene Obstacle PlacedShape AttachedObstacle AllowedCollisions load_scene "
        "list_scenes read_scene read_moveit_scene moveit_scene_text",
        "Shapes of obstacles": "",
    },
    "planning": {
        "Plans between configurations": "MotionPlanner PlanSettings PlanResult PlanStatus "
        "PlanSeconds PoseGoal PoseRegion ConstrainedGoal Progress",
        "Motions of a tool": "follow_straight_line follow_lines_in_step move_tool StraightLine "
        "ToolPath ToolLine ToolArc ToolLimits arc_about arc_through JumpLimits exact_solver",
        "Trajectories": "Trajectory move_joints joined blended distance_between_ends eased "
        "rest_to_rest_time joint_excess speed_excess SMALLEST_SCALE",
        "Other spaces": "",
    },
}
NAME = "rigid_tree_kinematics"
# Members that classes inherit from these are Python's.
OF_PYTHON = "Enum, dict, int, str, tuple"
# What test_examples_in_docstrings.py gives the examples.
IN_EXAMPLES = (
    "The examples use the names of this module, ``import numpy as np`` and "
    f"``from {NAME} import load_robot``; they import other names."
)


def api_pages() -> dict[str, str]:
    """Return reStructuredText by the name of the page."""
    pages = {f"api_{room}.rst": _page(room, *about) for room, about in ROOMS.items()}
    for name, title in EXTENSIONS.items():
        text = "\n\n".join([_heading(f"{title}: {name}", "="), _module(name)])
        pages[f"api_{name.removeprefix('rigid_tree_')}.rst"] = f"{text}\n"
    return pages


def _page(room: str, title: str, further: tuple[str, ...]) -> str:
    parts = [_heading(f"{title}: {room}", "="), _module(f"{NAME}.{room}")]
    for name in further:
        parts += [_heading(name, "-"), _module(f"{NAME}.{name}")]
    return "\n\n".join(parts) + "\n"


def _heading(text: str, line: str) -> str:
    return f"{text}\n{line * len(text)}"


def _module(name: str) -> str:
    module = importlib.import_module(name)
    parts = [f".. module:: {name}", f"``from {name} import ...``", inspect.getdoc(module) or ""]
    items = _public(module)
    if any(">>>" in (inspect.getdoc(getattr(module, item)) or "") for item in items):
        parts.append(IN_EXAMPLES)
    tasks = TASKS.get(name.removeprefix(f"{NAME}."), {"": ""})
    rest = list(items)
    for title, names in tasks.items():
        listed = names.split() or list(rest)
        rest = [item for item in rest if item not in listed]
        parts += [_heading(title, "-")] * bool(title)
        parts += [_entry(module, item) for item in listed]
    return "\n\n".join(parts)


def _public(module: object) -> list[str]:
    """Return what a module offers: ``__all__``, or else what it defines itself."""
    listed = getattr(module, "__all__", None)
    if listed is not None:
        return [name for name in listed if not name.startswith("_")]
    own = vars(module)["__name__"]
    return [
        name
        for name, value in vars(module).items()
        if not name.startswith("_") and getattr(value, "__module__", None) == own
    ]


def _entry(module: object, name: str) -> str:
    value = getattr(module, name)
    place = f"{vars(module)['__name__']}.{name}"
    if inspect.isclass(value):
        members = "\n   :members:"
        if not issubclass(value, Exception):
            members += f"\n   :inherited-members: {OF_PYTHON}"
        return f".. autoclass:: {place}{members}"
    if get_origin(value) or isinstance(value, np.dtype):  # NumPy's docstrings stay NumPy's
        return f".. data:: {name}"
    return f".. auto{'function' if callable(value) else 'data'}:: {place}"
