"""A model that MuJoCo compiled from MJCF, with the names of its objects."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.description.urdf import Document
from rigid_tree_kinematics.errors import DescriptionError
from rigid_tree_kinematics.model.transforms import quaternion_matrix, transform
from rigid_tree_kinematics.needed_packages import needs


class MjcfModel:
    """A compiled MJCF file: MuJoCo's ``MjModel``, its names, and the remarks on it.

    MuJoCo resolves includes, defaults, angles, frames and inertias from shapes. Raises
    DescriptionError if it rejects the file, MissingPackageError without the package mujoco.
    """

    def __init__(self, path: str | Path, text: str | None = None) -> None:
        """Compile a file, or a text, whose meshes and includes are relative to this folder."""
        with needs("mujoco", "reading MJCF"):
            import mujoco
        self.path = Path(path).absolute()
        self.document = Document(str(path), str(self.path.parent))
        try:
            if text is None:
                self.spec = mujoco.MjSpec.from_file(str(self.path))
            else:
                self.spec = mujoco.MjSpec.from_string(text)
            self.model: Any = self.spec.compile()
        except (ValueError, OSError, mujoco.FatalError) as error:
            raise DescriptionError(f"MuJoCo rejects it: {error}", str(path)) from error
        off = int(mujoco.mjtDisableBit.mjDSBL_FILTERPARENT)
        self.filters_parents = not self.model.opt.disableflags & off
        self.bodies = self.names("body")
        self.joints = self.names("jnt")
        self._taken = {"body": {*self.bodies}, "joint": {*self.joints}}

    def names(self, kind: str) -> list[str]:
        """Return the names of all objects of a kind, such as "body"; unnamed ones are numbered."""
        text = self.model.names
        starts = getattr(self.model, f"name_{kind}adr").tolist()
        found = [text[start : text.index(b"\0", start)].decode() for start in starts]
        label = "joint" if kind == "jnt" else kind
        return [name or f"{label}_{k}" for k, name in enumerate(found)]

    def unique(self, kind: str, name: str) -> str:
        """Return a name that no other "body" or "joint" has, and take it."""
        taken = self._taken[kind]
        free, number = name, 2
        while free in taken:
            free, number = f"{name}_{number}", number + 1
        taken.add(free)
        return free

    def remark(self, place: str, remark: str) -> None:
        """Add a remark; equal ones are merged."""
        self.document.add(0, place, remark)


def pose(position: Array, quaternion: Array) -> Array:
    """Return the 4x4 of a position and MuJoCo's quaternion (w, x, y, z)."""
    return transform(position, quaternion_matrix(np.roll(quaternion, -1)))
