"""The disk cache of fits: computed once, replaced if damaged, read only from trusted folders."""

import logging
import os
import stat
import sys

import numpy as np
import pytest
import trimesh

from harness.cases import case
from harness.processes import run
from rigid_tree_kinematics.collision import (
    CollisionChecker,
    LeftOut,
    PointCloud,
    Prism,
    Triangles,
)
from rigid_tree_kinematics.collision.shapes import fit_cache
from rigid_tree_kinematics.collision.shapes.fit_cache import (
    cache_folder,
    cached_fit,
    fitted_spheres,
    shape_fingerprint,
)
from rigid_tree_kinematics.collision.shapes.spheres import fit_spheres
from rigid_tree_kinematics.description import read_urdf_file
from rigid_tree_kinematics.model import Box, Cylinder, Sphere

LINK = """<link name="{0}"><collision><geometry><mesh filename="{0}.stl"/></geometry></collision>
</link>"""
JOINT = """<joint name="{0} {1}" type="revolute"><parent link="{0}"/><child link="{1}"/>
<origin xyz="0.3 0 0"/><axis xyz="0 0 1"/><limit lower="-1" upper="1" effort="1" velocity="1"/>
</joint>"""


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path / "rigid_tree_kinematics" / "fits"


def test_a_shape_is_fitted_once(cache, monkeypatch):
    shape = Box((1.0, 1.6, 0.05))
    first = fitted_spheres(shape)
    assert len(list(cache.iterdir())) == 1
    monkeypatch.setattr(fit_cache, "fit_spheres", pytest.fail)
    np.testing.assert_array_equal(fitted_spheres(Box((1.0, 1.6, 0.05))), first)


def test_corrupt_file_is_rebuilt(cache):
    shape = Box((0.3, 0.2, 0.1))
    wanted = fitted_spheres(shape)
    (file,) = cache.iterdir()
    whole = file.read_bytes()
    fitted_spheres(Box((0.3, 0.2, 0.2)))
    (other,) = set(cache.iterdir()) - {file}
    for damage, content in {
        "empty": b"",
        "nonsense": b"nonsense",
        "half": whole[: len(whole) // 2],
        "a bit": whole[:-3] + bytes([whole[-3] ^ 1]) + whole[-2:],
        "another array": other.read_bytes()[:-1] + b"\0",
    }.items():
        with case(damage):
            file.write_bytes(content)
            np.testing.assert_array_equal(fitted_spheres(shape), wanted)
            assert file.read_bytes() == whole


def test_a_folder_that_cannot_be_written_costs_time_only(tmp_path, monkeypatch):
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    os.chmod(blocked, stat.S_IRUSR)
    monkeypatch.setenv("XDG_CACHE_HOME", str(blocked))
    shape = Box((0.3, 0.2, 0.1))
    np.testing.assert_array_equal(fitted_spheres(shape), fit_spheres(shape))


def test_fingerprints_tell_shapes_apart():
    corners, faces = np.eye(4)[:, :3], [(0, 1, 2), (0, 3, 1), (0, 2, 3), (1, 3, 2)]
    shapes = [Box((0.3, 0.3, 0.3)), Box((0.3, 0.3, 0.31)), Sphere(0.2), Sphere(0.21)]
    shapes += [Cylinder(0.05, 0.6), Cylinder(0.6, 0.05), Prism(np.eye(3)[:, :2], -0.2, 0.1)]
    shapes += [Triangles(corners, faces), Triangles(2.0 * corners, faces)]
    shapes += [PointCloud([(0, 0, 0)], radius) for radius in (0.1, 0.2)]
    assert len({shape_fingerprint(shape) for shape in shapes}) == len(shapes)


def three_links(folder, side):
    """Write a robot of three links in a row, 0.3 m apart; the last one is a cube."""
    links = "".join(map(LINK.format, "abc"))
    joints = "".join(JOINT.format(*pair) for pair in ("ab", "bc"))
    (folder / "robot.urdf").write_text(f'<robot name="three">{links}{joints}</robot>')
    for name, size in zip("abc", (0.1, 0.1, side), strict=True):
        trimesh.creation.box((size, size, size)).export(folder / f"{name}.stl")
    return folder / "robot.urdf"


def test_a_checker_in_another_process_reads_no_mesh_until_the_exact_level_is_needed(
    cache, tmp_path
):
    urdf = three_links(tmp_path, 0.1)
    program = (
        "import sys\n"
        "from rigid_tree_kinematics.collision import CollisionChecker\n"
        "from rigid_tree_kinematics.description import read_urdf_file\n"
        f"checker = CollisionChecker(read_urdf_file('{urdf}'))\n"
        "assert checker.is_free([0, 0]) and checker.self_pairs == (('a', 'c'),)\n"
        "used = {'trimesh', 'coal', 'scipy.spatial'} & set(sys.modules)\n"
        "distance = checker.distance([0, 0]).distance\n"
        "print(sorted(used), abs(distance - 0.5) < 1e-6, 'coal' in sys.modules)"
    )
    for used in ("['scipy.spatial']", "[]"):
        output = run(sys.executable, "-c", program, check=True).stdout
        assert output.strip() == f"{used} True True"


def test_pairs_always_in_contact_are_found_again_when_a_mesh_changes(cache, tmp_path):
    urdf = three_links(tmp_path, 1.4)
    before = [CollisionChecker(read_urdf_file(urdf)).left_out_pairs for _ in range(2)]
    assert before[0] == before[1]
    assert before[0]["a", "c"] is LeftOut.ALWAYS
    three_links(tmp_path, 0.1)
    os.utime(tmp_path / "c.stl", ns=(1, 1))
    assert CollisionChecker(read_urdf_file(urdf)).self_pairs == (("a", "c"),)


def test_a_fit_that_others_may_have_planted_is_made_again(monkeypatch, tmp_path, caplog):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    right, wrong = np.ones((1, 4)), np.zeros((1, 4))
    cached_fit("planted", lambda: wrong)
    assert np.all(cached_fit("planted", lambda: right) == wrong)  # it is on disk
    (tmp_path / "rigid_tree_kinematics").rename(tmp_path / "moved")
    (tmp_path / "rigid_tree_kinematics").symlink_to(tmp_path / "moved")
    (tmp_path / "moved" / "fits").chmod(0o777)
    with caplog.at_level(logging.WARNING):
        assert np.all(cached_fit("planted", lambda: right) == right)
        assert np.all(cached_fit("planted", lambda: right) == right)
    (record,) = caplog.records
    assert f"chmod go-w '{cache_folder().resolve()}'" in record.getMessage()
