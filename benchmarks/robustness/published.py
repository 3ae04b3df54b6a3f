"""Published robots: every .urdf file below folders, compared with Pinocchio.

Prints for each file whether it is refused (with the reason), the number of remarks, the meshes
that cannot be read, and whether Pinocchio (urdfdom) agrees: the poses of all bodies and the mass
matrix in random configurations. Files that Pinocchio does not read are not compared. The exit code
is 1 if a robot disagrees. ``--folders`` takes any folders, such as your own workspace or the cache
of robot_descriptions; the default is example-robot-data. ``--package_paths`` is as for
``load_robot``.
"""

import os
import warnings
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pinocchio as pin

from benchmarks.frame import Report, main
from benchmarks.ik.problem import DATA
from rigid_tree_kinematics import RigidBodyTree
from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.description import read_urdf_file
from rigid_tree_kinematics.description.meshes import load_triangles
from rigid_tree_kinematics.dynamics import mass_matrix
from rigid_tree_kinematics.errors import DescriptionWarning, RigidTreeError
from rigid_tree_kinematics.kinematics import body_transforms
from rigid_tree_kinematics.model import Collision, Mesh, Visual
from rigid_tree_kinematics.model.joints.mimic import resolve_mimic

TOLERANCE = 1e-9  # m, rad and relative to the largest element of the mass matrix


class Reference:
    """Pinocchio's model of a URDF file; RuntimeError or ValueError if it is not read."""

    def __init__(self, tree: RigidBodyTree, file: Path) -> None:
        self.model = pin.buildModelFromXML(file.read_text(errors="replace"))
        self.data = self.model.createData()
        self.slots = tree.compiled().joint_slots
        self.velocity_slots = tree.compiled().velocity_slots
        self.velocity_count = tree.compiled().velocity_count
        joints = {joint.name: joint for joint in tree.joints}
        self.sources = {
            joint.name: resolve_mimic(joint, joints, tree.name)
            for joint in tree.joints
            if joint.position_count
        }

    def update(self, q: Array) -> Array:
        """Compute all for our configuration; return M with their velocities = M @ ours."""
        theirs = pin.neutral(self.model)
        M = np.zeros((self.model.nv, self.velocity_count))
        for name, (source, multiplier, offset) in self.sources.items():
            if not self.model.existJointName(name):
                raise KeyError(f"Pinocchio has no joint '{name}'")
            joint = self.model.joints[self.model.getJointId(name)]
            start, count = self.slots[source.name]
            ours = multiplier * q[start : start + count] + offset
            if joint.nq == 2 and count == 1:  # continuous
                ours = np.array([np.cos(ours[0]), np.sin(ours[0])])
            elif joint.nq == 4 and count == 3:  # planar
                ours = np.array([*ours[:2], np.cos(ours[2]), np.sin(ours[2])])
            theirs[joint.idx_q : joint.idx_q + joint.nq] = ours
            first = self.velocity_slots[source.name][0]
            for k in range(joint.nv):
                M[joint.idx_v + k, first + k] = multiplier
        pin.crba(self.model, self.data, theirs)
        pin.framesForwardKinematics(self.model, self.data, theirs)
        return M


def disagreement(tree: RigidBodyTree, reference: Reference, configurations: int) -> str:
    """Return the first difference from Pinocchio; empty if there is none."""
    for seed in range(configurations):
        q = tree.random_configuration(seed)
        M = reference.update(q)
        for name, T in zip(tree.compiled().body_names, body_transforms(tree, q), strict=True):
            frame = reference.model.getFrameId(name, pin.FrameType.BODY)
            theirs = reference.data.oMf[frame].homogeneous
            if not np.allclose(T, theirs, rtol=TOLERANCE, atol=TOLERANCE):
                return f"body '{name}' is off by {np.abs(T - theirs).max():.3g}"
        upper = np.triu(reference.data.M)
        theirs = M.T @ (upper + np.triu(upper, 1).T) @ M
        ours = mass_matrix(tree, q)
        if not np.allclose(ours, theirs, rtol=0.0, atol=TOLERANCE * np.abs(theirs).max(initial=1)):
            return f"the mass matrix is off by {np.abs(ours - theirs).max():.3g}"
    return ""


def unread_meshes(tree: RigidBodyTree) -> Iterator[tuple[Mesh, str]]:
    """Yield each mesh file of a robot once, with the reason if it cannot be read."""
    shapes: list[Visual | Collision] = []
    for body in (tree.base, *tree.bodies):
        shapes += [*body.visuals, *body.collisions]
    geometries = [shape.geometry for shape in shapes]
    for mesh in dict.fromkeys(form for form in geometries if isinstance(form, Mesh)):
        try:
            load_triangles(mesh)
        except RigidTreeError as error:
            yield mesh, str(error)
        else:
            yield mesh, ""


def survey(file: Path, configurations: int, paths: list[str]) -> Counter[str]:
    """Print one line about a file, and one for each mesh that is not read; return the counts."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", DescriptionWarning)
        try:
            tree = read_urdf_file(file, paths)
        except RigidTreeError as error:
            print(f"refused: {error}")
            return Counter(files=1, refused=1)
        meshes = list(unread_meshes(tree))
    counts = Counter({"files": 1, "with remarks": bool(caught), "meshes": len(meshes)})
    counts["meshes not read"] = sum(bool(reason) for _, reason in meshes)
    try:
        reference = Reference(tree, file)
    except (RuntimeError, ValueError) as error:
        verdict = f"not read by Pinocchio: {' '.join(str(error).split())[:100]}"
    else:
        counts["compared"] = 1
        try:
            difference = disagreement(tree, reference, configurations)
        except (KeyError, ValueError, RuntimeError) as error:
            difference = str(error)
        counts["disagree"] = bool(difference)
        verdict = f"DISAGREES: {difference}" if difference else "agrees"
    remarks = sum(str(item.message).count("\n") or 1 for item in caught)
    print(f"{file}: {len(tree.joint_names)} joints, {remarks} remarks, {verdict}", flush=True)
    for mesh, reason in meshes:
        if reason:
            print(f"    mesh '{mesh.filename}': {reason}")
    return counts


def run(options: Any, report: Report) -> None:
    """Run the benchmark."""
    paths = [path for path in options.package_paths.split(os.pathsep) if path]
    heads = ("files", "refused", "with remarks", "compared", "disagree")
    total: Counter[str] = Counter()
    rows = {}
    for folder in options.folders:
        counts: Counter[str] = Counter()
        files = (path for path in Path(folder).rglob("*") if path.suffix.lower() == ".urdf")
        for file in sorted(path for path in files if path.is_file()):
            counts += survey(file, options.configurations, paths)
        rows[Path(folder).name] = counts
        total += counts
    for name, counts in {**rows, "all": total}.items():
        figures = {head: counts[head] for head in (*heads, "meshes", "meshes not read")}
        report.row("published robots", name, figures)
    if total["disagree"]:
        raise SystemExit(1)


if __name__ == "__main__":
    main(run, folders=[str(DATA)], configurations=5, package_paths="")
