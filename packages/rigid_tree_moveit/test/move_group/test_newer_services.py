"""Services of newer moveit_msgs, and a node without their types."""

import os
from pathlib import Path
from typing import Any

import moveit_msgs.srv as srv
import numpy as np
import pinocchio
import pytest
from geometry_msgs.msg import Point, Pose
from moveit_harness.move_group import JOINTS, READY, box
from moveit_msgs.msg import CollisionObject, Constraints
from sensor_msgs.msg import JointState
from shape_msgs.msg import Mesh, MeshTriangle

from move_group.cell import ARM, BASE, CODE, Cell, joints, state

TYPES = ("GetGroupUrdf", "GetMultiStateValidity", "SaveGeometryToFile", "LoadGeometryFromFile")
missing = [name for name in TYPES if not hasattr(srv, name)]
pytestmark = pytest.mark.skipif(bool(missing), reason=f"this moveit_msgs lacks {missing}")

FOLDED = [0.0, 1.7, 0.0, -3.0, 0.0, 0.0, 0.0]


# -- get_urdf ------------------------------------------------------------------------------------


def test_the_urdf_of_a_group(cell):
    reply = cell.network.call(srv.GetGroupUrdf, "get_urdf", group_name=ARM)
    assert reply.error_code.val == CODE.SUCCESS
    model = pinocchio.buildModelFromXML(reply.urdf_string)
    assert list(model.names)[1:] == JOINTS
    assert model.existFrame("panda_link8")
    reply = cell.network.call(srv.GetGroupUrdf, "get_urdf", group_name="leg")
    assert (reply.error_code.val, reply.urdf_string) == (CODE.FAILURE, "")
    assert "leg" in reply.error_code.message


# -- check_multi_state_validity ------------------------------------------------------------------


def at(positions: list[float], names: list[str] = JOINTS) -> JointState:
    return JointState(name=names, position=positions)


def judged(cell: Cell, *states: JointState, limit: float | None = None) -> Any:
    request = srv.GetMultiStateValidity.Request(group_name=ARM, joint_states=states)
    request.robot_state = state()
    request.constraints = Constraints() if limit is None else joints({JOINTS[0]: 0.0}, limit)
    return cell.network.call(srv.GetMultiStateValidity, "check_multi_state_validity", request)


def test_many_states_up_to_the_first_that_is_invalid(cell):
    """Each continues from the previous one."""
    assert judged(cell, at(READY), at([0.5, *READY[1:]])).valid
    reply = judged(cell, at(READY), at(FOLDED), at([0.1], JOINTS[:1]))
    assert not reply.valid
    assert reply.contacts == cell.validity(state(FOLDED)).contacts
    assert reply.contacts
    single = [at([value], [name]) for name, value in zip(JOINTS, FOLDED, strict=True)]
    assert not judged(cell, *single).valid
    assert judged(cell, single[0]).valid


def test_constraints_are_checked_for_the_last_state_only(cell):
    turned = at([0.3], JOINTS[:1])
    reply = judged(cell, at(READY), turned, at(READY), limit=0.1)
    assert not reply.valid
    (result,) = reply.constraint_result
    assert not result.result
    assert result.distance == pytest.approx(0.2, abs=1e-9)
    assert judged(cell, at(READY), turned, limit=0.4).constraint_result[0].result


def test_malformed_states_are_not_valid(cell):
    assert not judged(cell).valid  # as in MoveIt: nothing was judged
    for wrong in (at([1.0], ["elbow"]), at([1.0, 2.0], JOINTS[:1]), at([np.nan] * 7)):
        # Again, if many lines were logged before.
        def logged(wrong=wrong):
            assert not judged(cell, at(READY), wrong).valid
            return "joint_states[1]" in cell.network.report()

        cell.network.until(logged, "the log line")


# -- files ---------------------------------------------------------------------------------------


def save(cell: Cell, path: Path | str) -> bool:
    call = srv.SaveGeometryToFile, "save_geometry_to_file"
    return bool(cell.network.call(*call, file_path_and_name=str(path)).success)


def load(cell: Cell, path: Path | str) -> bool:
    call = srv.LoadGeometryFromFile, "load_geometry_from_file"
    return bool(cell.network.call(*call, file_path_and_name=str(path)).success)


def shelf() -> CollisionObject:
    """Return an object with a primitive and a mesh, neither of them in its middle."""
    item = box("book shelf", BASE, (0.9, 0.0, 0.0), (0.1, 0.2, 1.0 / 3.0))
    item.pose.orientation.w, item.pose.orientation.z = 0.8, 0.6
    at = item.primitive_poses[0]
    at.position.z, at.orientation.w, at.orientation.x = 0.1, 0.6, 0.8
    corners = [Point(), Point(x=0.1), Point(y=0.1), Point(z=0.1)]
    faces = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]]
    triangles = [MeshTriangle(vertex_indices=face) for face in faces]
    item.meshes, item.mesh_poses = [Mesh(vertices=corners, triangles=triangles)], [at]
    return item


def numbers(pose: Pose) -> list[float]:
    at, turn = pose.position, pose.orientation
    return [at.x, at.y, at.z, turn.x, turn.y, turn.z, turn.w]


def test_a_scene_is_saved_and_loaded_again(cell, tmp_path):
    assert cell.apply([shelf()])
    before = cell.objects()["book shelf"]
    path = tmp_path / "kitchen.scene"
    assert save(cell, path)
    assert save(cell, path)  # over the one before
    assert [found.name for found in tmp_path.iterdir()] == ["kitchen.scene"]
    cell.clear()
    assert load(cell, path)
    after = cell.objects()["book shelf"]
    assert after.primitives == before.primitives
    assert after.meshes == before.meshes
    for one, two in (
        (after.pose, before.pose),
        (after.primitive_poses[0], before.primitive_poses[0]),
        (after.mesh_poses[0], before.mesh_poses[0]),
    ):
        assert numbers(one) == pytest.approx(numbers(two), abs=1e-14)


def test_a_scene_is_written_over_nothing_else(cell, tmp_path):
    (tmp_path / "notes.txt").write_text("mine")
    (tmp_path / "folder.scene").mkdir()
    (tmp_path / "target").write_text("mine, too")
    (tmp_path / "link.scene").symlink_to(tmp_path / "target")
    for name in ("notes.txt", "folder.scene", "missing/kitchen.scene", ".scene/../notes.txt"):
        assert not save(cell, tmp_path / name), name
    assert not save(cell, "")
    assert not save(cell, "\0.scene")
    assert save(cell, tmp_path / "link.scene")
    assert (tmp_path / "notes.txt").read_text() == "mine"
    assert (tmp_path / "target").read_text() == "mine, too"
    left = {"notes.txt", "folder.scene", "target", "link.scene"}
    assert {path.name for path in tmp_path.iterdir()} == left


def test_invalid_scene_files_change_nothing(cell, tmp_path):
    (tmp_path / "half.scene").write_text("half\n* one\n0 0 0\n0 0 0 1\n1\nsphere\n0.1\n1 1 1\n")
    os.mkfifo(tmp_path / "pipe.scene")
    (tmp_path / "picture.scene").write_bytes(b"\xff\xfe\x00")
    for name in ("half.scene", "pipe.scene", "picture.scene", "missing.scene", "."):
        assert not load(cell, tmp_path / name), name
    assert not load(cell, "/dev/zero")
    assert cell.objects() == {}


# -- older moveit_msgs ---------------------------------------------------------------------------


def test_a_distribution_without_the_types_lacks_the_services(network):
    lines = ["import moveit_msgs.srv", *(f"del moveit_msgs.srv.{name}" for name in TYPES)]
    lines += ["from rigid_tree_moveit.nodes.move_group import main", "main()"]
    network.start_program(["-c", "\n".join(lines)])

    def offered() -> set[str]:
        return {name for name, _ in network.node.get_service_names_and_types()}

    # The last one, offered after the newer ones.
    network.until(lambda: "/execute_trajectory/_action/send_goal" in offered(), "move_group")
    newer = ("get_urdf", "check_multi_state_validity", "save_geometry_to_file")
    assert not offered() & {f"/{name}" for name in (*newer, "load_geometry_from_file")}
