"""package.xml has exactly the imported packages, by rosdep keys."""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

ROOT = Path(__file__).parents[1]
# Where the key of rosdep is not the name of the module.
KEYS = {
    "llvmlite": "python3-numba",  # Numba's own
    "matplotlib": "python3-matplotlib",
    "mpl_toolkits": "python3-matplotlib",
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
_OPTIONAL = (
    "IPython PIL distributed imageio_ffmpeg interactive_markers markdown_it mcap mcap_ros2 "
    "moveit_msgs moveit_task_constructor_msgs naoqi_bridge_msgs nh3 pinocchio pyarrow qi "
    "robot_descriptions viser websockets zarr"
)
OPTIONAL = set(_OPTIONAL.split())
# trimesh reads .dae meshes with pycollada; the launch files are started by ros2 launch.
NOT_IMPORTED = {"python3-collada", "ros2launch"}


def imported_modules() -> Iterator[str]:
    for folder in ("rigid_tree_kinematics", "launch"):
        for path in (ROOT / folder).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text())):
                if isinstance(node, ast.Import):
                    yield from (alias.name.split(".")[0] for alias in node.names)
                elif isinstance(node, ast.ImportFrom) and node.level == 0:
                    yield node.module.split(".")[0]


def test_dependencies_equal_the_imports():
    outside = set(imported_modules()) - set(sys.stdlib_module_names) - {"rigid_tree_kinematics"}
    needed = {KEYS.get(name, name) for name in outside - OPTIONAL} | NOT_IMPORTED
    package = ElementTree.parse(ROOT / "package.xml").getroot()
    named = {tag.text for kind in ("depend", "exec_depend") for tag in package.iter(kind)}
    assert named == needed
    assert outside >= OPTIONAL
