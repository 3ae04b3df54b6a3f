"""MotionBenchMaker's problems from VAMP's archives, and their reference collision checker.

Chamzas et al., "MotionBenchMaker: A tool to generate and benchmark motion planning datasets",
RA-L 7(2), 2022; the archives are ``resources/*/problems.tar.bz2`` of github.com/KavrakiLab/vamp.
"""

import itertools
import shutil
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import coal
import numpy as np
import pinocchio as pin
import yaml

from benchmarks.ik.problem import DATA
from benchmarks.planning.pillars_scene import Judge, choose_pairs, replace_by_hulls
from rigid_tree_kinematics import deadline
from rigid_tree_kinematics.collision import Obstacle, Scene
from rigid_tree_kinematics.model import Box, Cylinder, Sphere
from rigid_tree_kinematics.model.transforms import quaternion_matrix, transform
from rigid_tree_kinematics.planning import PlanSeconds, planner, space_planning


def use_processor_time() -> None:
    """Let our planner's limits and times be processor times, which depend less on the load."""
    for module in (deadline, space_planning, planner):
        vars(module)["perf_counter"] = time.thread_time


@dataclass(frozen=True)
class Primitive:
    """A box (three lengths), a sphere (radius) or a cylinder (length, radius), m."""

    name: str
    kind: str
    sizes: Any
    T_base_shape: np.ndarray


@dataclass(frozen=True)
class Problem:
    """One start, one goal (nq,), and the primitives around them."""

    family: str
    number: int
    start: np.ndarray
    goal: np.ndarray
    primitives: tuple[Primitive, ...]

    def scene(self) -> Scene:
        """Return the obstacles as a scene."""
        return Scene(Obstacle.of(p.name, _shape(p), p.T_base_shape) for p in self.primitives)


def load_problems(folder: Path, which: str, most: int, joints: Sequence[str]) -> list[Problem]:
    """Return the first ``most`` problems of each family in an unpacked archive.

    Their numbers are "odd", "even" or "all"; configurations are in the order of ``joints``.
    """
    problems: list[Problem] = []
    for family in sorted(path for path in folder.iterdir() if path.is_dir()):
        name = family.name.removesuffix(f"_{folder.parent.name}")
        requests = {
            int(file.stem.removeprefix("request")): file for file in family.glob("request*.yaml")
        }
        numbers = (n for n in sorted(requests) if which == "all" or n % 2 == (which == "odd"))
        for number in itertools.islice(numbers, most):
            request = requests[number]
            scene = request.with_name(request.name.replace("request", "scene"))
            problems.append(_problem(name, number, _read(request), _read(scene), joints))
    return problems


def _read(path: Path) -> Any:
    return yaml.load(path.read_text(), yaml.CSafeLoader)


def _problem(family: str, number: int, request: Any, scene: Any, joints: Sequence[str]) -> Problem:
    state = request["start_state"]["joint_state"]
    start = dict(zip(state["name"], state["position"], strict=True))
    constraints = request["goal_constraints"][0]["joint_constraints"]
    goal = {entry["joint_name"]: entry["position"] for entry in constraints}
    primitives = []
    for item in scene["world"]["collision_objects"]:
        above = _pose(item["pose"]) if "pose" in item else np.eye(4)
        places = zip(item["primitives"], item["primitive_poses"], strict=True)
        for k, (shape, pose) in enumerate(places):
            sizes = tuple(float(size) for size in shape["dimensions"])
            name = f"{item['id']}_{k}"
            primitives.append(Primitive(name, shape["type"], sizes, above @ _pose(pose)))
    first, last = (np.array([end[name] for name in joints], float) for end in (start, goal))
    return Problem(family, number, first, last, tuple(primitives))


def _pose(entry: Any) -> np.ndarray:
    return transform(entry["position"], quaternion_matrix(entry["orientation"]))


def _shape(primitive: Primitive) -> Box | Sphere | Cylinder:
    sizes = primitive.sizes
    if primitive.kind == "box":
        return Box(sizes)
    return Sphere(sizes[0]) if primitive.kind == "sphere" else Cylinder(sizes[1], sizes[0])


@dataclass(frozen=True, eq=False)
class Plan:
    """A planner's result for a problem.

    ``raw_seconds`` is the time of the whole call without shortening, ``search_seconds`` the time
    of its search by the planner's own clock, ``shortened_seconds`` the time with shortening.
    ``phases`` are the seconds of our whole plan by phase.
    """

    raw: np.ndarray | None = None
    shortened: np.ndarray | None = None
    message: str = ""
    refused: bool = False
    raw_seconds: float = 0.0
    search_seconds: float = 0.0
    shortened_seconds: float = 0.0
    timing_seconds: float = 0.0
    phases: PlanSeconds = field(default_factory=PlanSeconds)


class Meshes:
    """Reference collision checkers for the robot's meshes and a problem's primitives."""

    def __init__(self, urdf: Path, srdf: Path) -> None:
        self._model = pin.buildModelFromUrdf(str(urdf))
        kind = pin.GeometryType.COLLISION
        with tempfile.TemporaryDirectory() as folder:
            has_meshes = (urdf.parent / "meshes").is_dir()
            copy = without_materials(urdf, Path(folder)) if has_meshes else urdf
            packages = [folder, str(DATA.parent.parent)]
            self._robot = pin.buildGeomFromUrdf(self._model, str(copy), kind, None, packages)
        self._srdf = srdf
        self.joints = tuple(self._model.names)[1:]

    def judge(self, problem: Problem, convex: bool = False) -> Judge:
        """Return the reference collision checker of a problem, with meshes or with their hulls."""
        geometry = self._robot.copy()
        if convex:
            replace_by_hulls(geometry)
        for p in problem.primitives:
            shape = {
                "box": lambda sizes: coal.Box(*sizes),
                "sphere": lambda sizes: coal.Sphere(sizes[0]),
                "cylinder": lambda sizes: coal.Cylinder(sizes[1], sizes[0]),
            }[p.kind](p.sizes)
            place = pin.SE3(p.T_base_shape)
            geometry.addGeometryObject(pin.GeometryObject(p.name, 0, place, shape))
        choose_pairs(self._model, geometry, self._srdf)
        return Judge(self._model, (geometry, geometry.createData()))


def without_materials(urdf: Path, folder: Path) -> Path:
    """Copy a robot and its meshes, without the materials of OBJ files; return the copy.

    coal 3.0.3 mixes up the triangles of files with several materials: it reads only 131 of the
    1,308 triangles of the Panda's link6.obj correctly.
    """
    shutil.copytree(urdf.parent / "meshes", folder / "meshes")
    for mesh in folder.rglob("*.obj"):
        lines = mesh.read_text().splitlines(keepends=True)
        mesh.write_text("".join(x for x in lines if not x.startswith(("usemtl", "mtllib"))))
    return Path(shutil.copy(urdf, folder))
