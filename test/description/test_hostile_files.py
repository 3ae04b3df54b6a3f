"""Files that never end, grow when they are read, or hold numbers that are no places."""

from __future__ import annotations

import os
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from rigid_tree_kinematics import load_robot
from rigid_tree_kinematics.collision import load_scene
from rigid_tree_kinematics.collision.srdf import read_collision_rules
from rigid_tree_kinematics.description import load_mesh
from rigid_tree_kinematics.errors import RigidTreeError
from rigid_tree_kinematics.model import Mesh
from test.description.test_mesh_loading import COLLADA

TRIANGLE = "v 0 0 0\nv 1 0 0\nv 0 {} 0\nf 1 2 3\n"
FACET = "solid s\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 {} 0\n"
FACET += "endloop\nendfacet\nendsolid s\n"


def load(path: Path) -> object:
    return load_mesh(Mesh(str(path)))


def collada(unit: str = "", number: str = "1") -> str:
    text = COLLADA.format(unit=unit, up="Z_UP", bind="")
    return text.replace("0 0 1</float", f"0 0 {number}</float")


@pytest.mark.parametrize(
    ("name", "read"),
    [
        ("robot.urdf", load_robot),
        ("robot.xacro", load_robot),
        ("robot.yaml", load_robot),
        ("scene.yaml", load_scene),
        ("robot.srdf", read_collision_rules),
        *((f"mesh{suffix}", load) for suffix in (".stl", ".obj", ".dae")),
    ],
)
def test_a_fifo_is_refused_at_once(
    tmp_path: Path, name: str, read: Callable[[Path], object]
) -> None:
    os.mkfifo(tmp_path / name)
    with pytest.raises(RigidTreeError):
        read(tmp_path / name)


def test_materials_and_textures_that_are_a_fifo_are_left_out(tmp_path: Path) -> None:
    path, materials = tmp_path / "a.obj", tmp_path / "m.mtl"
    path.write_text("mtllib m.mtl\nusemtl x\n" + TRIANGLE.format(1))
    os.mkfifo(tmp_path / "picture.png")
    materials.write_text("newmtl x\nKd 1.0 0.0 0.0\nmap_Kd picture.png\n")
    mesh = load_mesh(Mesh(str(path)))
    assert mesh.visual.face_colors[0].tolist() == [255, 0, 0, 255]
    materials.unlink()
    os.mkfifo(materials)
    path.write_text(path.read_text() + "# changed\n")
    assert len(load_mesh(Mesh(str(path))).faces) == 1


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


@pytest.mark.parametrize(
    ("name", "text"),
    [
        *(("a.obj", TRIANGLE.format(number)) for number in ("nan", "inf", "1e300", "2e6")),
        *(("a.stl", FACET.format(number)) for number in ("nan", "inf", "1e30")),
        *(("a.dae", collada(number=number)) for number in ("NaN", "INF", "1e300")),
        *(("a.dae", collada(f'<unit meter="{unit}"/>')) for unit in ("1e308", "nan", "-1", "1e7")),
    ],
)
def test_vertices_that_are_no_places_are_refused(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(RigidTreeError, match=r"finite|within|unit"):
        load(tmp_path / name)


def test_entities_are_not_expanded(tmp_path: Path) -> None:
    entity = '<!DOCTYPE c [<!ENTITY e SYSTEM "file:///dev/zero">]>\n<COLLADA'
    (tmp_path / "a.dae").write_text(collada().replace("<COLLADA", entity, 1))
    with pytest.raises(RigidTreeError, match="entities"):
        load(tmp_path / "a.dae")
