"""The library's first steps, without ROS 2, compiled kernels, coal and the tests' harness."""

from pathlib import Path

import numpy as np

from rigid_tree_kinematics import InverseKinematics, load_robot
from rigid_tree_kinematics.description import load_mesh, read_urdf, write_urdf
from rigid_tree_kinematics.dynamics import mass_matrix
from rigid_tree_kinematics.kinematics import body_transform
from rigid_tree_kinematics.model import Mesh

# A tetrahedron.
PART = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"


def test_first_steps(tmp_path: Path) -> None:
    (tmp_path / "stand.xacro").write_text('<robot name="stand"><link name="floor"/></robot>')
    assert load_robot(tmp_path / "stand.xacro").base_name == "floor"
    (tmp_path / "a part.obj").write_text(PART)
    assert len(load_mesh(Mesh((tmp_path / "a part.obj").as_uri())).faces) == 4

    robot = read_urdf(write_urdf(load_robot("panda")))
    q = robot.home_configuration()
    T = body_transform(robot, q, "panda_link8")
    T[:3, 3] += [0.1, 0.2, 0.0]
    result = InverseKinematics(robot, "panda_link8").solve(T, seed=q)
    assert result.success
    assert np.abs(robot.get_transform(result.configuration, "panda_link8") - T).max() < 1e-5
    assert mass_matrix(robot, q).shape == (7, 7)
    assert body_transform(robot, np.tile(q, (9000, 1)), "panda_link8").shape == (9000, 4, 4)
