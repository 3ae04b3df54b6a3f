"""Services that only newer moveit_msgs have, over the network; and a node without their types."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import moveit_msgs.srv as srv
import numpy as np
import pinocchio
import pytest
from geometry_msgs.msg import Point, Pose
from moveit_msgs.msg import (
    CollisionObject,
    Constraints,
    JointConstraint,
    MoveItErrorCodes,
    PlanningScene,
    RobotState,
)
from moveit_msgs.srv import ApplyPlanningScene, GetPlanningScene, GetStateValidity
from sensor_msgs.msg import JointState
from shape_msgs.msg import Mesh, MeshTriangle, SolidPrimitive

from harness.moveit import JOINTS, READY
from harness.network import Network
from rigid_tree_kinematics.description.robots import bundled_folder

TYPES = ("GetGroupUrdf", "GetMultiStateValidity", "SaveGeometryToFile", "LoadGeometryFromFile")
missing = [name for name in TYPES if not hasattr(srv, name)]
pytestmark = pytest.mark.skipif(bool(missing), reason=f"this moveit_msgs lacks {missing}")

FOLDED = [0.0, 1.7, 0.0, -3.0, 0.0, 0.0, 0.0]
PARAMETERS = {"robot": "panda_hand", "srdf": str(bundled_folder("robots") / "panda_hand.srdf")}


@pytest.fixture(scope="module")
def network(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Network]:
    made = Network(tmp_path_factory.mktemp("network"))
    made.start("move_group", PARAMETERS)
    yield made
    made.close()


# -- get_urdf ------------------------------------------------------------------------------------


def test_the_urdf_of_a_group(network):
    reply = network.call(srv.GetGroupUrdf, "get_urdf", group_name="panda_arm")
    assert reply.error_code.val == MoveItErrorCodes.SUCCESS
    model = pinocchio.buildModelFromXML(reply.urdf_string)
    assert list(model.names)[1:] == JOINTS
    assert model.existFrame("panda_link8")
    reply = network.call(srv.GetGroupUrdf, "get_urdf", group_name="leg")
    assert (reply.error_code.val, reply.urdf_string) == (MoveItErrorCodes.FAILURE, "")
    assert "leg" in reply.error_code.message


# -- check_multi_state_validity ------------------------------------------------------------------


def state(positions: list[float], names: list[str] = JOINTS) -> JointState:
    return JointState(name=names, position=positions)


def judged(network: Network, *states: JointState, limit: float | None = None) -> Any:
    request = srv.GetMultiStateValidity.Request(group_name="panda_arm", joint_states=states)
    request.robot_state.joint_state = state(READY)
    if limit is not None:
        item = JointConstraint(joint_name=JOINTS[0], tolerance_above=limit, tolerance_below=limit)
        request.constraints = Constraints(joint_constraints=[item])
    return network.call(srv.GetMultiStateValidity, "check_multi_state_validity", request)


def test_many_states_up_to_the_first_that_is_invalid(network):
    assert judged(network, state(READY), state([0.5, *READY[1:]])).valid
    reply = judged(network, state(READY), state(FOLDED), state([0.1], JOINTS[:1]))
    single = network.call(
        GetStateValidity,
        "check_state_validity",
        group_name="panda_arm",
        robot_state=RobotState(joint_state=state(FOLDED)),
    )
    assert not reply.valid
    assert reply.contacts == single.contacts
    assert reply.contacts


def test_each_state_goes_on_from_the_one_before(network):
    single = [state([value], [name]) for name, value in zip(JOINTS, FOLDED, strict=True)]
    assert not judged(network, *single).valid
    assert judged(network, single[0]).valid


def test_constraints_are_judged_for_the_last_state_looked_at(network):
    turned = state([0.3], JOINTS[:1])
    reply = judged(network, state(READY), turned, state(READY), limit=0.1)
    assert not reply.valid
    (result,) = reply.constraint_result
    assert not result.result
    assert result.distance == pytest.approx(0.2, abs=1e-9)
    assert judged(network, state(READY), turned, limit=0.4).constraint_result[0].result


def test_states_that_are_none_are_not_valid(network):
    assert not judged(network).valid  # as in MoveIt: nothing was judged
    for wrong in (state([1.0], ["elbow"]), state([1.0, 2.0], JOINTS[:1]), state([np.nan] * 7)):
        assert not judged(network, state(READY), wrong).valid
    assert "joint_states[1]" in network.report()


# -- files ---------------------------------------------------------------------------------------


def told(network: Network) -> dict[str, CollisionObject]:
    scene = network.call(GetPlanningScene, "get_planning_scene").scene
    return {item.id: item for item in scene.world.collision_objects}


def save(network: Network, path: Path | str) -> bool:
    call = srv.SaveGeometryToFile, "save_geometry_to_file"
    return bool(network.call(*call, file_path_and_name=str(path)).success)


def load(network: Network, path: Path | str) -> bool:
    call = srv.LoadGeometryFromFile, "load_geometry_from_file"
    return bool(network.call(*call, file_path_and_name=str(path)).success)


def empty(network: Network) -> None:
    scene = PlanningScene(is_diff=True)
    scene.world.collision_objects = [CollisionObject(operation=CollisionObject.REMOVE)]
    assert network.call(ApplyPlanningScene, "apply_planning_scene", scene=scene).success
    assert told(network) == {}


def shelf() -> CollisionObject:
    """Return an object with a primitive and a mesh, neither of them in its middle."""
    item = CollisionObject(id="book shelf", operation=CollisionObject.ADD)
    item.header.frame_id = "panda_link0"
    item.pose.position.x, item.pose.orientation.w, item.pose.orientation.z = 0.9, 0.8, 0.6
    at = Pose()
    at.position.z, at.orientation.w, at.orientation.x = 0.1, 0.6, 0.8
    box = SolidPrimitive(type=SolidPrimitive.BOX, dimensions=[0.1, 0.2, 1.0 / 3.0])
    item.primitives, item.primitive_poses = [box], [at]
    corners = [Point(), Point(x=0.1), Point(y=0.1), Point(z=0.1)]
    faces = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]]
    triangles = [MeshTriangle(vertex_indices=face) for face in faces]
    item.meshes, item.mesh_poses = [Mesh(vertices=corners, triangles=triangles)], [at]
    return item


def numbers(pose: Pose) -> list[float]:
    at, turn = pose.position, pose.orientation
    return [at.x, at.y, at.z, turn.x, turn.y, turn.z, turn.w]


def test_a_scene_is_saved_and_loaded_again(network, tmp_path):
    empty(network)
    scene = PlanningScene(is_diff=True)
    scene.world.collision_objects = [shelf()]
    assert network.call(ApplyPlanningScene, "apply_planning_scene", scene=scene).success
    before = told(network)["book shelf"]
    path = tmp_path / "kitchen.scene"
    assert save(network, path)
    assert save(network, path)  # over the one before
    assert [found.name for found in tmp_path.iterdir()] == ["kitchen.scene"]
    empty(network)
    assert load(network, path)
    after = told(network)["book shelf"]
    assert after.primitives == before.primitives
    assert after.meshes == before.meshes
    for one, two in (
        (after.pose, before.pose),
        (after.primitive_poses[0], before.primitive_poses[0]),
        (after.mesh_poses[0], before.mesh_poses[0]),
    ):
        assert numbers(one) == pytest.approx(numbers(two), abs=1e-14)


def test_a_scene_is_written_over_nothing_else(network, tmp_path):
    (tmp_path / "notes.txt").write_text("mine")
    (tmp_path / "folder.scene").mkdir()
    (tmp_path / "target").write_text("mine, too")
    (tmp_path / "link.scene").symlink_to(tmp_path / "target")
    for name in ("notes.txt", "folder.scene", "missing/kitchen.scene", ".scene/../notes.txt"):
        assert not save(network, tmp_path / name), name
    assert not save(network, "")
    assert not save(network, "\0.scene")
    assert save(network, tmp_path / "link.scene")
    assert (tmp_path / "notes.txt").read_text() == "mine"
    assert (tmp_path / "target").read_text() == "mine, too"
    left = {"notes.txt", "folder.scene", "target", "link.scene"}
    assert {path.name for path in tmp_path.iterdir()} == left


def test_what_is_no_scene_changes_nothing(network, tmp_path):
    empty(network)
    (tmp_path / "half.scene").write_text("half\n* one\n0 0 0\n0 0 0 1\n1\nsphere\n0.1\n1 1 1\n")
    os.mkfifo(tmp_path / "pipe.scene")
    (tmp_path / "picture.scene").write_bytes(b"\xff\xfe\x00")
    for name in ("half.scene", "pipe.scene", "picture.scene", "missing.scene", "."):
        assert not load(network, tmp_path / name), name
    assert not load(network, "/dev/zero")
    assert told(network) == {}


# -- older moveit_msgs ---------------------------------------------------------------------------


def test_a_distribution_without_the_types_lacks_the_services(network):
    lines = ["import moveit_msgs.srv", *(f"del moveit_msgs.srv.{name}" for name in TYPES)]
    lines += ["from rigid_tree_kinematics.nodes import move_group", "move_group.main()"]
    network.start_program(["-c", "\n".join(lines), "--ros-args", "-r", "__ns:=/older"])

    def offered() -> set[str]:
        return {name for name, _ in network.node.get_service_names_and_types()}

    network.until(lambda: "/older/query_planner_interface" in offered(), "an older move_group")
    newer = ("get_urdf", "check_multi_state_validity", "save_geometry_to_file")
    for name in (*newer, "load_geometry_from_file"):
        assert f"/{name}" in offered()
        assert f"/older/{name}" not in offered()
