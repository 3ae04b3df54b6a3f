"""pip installs the library with its data, without programs that need ROS 2.

``scripts/try_pip_install.py`` does it with PyPI, in an empty environment. Here nothing is fetched.
"""

import os
import shutil
import sys
import tarfile
import zipfile
from email.parser import Parser
from pathlib import Path

import pytest

from harness.processes import run
from rigid_tree_kinematics import list_robots
from rigid_tree_kinematics.collision import list_scenes

ROOT = Path(__file__).parents[1]
NOT_SOURCES = (".*", "build", "install", "log", "test", "benchmarks", "standalone")
IGNORED = shutil.ignore_patterns(*NOT_SOURCES, "__pycache__", "*.egg-info")


def build(sources: Path, kind: str, out: Path) -> Path:
    """Build as pip does, with the setuptools of this environment."""
    code = "import sys; from setuptools.build_meta import __legacy__ as backend; "
    code += f"backend.build_{kind}(sys.argv[1])"
    result = run(sys.executable, "-c", code, out, cwd=sources)
    assert result.returncode == 0, result.stderr
    (made,) = out.glob("*.whl" if kind == "wheel" else "*.tar.gz")
    return made


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    """Build a source distribution, a wheel from that; return both, unpacked."""
    place = tmp_path_factory.mktemp("pip")
    shutil.copytree(ROOT, place / "clone", ignore=IGNORED)
    # Python 3.11.2 has no filter, 3.14 wants to be told one.
    chosen = {"filter": "data"} if hasattr(tarfile, "data_filter") else {}
    with tarfile.open(build(place / "clone", "sdist", place)) as archive:
        archive.extractall(place, **chosen)
    (sources,) = place.glob("rigid_tree_kinematics-*/")
    with zipfile.ZipFile(build(sources, "wheel", place)) as archive:
        archive.extractall(place / "site-packages")
    return sources, place / "site-packages"


def test_the_wheel_has_every_module_and_all_data(folders):
    _, wheel = folders
    package = wheel / "rigid_tree_kinematics"
    for folder in ("rigid_tree_kinematics", "robots", "scenes"):
        there = package if folder == package.name else package / folder
        wanted = {p.relative_to(ROOT / folder) for p in (ROOT / folder).rglob("*") if p.is_file()}
        wanted = {path for path in wanted if "__pycache__" not in path.parts}
        assert wanted <= {p.relative_to(there) for p in there.rglob("*") if p.is_file()}
    assert {path.name.split("-")[0] for path in wheel.iterdir()} == {"rigid_tree_kinematics"}


def test_wheel_lists_its_dependencies(folders):
    (info,) = folders[1].glob("*.dist-info")
    metadata = Parser().parsestr((info / "METADATA").read_text())
    needed = metadata.get_all("Requires-Dist")
    always = {line.split(">")[0].lower() for line in needed if "extra ==" not in line}
    arrays = {"numba", "numpy", "scipy"}
    meshes = {"manifold3d", "pycollada", "trimesh"}
    assert always == {*arrays, *meshes, "pyyaml", "tqdm", "xacro"}
    extras = metadata.get_all("Provides-Extra")
    tasks = {"planning", "figures"}
    others = {"meshes", "mjcf", "urdf_parser", "pinocchio", "robot_descriptions"}
    others |= {"batch", "nao", "web"}
    assert {extra.replace("-", "_") for extra in extras} == {*tasks, *others, "all"}
    of_others = [line for line in needed if not line.startswith("rigid-tree-")]
    named = [line.partition(">")[0] for line in of_others if "extra ==" in line]
    of_all = [line.partition(">")[0] for line in needed if line.endswith('extra == "all"')]
    assert set(of_all) == set(named)
    assert not (info / "entry_points.txt").exists()


def test_an_installed_package_finds_its_robots_and_scenes(folders, tmp_path):
    """Without compiling the kernels, of which there are none yet."""
    code = "import rigid_tree_kinematics as r; from rigid_tree_kinematics.collision import "
    code += "list_scenes; from rigid_tree_kinematics.description.robots import bundled_folder; "
    code += "print(r.__file__, bundled_folder('robots'), *r.list_robots(), *list_scenes())"
    kept = {"PYTHONPATH": str(folders[1]), "PATH": os.environ["PATH"], "NUMBA_DISABLE_JIT": "1"}
    result = run(sys.executable, "-c", code, cwd=tmp_path, env=kept)
    assert result.returncode == 0, result.stderr
    package = folders[1] / "rigid_tree_kinematics"
    assert result.stdout.split() == [
        str(package / "__init__.py"),
        str(package / "robots"),
        *list_robots(),
        *list_scenes(),
    ]


def test_the_source_distribution_is_enough_for_colcon(folders):
    sources, _ = folders
    tree = {path.relative_to(ROOT) for path in (ROOT / "launch").glob("*.launch.py")}
    tree |= {Path("package.xml"), Path("setup.cfg"), Path("resource/rigid_tree_kinematics")}
    tree |= {path.relative_to(ROOT) for path in (ROOT / "packages").rglob("*.srv")}
    assert not [path for path in tree if not (sources / path).is_file()]


def test_a_missing_package_names_its_extra(folders, tmp_path):
    code = "from rigid_tree_kinematics.needed_packages import MissingPackageError as E; "
    code += "print(E('coal', 'x')); print(E('pinocchio', 'x', 'pip install pin')); "
    code += "print(E('y', 'x'))"
    kept = {"PYTHONPATH": str(folders[1]), "PATH": os.environ["PATH"]}
    result = run(sys.executable, "-c", code, cwd=tmp_path, env=kept)
    commands = [line.partition("installed: ")[2] for line in result.stdout.splitlines()]
    extra = 'pip install "rigid_tree_kinematics[{}]"'
    assert commands == [extra.format("planning"), extra.format("pinocchio"), "pip install y"]
