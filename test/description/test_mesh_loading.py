"""Meshes load in meters, scaled and merged; hostile files raise errors; packages are found."""

import os
import zipfile
from importlib import metadata
from pathlib import Path

import numpy as np
import pytest
import trimesh

from harness.cases import case
from harness.example_robots import ROBOTS, read
from rigid_tree_kinematics import load_robot
from rigid_tree_kinematics.description import (
    load_mesh,
    read_urdf,
    resolve_mesh_path,
    use_real_meshes,
    write_urdf,
)
from rigid_tree_kinematics.description.meshes import load_triangles
from rigid_tree_kinematics.description.meshes.packages import find_package
from rigid_tree_kinematics.description.meshes.simple_files import read_obj
from rigid_tree_kinematics.description.other_packages import FILES
from rigid_tree_kinematics.errors import DescriptionError, RigidTreeError
from rigid_tree_kinematics.model import Mesh
from rigid_tree_kinematics.needed_packages import MissingPackageError

# A tetrahedron of volume 1/6 whose corner is at the origin.
CORNERS = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], dtype=float)
FACES = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]

COLLADA = """<?xml version="1.0"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset>{unit}<up_axis>{up}</up_axis></asset>
<library_geometries><geometry id="g"><mesh>
<source id="p"><float_array id="f" count="12">0 0 0 1 0 0 0 1 0 0 0 1</float_array>
<technique_common><accessor source="#f" count="4" stride="3"><param name="X" type="float"/>
<param name="Y" type="float"/><param name="Z" type="float"/></accessor></technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
<triangles count="4" material="m"><input semantic="VERTEX" source="#v" offset="0"/>
<p>0 2 1 0 1 3 0 3 2 1 2 3</p></triangles></mesh></geometry></library_geometries>
<library_visual_scenes><visual_scene id="s">
<node><translate>10 0 0</translate><instance_geometry url="#g">{bind}</instance_geometry></node>
<node><instance_geometry url="#g"/></node>
</visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#s"/></scene></COLLADA>"""

TRIANGLE = "v 0 0 0\nv 1 0 0\nv 0 {} 0\nf 1 2 3\n"
FACET = "solid s\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 {} 0\n"
FACET += "endloop\nendfacet\nendsolid s\n"


def load(path: Path) -> trimesh.Trimesh:
    return load_mesh(Mesh(str(path)))


def collada(unit: str = "", number: str = "1", up: str = "Z_UP", bind: str = "") -> str:
    text = COLLADA.format(unit=unit, up=up, bind=bind)
    return text.replace("0 0 1</float", f"0 0 {number}</float")


@pytest.fixture(autouse=True)
def no_packages(monkeypatch):
    for variable in ("AMENT_PREFIX_PATH", "ROS_PACKAGE_PATH", "RIGID_TREE_PACKAGE_PATH"):
        monkeypatch.delenv(variable, raising=False)


def write(folder, suffix):
    path = folder / f"part{suffix}"
    trimesh.Trimesh(CORNERS, FACES).export(path)
    return path


def test_each_format_gives_the_same_body(tmp_path):
    for suffix in (".stl", ".obj", ".STL"):
        path = write(tmp_path, suffix.lower())
        mesh = load(path.rename(path.with_suffix(suffix)))
        np.testing.assert_allclose(mesh.bounds, [[0, 0, 0], [1, 1, 1]], err_msg=suffix)
        assert mesh.volume == pytest.approx(1 / 6), suffix


def test_any_scale_is_applied_and_faces_stay_outward(tmp_path):
    path = str(write(tmp_path, ".stl"))
    for scale in ((2, 3, 4), (0.001, 0.001, 0.001), (-1, 2, 1), (-1, -1, -2)):
        mesh = load_mesh(Mesh(path, scale))
        corners = np.sort([np.zeros(3), scale], axis=0)
        np.testing.assert_allclose(mesh.bounds, corners, rtol=1e-6)
        # Negative if turned inside out.
        assert mesh.volume == pytest.approx(abs(np.prod(scale)) / 6), scale


@pytest.mark.parametrize("name", ["part.stl", "part.obj", "text.stl"])
@pytest.mark.parametrize("scale", [(1, 1, 1), (0.001, 0.002, -0.003)])
def test_triangles_are_those_of_the_mesh(tmp_path, name, scale):
    ball = trimesh.creation.icosphere(subdivisions=2, radius=70.0)
    ball.export(tmp_path / name, "stl_ascii" if name == "text.stl" else None)
    vertices, faces = load_triangles(Mesh(str(tmp_path / name), scale))
    mesh = load_mesh(Mesh(str(tmp_path / name), scale))
    assert (len(vertices), len(faces)) == (len(mesh.vertices), len(mesh.faces)) == (162, 320)
    corners = np.asarray(mesh.vertices)[mesh.faces].reshape(-1, 9)
    # The corners of a triangle may start at another one.
    turned = [np.roll(vertices[faces], k, axis=1).reshape(-1, 9) for k in range(3)]
    apart = np.min([np.abs(rows - corners).max(axis=1) for rows in turned], axis=0)
    assert apart.max() < 1e-8


def test_collada_is_in_metres_one_piece_and_as_drawn_by_rviz(tmp_path):
    path = tmp_path / "part.dae"
    for up in ("Y_UP", "Z_UP"):
        path.write_text(collada('<unit name="cm" meter="0.01"/>', up=up))
        mesh = load(path)
        np.testing.assert_allclose(mesh.bounds, [[0, 0, 0], [0.11, 0.01, 0.01]], rtol=1e-6)
        assert mesh.volume == pytest.approx(2 / 6 * 1e-6), up
    # A material that is not there does no harm.
    bind = (
        "<bind_material><technique_common>"
        '<instance_material symbol="m" target="#gone"/></technique_common></bind_material>'
    )
    path.write_text(collada(bind=bind))
    assert len(load(path).faces) in (4, 8)


def test_the_result_is_the_callers_and_a_changed_file_is_read_again(tmp_path):
    path = write(tmp_path, ".stl")
    first = load(path)
    first.apply_scale(100)
    np.testing.assert_allclose(load(path).extents, (1, 1, 1))
    trimesh.Trimesh(2 * CORNERS, FACES).export(path)
    os.utime(path, ns=(1, 1))
    np.testing.assert_allclose(load(path).extents, (2, 2, 2))


def test_files_that_are_no_meshes(tmp_path):
    for name, content in {"a.stl": b"", "b.obj": b"v 0 0 0\n", "c.dae": b"<COLLADA/>"}.items():
        (tmp_path / name).write_bytes(content)
        with pytest.raises(DescriptionError, match=name):
            load_mesh(Mesh(name, directory=str(tmp_path)))
    (tmp_path / "d.step").write_bytes(b"ISO-10303-21;")
    with pytest.raises(DescriptionError, match=r"\.stl, .*\.gltf, not '\.step'"):
        load_mesh(Mesh("d.step", directory=str(tmp_path)))


def test_materials_and_textures_that_are_a_fifo_are_left_out(tmp_path: Path) -> None:
    path, materials = tmp_path / "a.obj", tmp_path / "m.mtl"
    path.write_text("mtllib m.mtl\nusemtl x\n" + TRIANGLE.format(1))
    os.mkfifo(tmp_path / "picture.png")
    materials.write_text("newmtl x\nKd 1.0 0.0 0.0\nmap_Kd picture.png\n")
    mesh = load(path)
    assert mesh.visual.face_colors[0].tolist() == [255, 0, 0, 255]
    materials.unlink()
    os.mkfifo(materials)
    path.write_text(path.read_text() + "# changed\n")
    assert len(load(path).faces) == 1


def test_a_document_in_an_archive_is_not_unpacked(tmp_path: Path) -> None:
    path = tmp_path / "bomb.dae"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.dae", collada() + 30_000_000 * " ")
    with pytest.raises(RigidTreeError, match="ZIP"):
        load(path)


def test_a_mesh_file_is_not_read_beyond_its_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rigid_tree_kinematics.description.meshes.mesh.LARGEST_FILE", 100)
    (tmp_path / "a.obj").write_text(100 * "#" + "\n" + TRIANGLE.format(1))
    with pytest.raises(RigidTreeError, match="more than 100 bytes"):
        load(tmp_path / "a.obj")


def test_invalid_vertices_are_rejected(tmp_path: Path) -> None:
    for name, text in (
        *(("a.obj", TRIANGLE.format(number)) for number in ("nan", "inf", "1e300", "2e6")),
        *(("a.stl", FACET.format(number)) for number in ("nan", "inf", "1e30")),
        *(("a.dae", collada(number=number)) for number in ("NaN", "INF", "1e300")),
        *(("a.dae", collada(f'<unit meter="{unit}"/>')) for unit in ("1e308", "nan", "-1", "1e7")),
    ):
        (tmp_path / name).write_text(text)
        with case(text), pytest.raises(RigidTreeError, match=r"finite|within|unit"):
            load(tmp_path / name)


def test_entities_are_not_expanded(tmp_path: Path) -> None:
    entity = '<!DOCTYPE c [<!ENTITY e SYSTEM "file:///dev/zero">]>\n<COLLADA'
    (tmp_path / "a.dae").write_text(collada().replace("<COLLADA", entity, 1))
    with pytest.raises(RigidTreeError, match="entities"):
        load(tmp_path / "a.dae")


# -- packages ------------------------------------------------------------------------------------


def package(folder, name, manifest=None):
    (folder / name / "meshes").mkdir(parents=True)
    if manifest:
        (folder / name / "package.xml").write_text(f"<package><name>{manifest}</name></package>")
    mesh = folder / name / "meshes" / "m.stl"
    mesh.touch()
    return mesh


def test_packages_of_an_ament_prefix_come_first(tmp_path, monkeypatch):
    first = package(tmp_path / "install/share", "my_robot")
    package(tmp_path / "src", "my_robot")
    monkeypatch.setenv("AMENT_PREFIX_PATH", f"{tmp_path}/other:{tmp_path}/install")
    monkeypatch.setenv("RIGID_TREE_PACKAGE_PATH", f"{tmp_path}/src")
    assert resolve_mesh_path("package://my_robot/meshes/m.stl") == first


@pytest.mark.parametrize("variable", ["ROS_PACKAGE_PATH", "RIGID_TREE_PACKAGE_PATH"])
@pytest.mark.parametrize("depth", ["", "repository"])
def test_packages_of_a_search_path(tmp_path, monkeypatch, variable, depth):
    mesh = package(tmp_path / depth, "my_robot")
    monkeypatch.setenv(variable, f"{tmp_path / 'nowhere'}:{tmp_path}")
    assert resolve_mesh_path("package://my_robot/meshes/m.stl") == mesh


def test_packages_around_and_beside_the_description(tmp_path):
    for folder, manifest in (("my_robot", None), ("clone", "my_robot")):
        mesh = package(tmp_path / f"around {folder}", folder, manifest)
        urdf = mesh.parent.parent / "urdf" / "arm"
        assert resolve_mesh_path("package://my_robot/meshes/m.stl", urdf) == mesh
    mesh = package(tmp_path, "my_meshes")
    urdf = tmp_path / "my_description" / "urdf"
    assert resolve_mesh_path("package://my_meshes/meshes/m.stl", urdf) == mesh
    assert find_package("my_meshes", urdf) == tmp_path / "my_meshes"


def test_paths_and_uris(tmp_path):
    mesh = tmp_path / "a part.stl"
    mesh.touch()
    assert resolve_mesh_path(str(mesh)) == mesh
    assert resolve_mesh_path("a part.stl", tmp_path) == mesh
    assert resolve_mesh_path(mesh.as_uri()) == mesh
    assert resolve_mesh_path(f"file://{mesh}") == mesh


def test_what_is_not_found_names_the_places(tmp_path, monkeypatch):
    monkeypatch.setenv("ROS_PACKAGE_PATH", "/opt/packages")
    with pytest.raises(DescriptionError) as caught:
        resolve_mesh_path("package://my_robot/m.stl", tmp_path)
    for word in ("package://my_robot/m.stl", "AMENT_PREFIX_PATH (not set)", "/opt/packages"):
        assert word in str(caught.value)
    assert str(tmp_path) in str(caught.value)
    package(tmp_path, "my_robot")
    with pytest.raises(DescriptionError, match=str(Path("my_robot", "m.stl"))):
        resolve_mesh_path("package://my_robot/m.stl", tmp_path)
    with pytest.raises(DescriptionError, match="relative"):
        resolve_mesh_path("m.stl")
    with pytest.raises(DescriptionError, match="cannot be downloaded"):
        resolve_mesh_path("http://host/m.stl")


def corner_sets(triangles):
    return {frozenset(map(tuple, corners)) for corners in triangles.tolist()}


def test_small_obj_files_give_the_same_triangles_as_a_mesh_library(tmp_path):
    path = tmp_path / "prism.obj"
    path.write_text(
        "# a square and a pentagon\nmtllib none.mtl\no square\nvn 0 0 1\nvt 0.5 0.5\n"
        "v 0 0 0 1 0 0\nv 1 0 0 1 0 0\nv 1 1 0\nv 0 1 0\nusemtl red\nf 1/1/1 2/1/1 3/1/1 4/1/1\n"
        "o pentagon\nv 2 0 1\nv 3 0 1\nv 4 1 1\nv 3 2 1\nv 2 2 1\nf 5//1 6//1 7//1 8//1 9//1\n"
    )
    found = read_obj(path.read_bytes())
    assert found is not None
    vertices, faces = found
    expected = load(path)
    triangles = vertices[faces]
    assert corner_sets(triangles) == corner_sets(expected.triangles)
    normals = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
    assert np.array_equal(normals.sum(axis=0), [0.0, 0.0, 2.0 * expected.area])
    assert len(vertices) == 9
    assert len(faces) == 5


def test_other_obj_files_are_left_to_a_mesh_library():
    doubtful = ["", "v 0 0 0\n", "f 1 2 3\n", "v 0 0\nf 1 1 1\n", TRIANGLE.format("nan")]
    faces = ("-1 -2 -4", "1 2 4", "0 1 2", f"1 2 {10**30}")
    for text in [*doubtful, *(f"{TRIANGLE.format(1)}f {face}" for face in faces)]:
        assert read_obj(text.encode()) is None, text


# -- meshes of the bundled arms against the manufacturers' URDFs ---------------------------------


def placed(tree, q):
    """Return the poses of a robot's meshes by their files."""
    by_joint = [q.get(name, 0.0) for name in tree.position_names]
    return {
        (body.name.endswith("rightfinger"), visual.geometry.filename.rpartition("/")[2]): (
            tree.get_transform(by_joint, body.name) @ visual.origin
        )
        for body in (tree.base, *tree.bodies)
        for visual in body.visuals
    }


def test_meshes_are_where_the_urdf_has_them():
    for name, count in (("panda", 8), ("panda_hand", 11), ("ur5", 7)):
        tree, source = load_robot(name), read(ROBOTS / FILES[name])
        shapes = [len(body.collisions) for body in tree.bodies]
        use_real_meshes(tree)
        assert [len(body.collisions) for body in tree.bodies] == shapes
        tree = read_urdf(write_urdf(tree))  # as nodes receive it
        rng = np.random.default_rng(0)
        q = {joint: rng.uniform(-1.0, 1.0) for joint in source.position_names}
        found, wanted = placed(tree, q), placed(source, q)
        assert len(found) == count, name
        for key, T in found.items():
            np.testing.assert_allclose(T, wanted[key], atol=1e-4, err_msg=f"{name}: {key}")
        for body in tree.bodies:
            for visual in body.visuals:
                assert len(load_mesh(visual.geometry).vertices) > 100


def test_other_robots_and_a_missing_package_are_named(monkeypatch):
    with pytest.raises(DescriptionError, match="robot 'puma560' has no meshes"):
        use_real_meshes(load_robot("puma560"))

    def missing(name):
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "distribution", missing)
    with pytest.raises(MissingPackageError, match="pip install example-robot-data"):
        use_real_meshes(load_robot("ur5"))
