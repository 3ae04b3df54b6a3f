"""Pinocchio's models of trees, as references."""

import functools

import numpy as np
import pinocchio as pin

from harness.example_robots import ROBOTS, read
from rigid_tree_kinematics.description import write_urdf
from rigid_tree_kinematics.model import CompiledTree, RigidBodyTree
from rigid_tree_kinematics.model.joints.mimic import resolve_mimic


class Truth:
    """A tree with Pinocchio's model of its URDF, or of the URDF that the tree writes."""

    def __init__(
        self,
        tree: RigidBodyTree,
        urdf: str | None = None,
        root: pin.JointModel | None = None,
    ) -> None:
        self.tree = tree
        self.compiled = tree.compiled()
        self.urdf = urdf or write_urdf(tree)
        self.model = (
            pin.buildModelFromXML(self.urdf, root) if root else pin.buildModelFromXML(self.urdf)
        )
        self.data = self.model.createData()
        self._sources = sources(tree)

    def pose(self, q: np.ndarray, body: str, base: str | None = None) -> np.ndarray:
        """Return T_base_body, relative to the root by default."""
        pin.framesForwardKinematics(self.model, self.data, self.positions(q))
        T = self._frame(body)
        T = T if base is None else self._frame(base).inverse() * T
        return T.homogeneous.copy()

    def _frame(self, body: str) -> pin.SE3:
        index = self.model.getFrameId(body, pin.FrameType.BODY)
        assert index < self.model.nframes, body
        return self.data.oMf[index]

    def positions(self, q: np.ndarray) -> np.ndarray:
        """Return Pinocchio's configuration, with its order and circles as (cos, sin)."""
        result = pin.neutral(self.model)
        for name, (source, multiplier, offset) in self._sources.items():
            joint = self.model.joints[self.model.getJointId(name)]
            start, count = self.compiled.joint_slots[source]
            ours = multiplier * q[start : start + count] + offset
            at = joint.idx_q
            if joint.nq == count:
                result[at : at + count] = ours
            elif joint.nq == 2:  # continuous
                result[at : at + 2] = np.cos(ours[0]), np.sin(ours[0])
            else:  # planar
                result[at : at + 4] = ours[0], ours[1], np.cos(ours[2]), np.sin(ours[2])
        return result

    def velocity_map(self) -> np.ndarray:
        """Return M with Pinocchio's velocities = M @ ours, including mimic joints."""
        result = np.zeros((self.model.nv, self.compiled.velocity_count))
        first = 0
        columns = {}
        for name in self.tree.joint_names:
            columns[name] = first
            first += self.tree.get_joint(name).velocity_count
        for name, (source, multiplier, _) in self._sources.items():
            joint = self.model.joints[self.model.getJointId(name)]
            for k in range(joint.nv):
                result[joint.idx_v + k, columns[source] + k] = multiplier
        return result

    def assert_within_limits(self, q: np.ndarray) -> None:
        assert (q >= self.compiled.lower).all()
        assert (q <= self.compiled.upper).all()


def sources(tree: RigidBodyTree) -> dict[str, tuple[str, float, float]]:
    """Return {moving joint: (independent joint, multiplier, offset)}."""
    joints = {joint.name: joint for joint in tree.joints}
    result = {}
    for joint in joints.values():
        if joint.position_count:
            source, multiplier, offset = resolve_mimic(joint, joints, tree.name)
            result[joint.name] = (source.name, multiplier, offset)
    return result


def difference(A: np.ndarray, B: np.ndarray) -> tuple[float, float]:
    """Return the distance of two poses (m, rad)."""
    turn = pin.log3(A[:3, :3].T @ B[:3, :3])
    return float(np.linalg.norm(A[:3, 3] - B[:3, 3])), float(np.linalg.norm(turn))


@functools.cache
def example_truth(path: str) -> Truth:
    """Return a robot of the package example-robot-data, by its path there."""
    file = ROBOTS / path
    return Truth(read(file), file.read_text())


def mid_range(compiled: CompiledTree) -> np.ndarray:
    """Return the middle of the limits; zero where there are none."""
    with np.errstate(invalid="ignore"):
        middle = 0.5 * (compiled.lower + compiled.upper)
    q = np.where(np.isfinite(middle), middle, 0.0)
    for quaternion in compiled.quaternions:
        q[quaternion] = 0, 0, 0, 1
    return q
