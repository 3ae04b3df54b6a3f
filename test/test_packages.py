"""The walls between the packages.

The root imports no extension, an extension only what its package.xml names, and of the root's
nodes only rooms for others. A wheel's part of an extension, all but ``nodes/``, knows no ROS. No
file imports itself through others, also not in a function or for types.
"""

import ast
import re
import sys
from collections.abc import Iterator
from functools import cache
from graphlib import TopologicalSorter
from importlib import import_module
from pathlib import Path
from xml.etree import ElementTree

import pytest

from harness.processes import run
from rigid_tree_kinematics import __version__
from rigid_tree_kinematics.nodes import base

ROOT = Path(__file__).parents[1]
NAME = "rigid_tree_kinematics"
EXTENSIONS = sorted(path.parent for path in ROOT.glob("packages/*/setup.py"))
NAMES = [path.name for path in EXTENSIONS]
WITH_LIBRARY = ("rigid_tree_batch", "rigid_tree_nao", "rigid_tree_web")
# Where the key of rosdep is not the name of the module.
KEYS = {
    "collada": "python3-collada",
    "matplotlib": "python3-matplotlib",
    "mpl_toolkits": "python3-matplotlib",
    "llvmlite": "python3-numba",  # Numba's own
    "numba": "python3-numba",
    "numpy": "python3-numpy",
    "scipy": "python3-scipy",
    "tf2_ros": "tf2_ros_py",  # tf2_ros itself is C++ only
    "tqdm": "python3-tqdm",
    "trimesh": "python3-trimesh-pip",
    "urdf_parser_py": "urdfdom_py",
    "yaml": "python3-yaml",
}
# The code does without them. Some come with RViz or MoveIt, the others have no key, or are not
# released for every distribution; Pinocchio's models are for those who have it.
OPTIONAL = {
    *("IPython", "PIL", "dask", "distributed", "imageio_ffmpeg", "interactive_markers"),
    *("manifold3d",),
    *("markdown_it", "mcap", "mcap_ros2", "moveit_msgs", "moveit_task_constructor_msgs"),
    *("mujoco", "naoqi_bridge_msgs", "nh3", "pinocchio", "pyarrow", "pymoveit2", "qi"),
    *("robot_descriptions", "viser", "websockets", "zarr"),
}
# What the extensions use of the root's nodes; move_group and servo are faces of the root's own.
NODES = f"{NAME}.nodes"
BASE = f"{NODES}.base"
PUBLIC_ROOMS = {
    "rigid_tree_batch": {BASE},
    "rigid_tree_demos": {BASE},
    "rigid_tree_moveit": {
        BASE,
        *(f"{NODES}.{room}" for room in ("planning", "scene", "tf")),
    },
    "rigid_tree_nao": {BASE},
    "rigid_tree_web": {BASE, f"{NODES}.motion", f"{NODES}.scene"},
}
# The launch files are started by ros2 launch, and include those of other packages.
NOT_IMPORTED = {
    NAME: {"ros2launch"},
    "rigid_tree_demos": {"rigid_tree_moveit", "rigid_tree_nao", "rigid_tree_web", "ros2launch"},
    "rigid_tree_moveit": {"ros2launch"},
    "rigid_tree_nao": {"ros2launch"},
}


def folders(package: str) -> list[Path]:
    """Return the folders of a package's own code."""
    base = ROOT if package == NAME else ROOT / "packages" / package
    return [base / package, base / "launch"]


@cache
def imports(package: str) -> list[tuple[Path, str, str]]:
    """Return (file, module, name or "") of every import of a package."""

    def found() -> Iterator[tuple[Path, str, str]]:
        for path in (path for folder in folders(package) for path in folder.rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text())):
                if isinstance(node, ast.Import):
                    yield from ((path, alias.name, "") for alias in node.names)
                elif isinstance(node, ast.ImportFrom):
                    yield from ((path, node.module or "", alias.name) for alias in node.names)

    return list(found())


def test_the_root_imports_no_extension() -> None:
    assert not [row for row in imports(NAME) if row[1].partition(".")[0] in NAMES]


def test_the_tests_of_the_root_import_no_extension() -> None:
    """Extensions' tests are in packages/*/test. Examples of the manual may use everything."""
    wrong = re.compile(rf"^\s*(from|import) ({'|'.join(NAMES)}|nao_motion_interfaces)\b", re.M)
    tests = (path for path in (ROOT / "test").rglob("*.py") if "docs" not in path.parts)
    assert not [str(path) for path in tests if wrong.search(path.read_text())]


@pytest.mark.parametrize("package", NAMES)
def test_an_extension_uses_only_public_rooms_of_the_nodes(package: str) -> None:
    assert not {
        f"{module}.{name}"
        for _, module, name in imports(package)
        if f"{module}.{name}.".startswith(f"{NODES}.")
        if module not in PUBLIC_ROOMS[package] or name not in import_module(module).__all__
    }


def test_the_base_of_other_packages_nodes_is_small_and_documented() -> None:
    names = base.__all__
    assert len(names) <= 20
    assert all(hasattr(base, name) for name in names)
    assert not [name for name in names if f"``{name}``" not in str(base.__doc__)]


@pytest.mark.parametrize("package", [NAME, *NAMES])
def test_dependencies_equal_the_imports(package: str) -> None:
    outside = {module.partition(".")[0] for _, module, _ in imports(package)}
    outside -= {*sys.stdlib_module_names, package, *OPTIONAL}
    needed = {KEYS.get(name, name) for name in outside} | NOT_IMPORTED.get(package, set())
    base = ROOT if package == NAME else ROOT / "packages" / package
    root = ElementTree.parse(base / "package.xml").getroot()
    assert {tag.text for kind in ("depend", "exec_depend") for tag in root.iter(kind)} == needed


def module_of(package: str, path: Path) -> str:
    """Return the module of a file, that of a folder for its __init__.py; a launch file's is ""."""
    if folders(package)[0] not in path.parents:
        return ""
    parts = path.relative_to(folders(package)[0].parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def arrows() -> dict[str, set[str]]:
    """Return the modules that each module of all packages imports."""
    found: dict[str, set[str]] = {
        module_of(package, path): set()
        for package in [NAME, *NAMES]
        for path in folders(package)[0].rglob("*.py")
    }
    for package in [NAME, *NAMES]:
        for path, module, name in imports(package):
            here, target = module_of(package, path), f"{module}.{name}"
            target = target if target in found else module
            if here and target in found and target != here:
                found[here].add(target)
    return found


def test_no_file_imports_itself_through_others() -> None:
    targets = arrows()
    targets[f"{NAME}.model.tree"].remove(f"{NAME}.figures")  # tree.show()
    TopologicalSorter(targets).prepare()  # raises an error that names the files of a circle


def test_the_build_depends_on_what_compiling_kernels_imports() -> None:
    code = """
import importlib, sys
from rigid_tree_kinematics.kernels.build import kernel_modules
import rigid_tree_kinematics.compile_kernels
for name in kernel_modules(): importlib.import_module(name)
print(*{name.partition(".")[0] for name in sys.modules})
"""
    loaded = run(sys.executable, "-c", code).stdout.split()
    needed = {KEYS[name] for name in loaded if name in KEYS}
    tags = ElementTree.parse(ROOT / "package.xml").getroot().iter("build_depend")
    assert {tag.text for tag in tags} == needed | {"python3-dev"}


@pytest.mark.parametrize("package", WITH_LIBRARY)
def test_a_wheels_part_knows_nothing_of_ros(package: str) -> None:
    known = {*sys.stdlib_module_names, *OPTIONAL, *KEYS, package, NAME}
    assert not [
        f"{path.name} imports {module}"
        for path, module, _ in imports(package)
        if "nodes" not in path.parts and "launch" not in path.parts
        if module.partition(".")[0] not in known or module.startswith(f"{NAME}.nodes")
    ]


def test_versions_agree() -> None:
    texts = [path.read_text() for path in (ROOT / "setup.py", *ROOT.glob("packages/*/setup.py"))]
    # catkin_prepare_release finds only this form.
    assert all(f'    version="{__version__}",\n' in text for text in texts)
    versions = {
        ElementTree.parse(path).getroot().findtext("version")
        for path in (ROOT / "package.xml", *ROOT.glob("packages/*/package.xml"))
    }
    assert versions == {__version__}


def test_the_graph_of_the_packages_is_up_to_date() -> None:
    ended = run(sys.executable, ROOT / "scripts" / "draw_packages.py", "--check")
    assert ended.returncode == 0, ended.stdout + ended.stderr
