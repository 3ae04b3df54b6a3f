"""Polygons of every format cover what shapely says; formats give the same body; odd files load."""

import contextlib
import struct
import subprocess
import sys
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import shapely
import trimesh

from harness.cases import case
from harness.example_robots import ROBOTS
from rigid_tree_kinematics.description import load_mesh
from rigid_tree_kinematics.description.meshes import load_triangles
from rigid_tree_kinematics.description.meshes.polygons import triangulate
from rigid_tree_kinematics.errors import DescriptionError
from rigid_tree_kinematics.model import Mesh

RING = [(0, 0), (3, 0), (3, 3), (0, 3), (0, 0), (1, 1), (1, 2), (2, 2), (2, 1), (1, 1)]
# Counterclockwise cross-sections, which a triangle fan from the first corner does not cover.
SECTIONS = {
    "L": [(2, 0), (2, 1), (1, 1), (1, 2), (0, 2), (0, 0)],
    "corners on a side": [(2, 0), (2, 1), (1, 1), (1, 2), (0, 2), (0, 1), (0, 0), (1, 0)],
    "arrow": [(-1, 1), (0, -1), (1, 1), (0, 0)],
    "comb": [
        (0, 0),
        (5, 0),
        (5, 2),
        (4, 2),
        (4, 1),
        (3, 1),
        (3, 2),
        (2, 2),
        (2, 1),
        (1, 1),
        (0, 2),
    ],
    "hole with a seam": RING,
}


def prism(section: list[tuple[float, float]]) -> tuple[np.ndarray, list[list[int]]]:
    """Return the corners and polygons of a prism of height 1."""
    count = len(section)
    vertices = np.array([(x, y, z) for z in (0, 1) for x, y in section], dtype=float)
    sides = [[k, (k + 1) % count, (k + 1) % count + count, k + count] for k in range(count)]
    return vertices, [list(range(count))[::-1], list(range(count, 2 * count)), *sides]


def text_of(rows: Iterable[Iterable[Any]]) -> str:
    return "".join(" ".join(str(word) for word in row) + "\n" for row in rows)


def obj(vertices: np.ndarray, faces: list[list[int]]) -> bytes:
    lines = [["v", *vertex] for vertex in vertices]
    lines += [["f", *(f"{k + 1}//1" for k in face)] for face in faces]
    return ("vn 0 0 1\n" + text_of(lines)).encode()


def backward_obj(vertices: np.ndarray, faces: list[list[int]]) -> bytes:
    lines = [["f", *(k - len(vertices) for k in face), "# a face"] for face in faces]
    text = text_of(["v", *vertex] for vertex in vertices) + text_of(lines)
    return text.replace(" ", " \\\r\n ", 3).encode()


def off(vertices: np.ndarray, faces: list[list[int]]) -> bytes:
    counts = f"OFF # a comment\n{len(vertices)} {len(faces)} 0\n\n"
    rows = [[len(face), *face, "255 0 0"] for face in faces]
    return (counts + text_of(vertices) + text_of(rows)).encode()


def ply(order: str, vertices: np.ndarray, faces: list[list[int]]) -> bytes:
    header = (
        f"ply\nformat {order} 1.0\ncomment made here\nelement vertex {len(vertices)}\n"
        "property float x\nproperty float y\nproperty float z\nproperty uchar red\n"
        "property uchar green\nproperty uchar blue\n"
        f"element face {len(faces)}\nproperty list uchar int vertex_indices\nproperty uchar flag\n"
        "end_header\n"
    )
    rows = [[*vertex, 200, 100, 0] for vertex in vertices]
    if order == "ascii":
        faces = [[len(face), *face, 7] for face in faces]
        return (header + text_of(rows) + text_of(faces)).encode()
    mark = "<" if "little" in order else ">"
    body = [struct.pack(f"{mark}3f3B", *row) for row in rows]
    body += [struct.pack(f"{mark}B{len(face)}iB", len(face), *face, 7) for face in faces]
    return header.encode() + b"".join(body)


DAE = """<?xml version="1.0"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><unit meter="1"/>{up}</asset>
{materials}<library_geometries><geometry id="g"><!-- a comment --><mesh>
<source id="p"><float_array id="f" count="{count}">{numbers}</float_array>
<technique_common><accessor source="#f" count="{third}" stride="3"><param name="X" type="float"/>
<param name="Y" type="float"/><param name="Z" type="float"/></accessor></technique_common></source>
<source id="n"><float_array id="h" count="3">0 0 NaN</float_array>
<technique_common><accessor source="#h" count="1" stride="3"><param name="X" type="float"/>
<param name="Y" type="float"/><param name="Z" type="float"/></accessor></technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#p"/></vertices>{primitives}
</mesh></geometry></library_geometries>
<library_visual_scenes><visual_scene id="s">{nodes}</visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#s"/></scene></COLLADA>"""
INPUTS = (
    '<input semantic="VERTEX" source="#v" offset="1"/>'
    '<input semantic="NORMAL" source="#n" offset="0"/>'
)
NODE = '<node><instance_geometry url="#g"/></node>'


def dae(
    vertices: np.ndarray, primitives: str, nodes: str = NODE, materials: str = "", up: str = ""
) -> bytes:
    numbers = " ".join(map(str, np.ravel(vertices)))
    fields = {"count": 3 * len(vertices), "third": len(vertices), "numbers": numbers}
    fields |= {"primitives": primitives, "nodes": nodes, "materials": materials, "up": up}
    return DAE.format(**fields).encode()


def polylist(vertices: np.ndarray, faces: list[list[int]]) -> bytes:
    counts = " ".join(str(len(face)) for face in faces)
    indices = " ".join(f"0 {k}" for face in faces for k in face)
    return dae(
        vertices,
        f'<polylist count="{len(faces)}">{INPUTS}<vcount>{counts}</vcount>'
        f"<p>{indices}</p></polylist>"
        '<lines count="0"><input semantic="VERTEX" source="#v" offset="0"/></lines>',
    )


def polygons(vertices: np.ndarray, faces: list[list[int]]) -> bytes:
    indices = "".join("<p>" + " ".join(f"0 {k}" for k in face) + "</p>" for face in faces)
    return dae(vertices, f'<polygons count="{len(faces)}">{INPUTS}{indices}</polygons>')


WRITERS: dict[str, Callable[..., bytes]] = {
    "a.obj": obj,
    "backward.obj": backward_obj,
    "a.off": off,
    "a.dae": polylist,
    "polygons.dae": polygons,
    "ascii.ply": partial(ply, "ascii"),
    "little.ply": partial(ply, "binary_little_endian"),
    "big.ply": partial(ply, "binary_big_endian"),
}


@pytest.mark.parametrize("name", WRITERS)
def test_concave_polygons_cover_their_inside_only(tmp_path: Path, name: str) -> None:
    for form, section in SECTIONS.items():
        area = shapely.Polygon(RING[:4], [RING[5:9]]).area if section is RING else None
        area = area or shapely.Polygon(section).area
        around = shapely.LinearRing(section).length
        path = tmp_path / f"{form}{name}"
        path.write_bytes(WRITERS[name](*prism(section)))
        mesh = load_mesh(Mesh(str(path)))
        vertices, faces = load_triangles(Mesh(str(path)))
        with case(form):
            assert mesh.volume == pytest.approx(area)
            assert mesh.area == pytest.approx(2.0 * area + around)
            triangles = trimesh.Trimesh(vertices, faces)
            assert triangles.area == pytest.approx(2.0 * area + around)
            if section is not RING:  # whose seam is used twice
                assert mesh.is_watertight


def test_random_polygons_in_any_plane_have_shapely_s_area() -> None:
    rng = np.random.default_rng(0)
    for _ in range(100):
        sizes = rng.integers(3, 30, 5)
        points, total = [], 0.0
        for size in sizes:
            angles = np.sort(rng.uniform(0.0, 2.0 * np.pi, size))
            flat = rng.uniform(0.1, 1.0, (size, 1)) * np.column_stack(
                [np.cos(angles), np.sin(angles)]
            )
            # With the center outside, the sides can cross.
            if not (section := shapely.Polygon(flat)).is_valid or np.diff(angles).max() > np.pi:
                flat = np.column_stack([np.cos(angles), np.sin(angles)])
                section = shapely.Polygon(flat)
            total += section.area
            rotation = trimesh.transformations.random_rotation_matrix(rng.random(3))[:3, :3]
            points.append(
                np.column_stack([flat, np.zeros(size)]) @ rotation.T + rng.normal(size=3)
            )
        triangles = triangulate(np.vstack(points), sizes)
        a, b, c = np.vstack(points)[triangles.T]
        area = 0.5 * np.linalg.norm(np.cross(b - a, c - a), axis=1).sum()
        assert area == pytest.approx(total)
        assert sorted(set(triangles.ravel())) == list(range(sizes.sum()))


def test_crossing_sides_are_covered() -> None:
    angles = np.arange(5) * 4.0 * np.pi / 5.0
    star = np.column_stack([np.cos(angles), np.sin(angles), np.zeros(5)])
    triangles = triangulate(star, np.array([5]))
    covered = shapely.union_all([shapely.Polygon(star[row, :2]) for row in triangles])
    outline = shapely.union_all(
        shapely.polygonize([shapely.union_all(shapely.LinearRing(star[:, :2]))]).geoms
    )
    assert covered.buffer(1e-9).contains(outline)


def test_every_format_gives_the_same_body(tmp_path: Path) -> None:
    body = trimesh.creation.icosphere(subdivisions=1)
    for suffix in ("stl", "obj", "ply", "off", "glb", "dae"):
        path = tmp_path / f"part.{suffix.upper()}"
        body.export(path, file_type=suffix)
        mesh = load_mesh(Mesh(str(path), scale=(1, 2, -1)))
        vertices, faces = load_triangles(Mesh(str(path), scale=(1, 2, -1)))
        with case(suffix):
            assert len(mesh.faces) == len(faces) == 80
            assert mesh.volume == pytest.approx(2.0 * body.volume, rel=1e-6)
            assert trimesh.Trimesh(vertices, faces).volume == pytest.approx(mesh.volume)


def test_a_gltf_file_is_read_with_its_numbers_only(tmp_path: Path) -> None:
    scene = trimesh.Scene()
    scene.add_geometry(trimesh.creation.box((1, 2, 3)), transform=np.diag([2.0, 1.0, 1.0, 1.0]))
    for name, data in trimesh.exchange.gltf.export_gltf(scene).items():
        (tmp_path / name).write_bytes(data)
    np.testing.assert_allclose(load_mesh(Mesh(str(tmp_path / "model.gltf"))).extents, (2, 2, 3))
    text = (tmp_path / "model.gltf").read_text()
    (tmp_path / "far.gltf").write_text(text.replace('"gltf_buffer_0', '"../gltf_buffer_0'))
    with pytest.raises(DescriptionError, match="cannot be read"):
        load_mesh(Mesh(str(tmp_path / "far.gltf")))


def test_points_and_lines_beside_triangles_are_left_out(tmp_path: Path) -> None:
    box = trimesh.creation.box((1, 2, 3))
    scene = trimesh.Scene(
        [box, trimesh.PointCloud(np.eye(3)), trimesh.load_path([[0, 0], [9, 9]])]
    )
    scene.export(tmp_path / "mixed.glb")
    text = box.export(file_type="obj") + "\nv 9 9 9\nl 1 9\np 9\n"
    (tmp_path / "mixed.obj").write_text(text)
    for name in ("mixed.glb", "mixed.obj"):
        mesh = load_mesh(Mesh(name, directory=str(tmp_path)))
        assert mesh.volume == pytest.approx(6.0), name
    trimesh.Scene(trimesh.PointCloud(np.eye(3))).export(tmp_path / "points.glb")
    with pytest.raises(DescriptionError, match="no triangles"):
        load_mesh(Mesh("points.glb", directory=str(tmp_path)))


def test_bytes_after_the_last_triangle_of_an_stl_are_ignored(tmp_path: Path) -> None:
    content = trimesh.creation.box((1, 2, 3)).export(file_type="stl")
    for extra in (b"\0", b"\0\0\0\0", 51 * b"\xff", b"solid\n"):
        path = tmp_path / f"{len(extra)}.stl"
        path.write_bytes(content + extra)
        assert (
            len(load_mesh(Mesh(str(path))).faces) == len(load_triangles(Mesh(str(path)))[1]) == 12
        )


TETRAHEDRON = np.vstack([np.zeros(3), np.eye(3)])
FACES = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]


def test_strips_and_fans_of_collada(tmp_path: Path) -> None:
    square = np.array([(0, 0, 0), (1, 0, 0), (0, 1, 0), (1, 1, 0)], dtype=float)
    for kind, order in (("tristrips", (0, 1, 2, 3)), ("trifans", (0, 1, 3, 2))):
        indices = " ".join(f"0 {k}" for k in order)
        path = tmp_path / f"{kind}.dae"
        path.write_bytes(dae(square, f'<{kind} count="1">{INPUTS}<p>{indices}</p></{kind}>'))
        assert load_mesh(Mesh(str(path))).area == pytest.approx(1.0)


def test_triangles_of_collada_are_numbered_as_by_the_mesh_library() -> None:
    files = sorted(ROBOTS.rglob("*.dae"))[::20]
    assert len(files) > 5
    for file in files:
        vertices, faces = load_triangles(Mesh(str(file)))
        whole = load_mesh(Mesh(str(file)))
        np.testing.assert_array_equal(vertices, whole.vertices)
        np.testing.assert_array_equal(faces, whole.faces)


def test_nested_nodes_of_collada_are_placed(tmp_path: Path) -> None:
    triangles = f'<triangles count="4">{INPUTS}<p>{{}}</p></triangles>'.format(
        " ".join(f"0 {k}" for face in FACES for k in face)
    )
    inner = '<node id="b"><rotate>0 0 1 90</rotate><instance_geometry url="#g"/></node>'
    nodes = f'<node id="a"><translate>1 2 3</translate><scale>2 2 2</scale>{inner}</node>'
    path = tmp_path / "a.dae"
    for up in ("", "<up_axis>X_UP</up_axis>", "<up_axis>Y_UP</up_axis>"):
        text = dae(TETRAHEDRON, triangles, nodes, up=up).replace(b'meter="1"', b'meter="0.5"')
        path.write_bytes(text + b" " * len(up))
        # 0.5 ((1, 2, 3) + 2 Rz(90 degrees) x)
        np.testing.assert_allclose(
            load_mesh(Mesh(str(path))).bounds, [[-0.5, 1, 1.5], [0.5, 2, 2.5]], atol=1e-6
        )


MATERIAL = (
    '<library_effects><effect id="e"><profile_COMMON><technique sid="t"><lambert>'
    "<diffuse><color>1 0 0 1</color></diffuse></lambert></technique></profile_COMMON></effect>"
    '</library_effects><library_materials><material id="m"><instance_effect url="#e"/></material>'
    "</library_materials>"
)
BIND = (
    '<bind_material><technique_common><instance_material symbol="s" target="#{}"/>'
    "</technique_common></bind_material>"
)


def test_a_missing_material_drops_no_part_of_collada(tmp_path: Path) -> None:
    indices = " ".join(f"0 {k}" for face in FACES for k in face)
    triangles = f'<triangles count="4" material="s">{INPUTS}<p>{indices}</p></triangles>'
    path = tmp_path / "a.dae"
    for targets, count in ((("m", "m"), 8), (("m", "gone"), 8), (("gone", "gone"), 8)):
        nodes = "".join(
            f'<node><translate>{2 * k} 0 0</translate><instance_geometry url="#g">'
            f"{BIND.format(target)}</instance_geometry></node>"
            for k, target in enumerate(targets)
        )
        path.write_bytes(dae(TETRAHEDRON, triangles, nodes, MATERIAL))
        mesh = load_mesh(Mesh(str(path)))
        assert len(mesh.faces) == count, targets
        if "gone" not in targets:
            assert (mesh.visual.face_colors == (255, 0, 0, 255)).all()


def test_what_collada_readers_would_drop_is_rejected(tmp_path: Path) -> None:
    indices = " ".join(f"0 {k}" for face in FACES for k in face)
    triangles = f'<triangles count="4">{INPUTS}<p>{indices}</p></triangles>'
    hole = f"<polygons>{INPUTS}<ph><p>0 0 0 1 0 2</p><h>0 0 0 1 0 3</h></ph></polygons>"
    broken = f'<triangles count="4">{INPUTS}<p>{indices} 0 9 0 9 0 9</p></triangles>'
    minus = f'<triangles count="4">{INPUTS}<p>{indices} 0 -1 0 0 0 1</p></triangles>'
    skew = NODE.replace("<node>", "<node><skew>45 0 1 0 1 0 0</skew>")
    path = tmp_path / "a.dae"
    for words, content in (
        ("holes", dae(TETRAHEDRON, triangles + hole)),
        ("cannot be read", dae(TETRAHEDRON, broken)),
        ("not in the file", dae(TETRAHEDRON, minus)),
        ("cannot be read", dae(TETRAHEDRON, triangles, NODE + NODE.replace("#g", "#gone"))),
        ("cannot be read", dae(TETRAHEDRON, triangles, NODE + skew)),
        (
            "no scene",
            dae(TETRAHEDRON, triangles).replace(
                b'<scene><instance_visual_scene url="#s"/></scene>', b""
            ),
        ),
    ):
        path.write_bytes(content)
        with case(words), pytest.raises(DescriptionError, match=words):
            load_mesh(Mesh(str(path)))


def test_source_ids_that_two_geometries_share(tmp_path: Path) -> None:
    indices = " ".join(f"0 {k}" for face in FACES for k in face)
    triangles = f'<triangles count="4">{INPUTS}<p>{indices}</p></triangles>'
    text = dae(TETRAHEDRON, triangles, NODE + NODE.replace("#g", "#g2")).decode()
    start, end = text.index("<geometry"), text.index("</library_geometries>")
    second = text[start:end].replace('"g"', '"g2"').replace("1.0 0.0 0.0", "-5.5 0.0 0.0", 1)
    path = tmp_path / "a.dae"
    path.write_text(text[:end] + second + text[end:])
    mesh = load_mesh(Mesh(str(path)))
    assert len(mesh.faces) == 8
    np.testing.assert_allclose(mesh.bounds, [[-5.5, 0, 0], [1, 1, 1]])
    path.write_text((text[:end] + second + text[end:]).replace("-5.5", "NaN"))
    with pytest.raises(DescriptionError, match="finite"):
        load_mesh(Mesh(str(path)))


def test_nothing_is_printed(tmp_path: Path) -> None:
    """trimesh logs a traceback for this missing texture."""
    texture = (
        '<newparam sid="f"><surface type="2D"><init_from>i</init_from></surface></newparam>'
        '<newparam sid="d"><sampler2D><source>f</source></sampler2D></newparam>'
    )
    bump = '<extra><technique><bump><texture texture="d" texcoord="U"/></bump></technique></extra>'
    material = MATERIAL.replace("<technique sid", texture + "<technique sid")
    material = material.replace("</lambert>", "</lambert>" + bump).replace(
        "<library_effects>",
        '<library_images><image id="i"><init_from>gone.png</init_from></image></library_images>'
        "<library_effects>",
    )
    indices = " ".join(f"0 {k}" for face in FACES for k in face)
    triangles = f'<triangles count="4" material="s">{INPUTS}<p>{indices}</p></triangles>'
    nodes = f'<node><instance_geometry url="#g">{BIND.format("m")}</instance_geometry></node>'
    (tmp_path / "bump.dae").write_bytes(dae(TETRAHEDRON, triangles, nodes, material))
    (tmp_path / "map.obj").write_text(
        "mtllib m.mtl\nusemtl x\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"
    )
    (tmp_path / "m.mtl").write_text("newmtl x\nKd 1 0 0\nmap_Kd gone.png\n")
    (tmp_path / "nan.obj").write_text("v 0 0 nan\nv inf 0 0\nv 0 1e300 0\nv 1 1 0\nf 1 2 3 4\n")
    code = (
        "import sys\n"
        "from rigid_tree_kinematics.description import load_mesh\n"
        "from rigid_tree_kinematics.errors import DescriptionError\n"
        "from rigid_tree_kinematics.model import Mesh\n"
        "for name in sys.argv[1:]:\n"
        "    try:\n"
        "        print(len(load_mesh(Mesh(name)).faces))\n"
        "    except DescriptionError:\n"
        "        print('rejected')\n"
    )
    names = [str(tmp_path / name) for name in ("bump.dae", "map.obj", "nan.obj")]
    result = subprocess.run(
        [sys.executable, "-c", code, *names], capture_output=True, text=True, check=True
    )
    assert (result.stdout.split(), result.stderr) == (["4", "1", "rejected"], "")


WORDS = (b"nan", b"inf", b"-1", b"1e400", b"0", b"4294967295", b"\xff\xfe", b"\0", b"\n", b"<!--")


def test_damaged_files_raise_the_packages_error(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    scene = trimesh.Scene(trimesh.creation.box((1, 2, 3)))
    sphere = trimesh.creation.icosphere(subdivisions=1)
    files = {name: write(*prism(SECTIONS["comb"])) for name, write in WRITERS.items()}
    files |= {"a.glb": scene.export(file_type="glb"), "a.stl": sphere.export(file_type="stl")}
    for k, (name, content) in enumerate(30 * list(files.items())):
        damaged = bytearray(content)
        for place in rng.integers(0, len(content), rng.integers(1, 4)):
            match rng.integers(4):
                case 0:
                    del damaged[place:]
                case 1:
                    damaged[place : place + 4] = struct.pack("<I", rng.choice([2**32 - 1, 10**9]))
                case 2:
                    damaged[place : place + rng.integers(9)] = WORDS[rng.integers(len(WORDS))]
                case 3:
                    damaged[place : place + 1] = bytes([rng.integers(256)])
        path = tmp_path / f"{k}{name}"
        path.write_bytes(damaged)
        for load in (load_mesh, load_triangles):
            with case(f"{path.name} {load}"), contextlib.suppress(DescriptionError):
                load(Mesh(str(path)))


def test_what_no_reader_expects_is_rejected(tmp_path: Path) -> None:
    box = trimesh.creation.box((1, 2, 3))
    header = "ply\nformat {} 1.0\nelement vertex {}\nproperty float x\nproperty float y\n"
    flat = header.format("ascii", 1) + "element face 1\nend_header\n0 0\n"
    lists = "element face 4000000000\nproperty list uint int vertex_indices\nend_header\n"
    for name, content in (
        ("a.obj", b"v 0 0\nv 1 0\nv 0 1\nf 1 2 3\n"),  # without z
        ("a.ply", flat.encode()),
        ("b.ply", (header.format("binary_little_endian", 2**40) + "end_header\n").encode()),
        ("c.ply", ("ply\nformat ascii 1.0\n" + lists + 4 * "4294967295 ").encode()),
        ("d.ply", b"ply\nformat middle 1.0\nend_header\n"),
        ("a.off", b"OFF\n1000000000 1000000000 0\n"),
        ("b.off", b"OFF BINARY\n\0\0\0\1"),
        ("box.ply", box.export(file_type="stl")),  # the wrong suffixes
        ("box.stl", box.export(file_type="ply")),
        ("box.glb", box.export(file_type="obj").encode()),
        ("box.dae", box.export(file_type="obj").encode()),
        ("box.obj", box.export(file_type="glb")),
        *((f"empty.{suffix}", b"") for suffix in ("stl", "obj", "dae", "ply", "off", "glb")),
    ):
        (tmp_path / name).write_bytes(content)
        for load in (load_mesh, load_triangles):
            with case(name), pytest.raises(DescriptionError, match=name):
                load(Mesh(name, directory=str(tmp_path)))
