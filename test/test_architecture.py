"""The import rules of the package, including imports in functions and for types.

An import is an arrow from a module to the module that it names. Arrows run downwards through the
floors, with two exceptions (LAZY_ARROWS_UPWARDS): a tree shows itself with ``figures``, and
``get_transform`` calls a kernel, whose file imports no tree and therefore closes no circle."""

import ast
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import rigid_tree_kinematics
from rigid_tree_kinematics.kernels.build import kernel_modules
from rigid_tree_kinematics.kernels.sources import sources_of

PACKAGE = Path(rigid_tree_kinematics.__file__).resolve().parent
NAME = PACKAGE.name

# From the ground up: a room imports from those below it.
FLOORS = (
    "arrays",
    "text",
    "errors",
    "needed_packages",
    "gif",
    "files",
    "kernels",
    "deadline",
    "lazy_names",
    "model",
    "description",
    "conversions",
    "kinematics",
    "trajectories",
    "dynamics",
    "collision",
    "execution",
    "perception",
    "ik",
    "servo",
    "planning",
    "figures",
    "nodes",
    "compile_kernels",
    "",  # the __init__ of the package, for those outside
    "rviz_configs",
    "launching",  # for launch files
    "python",  # the program
)
LAZY_ARROWS_UPWARDS = {
    ("model.tree", "figures"),
    ("model.tree", "kinematics.kernels"),
}
OF_ROS = ("nodes", "launching")
# What the library is made with; nothing of ROS is among it.
LIBRARIES = (
    "IPython PIL coal collada distributed imageio_ffmpeg llvmlite manifold3d markdown_it "
    "matplotlib mcap mcap_ros2 mpl_toolkits mujoco nh3 numba numpy pinocchio pyarrow qi "
    "robot_descriptions scipy tqdm trimesh urdf_parser_py viser websockets xacro yaml zarr"
)


def module_of(path: Path) -> str:
    """Return a file's module without the package's name: "ik.solver", "ik" for its __init__."""
    parts = path.relative_to(PACKAGE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


FILES = {module_of(path): path for path in sorted(PACKAGE.rglob("*.py"))}


@cache
def nodes_of(path: Path) -> list[ast.AST]:
    """Return all nodes of a file's syntax tree."""
    return list(ast.walk(ast.parse(path.read_text(), str(path))))


def imports_of(path: Path) -> Iterator[tuple[str, str]]:
    """Yield (module, name or ""), for every import anywhere in a file."""
    for node in nodes_of(path):
        if isinstance(node, ast.Import):
            yield from ((alias.name, "") for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno}: a relative import"
            yield from ((node.module or "", alias.name) for alias in node.names)


def inside(module: str, name: str) -> str | None:
    """Return the module of the package that an import names, None if it is of another package."""
    top, _, rest = module.partition(".")
    if top != NAME:
        return None
    below = f"{rest}.{name}".strip(".")
    return below if below in FILES and name not in offered_by(rest) else rest


@cache
def offered_by(module: str) -> set[str]:
    """Return ``__all__`` of a door, or else what it imports; nothing for other modules."""
    if module not in FILES or FILES[module].name != "__init__.py":
        return set()
    offered = set()
    for node in ast.walk(ast.parse(FILES[module].read_text())):
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            return set(ast.literal_eval(node.value))
        if isinstance(node, ast.ImportFrom):
            offered |= {alias.name for alias in node.names}
    return offered


@cache
def all_arrows() -> dict[str, set[str]]:
    """Return what each module imports of the package."""
    return {
        module: {
            target
            for target in (inside(*found) for found in imports_of(path))
            if target not in (None, module) and (module, target) not in LAZY_ARROWS_UPWARDS
        }
        for module, path in FILES.items()
    }


def room_of(module: str) -> str:
    return module.partition(".")[0]


def test_arrows_run_downwards() -> None:
    upwards = [
        f"{module} -> {target}"
        for module, targets in all_arrows().items()
        for target in targets
        if FLOORS.index(room_of(target)) > FLOORS.index(room_of(module))
    ]
    assert not upwards


def in_circles(arrows: dict[str, set[str]]) -> list[str]:
    """Return what an arrow leads back to, through others."""
    circles = []
    for start in list(arrows):
        found: set[str] = set()
        waiting = list(arrows[start] - {start})
        while waiting:
            target = waiting.pop()
            if target not in found:
                found.add(target)
                waiting.extend(arrows[target])
        circles += [start] if start in found else []
    return circles


def test_the_lazy_arrows_are_there_and_are_lazy() -> None:
    for module, target in LAZY_ARROWS_UPWARDS:
        assert target in [inside(*found) for found in imports_of(FILES[module])]
        at_once = ast.parse(FILES[module].read_text()).body
        loaded = [inside(n.module or "", "") for n in at_once if isinstance(n, ast.ImportFrom)]
        assert target not in loaded, module


def test_the_library_knows_nothing_of_ros() -> None:
    strangers = [
        f"{module} imports {found}"
        for module, path in FILES.items()
        if room_of(module) not in OF_ROS
        for found, _ in imports_of(path)
        if found.partition(".")[0] not in {NAME, *LIBRARIES.split(), *sys.stdlib_module_names}
    ]
    assert not strangers


def test_no_node_is_imported() -> None:
    programs = (PACKAGE / "nodes", PACKAGE / "nodes" / "tools")
    nodes = {
        module
        for module, path in FILES.items()
        if path.parent in programs and path.name != "__init__.py"
    }
    assert len(nodes) > 8
    assert not [
        f"{module} -> {target}"
        for module, targets in all_arrows().items()
        for target in targets & nodes
    ]


KERNEL_SOURCES = {
    source for name in kernel_modules() for source in sources_of(FILES[name.partition(".")[2]])
}


def folder_of(module: str) -> str:
    """Return the room or sub-room that a module is in; a door is in its own room.

    Each file beside the rooms is a room of its own.
    """
    is_room = FILES[module].name == "__init__.py" or "." not in module
    return module if is_room else module.rpartition(".")[0]


def test_names_of_a_folder_are_imported_from_its_init() -> None:
    # Kernels are compiled again when a file changes that they import: they import single files.
    around = []
    for module, path in FILES.items():
        if path in KERNEL_SOURCES:
            continue
        here = f"{folder_of(module)}."
        for found, name in imports_of(path):
            target = inside(found, name)
            room = folder_of(target) if target is not None else ""
            if room and target != room and not here.startswith(f"{room}."):
                around += [f"{module}: {name}"] if name in offered_by(room) else []
    assert not around


def test_no_folder_imports_itself_through_others() -> None:
    arrows: dict[str, set[str]] = defaultdict(set)
    for module, targets in all_arrows().items():
        if FILES[module].name != "__init__.py":  # a door leads inwards
            arrows[folder_of(module)] |= {folder_of(target) for target in targets}
    assert not [folder for folder in in_circles(arrows) if folder]


def test_a_folder_has_at_most_twelve_files() -> None:
    tests = Path(__file__).parent.rglob("*.py")
    sizes = Counter(path.parent for path in (*FILES.values(), *tests))
    assert not {str(folder): size for folder, size in sizes.items() if size > 12}


def test_a_file_has_at_most_four_hundred_lines() -> None:
    lines = {module: len(path.read_text().splitlines()) for module, path in FILES.items()}
    assert not {module: count for module, count in lines.items() if count > 400}


def test_a_function_has_at_most_sixty_lines() -> None:
    longer = [
        f"{module}: {node.name}"
        for module, path in FILES.items()
        for node in nodes_of(path)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and (node.end_lineno or 0) - node.lineno >= 60
    ]
    assert not longer


# -- names of test files -------------------------------------------------------------------------


ROOT = Path(__file__).parents[1]


def module_names() -> Iterator[str]:
    for folder in (ROOT / "test", ROOT / "standalone" / "test"):
        for path in folder.rglob("test_*.py"):
            names = [path.stem]
            while (path.parent / "__init__.py").exists():
                path = path.parent
                names.append(path.name)
            yield ".".join(reversed(names))


def test_no_two_files_have_the_same_module_name():
    assert [name for name, count in Counter(module_names()).items() if count > 1] == []
