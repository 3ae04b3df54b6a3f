"""Objects with unusual or invalid elements: what MoveIt makes of them, and what is left out."""

import math

import numpy as np
import pytest
from geometry_msgs.msg import Point, Pose, Quaternion
from moveit_harness.move_group import box
from moveit_msgs.msg import (
    AttachedCollisionObject,
    CollisionObject,
    LinkPadding,
    MotionSequenceItem,
    MotionSequenceRequest,
    PlanningScene,
    PlanningSceneWorld,
)
from moveit_msgs.srv import ApplyPlanningScene, GetMotionSequence
from scipy.spatial.transform import Rotation
from shape_msgs.msg import Mesh, MeshTriangle, Plane, SolidPrimitive
from std_msgs.msg import Header

from move_group.cell import BASE, CODE, FINGERS, at_pose, has_error, motion, state
from rigid_tree_kinematics.model.transforms import transform
from rigid_tree_kinematics.nodes.tf import pose_matrix

APPLY = ApplyPlanningScene, "apply_planning_scene"
SMALL = (0.1, 0.1, 0.1)
FAR = (2.0, 0.0, 1.0)  # m, out of the arm's reach
NAN = math.nan
APPEND, MOVE, REMOVE = CollisionObject.APPEND, CollisionObject.MOVE, CollisionObject.REMOVE


def crate(name="crate", at=FAR, **fields):
    item = box(name, BASE, at, SMALL)
    for field, value in fields.items():
        setattr(item, field, value)
    return item


def pose(*at, turn=(0.0, 0.0, 0.0, 1.0)):
    return Pose(position=Point(**dict(zip("xyz", at, strict=False))), orientation=turned(turn))


def turned(numbers):
    return Quaternion(**dict(zip("xyzw", map(float, numbers), strict=True)))


def solid(kind, *sizes):
    return SolidPrimitive(type=kind, dimensions=list(sizes))


def tetrahedron(*corners):
    corners = corners or ((0, 1, 2), (0, 1, 3), (0, 2, 3), (1, 2, 3))
    vertices = [Point(x=float(x), y=float(y), z=float(z)) for x, y, z in np.eye(3)]
    faces = [MeshTriangle(vertex_indices=np.array(c, dtype=np.uint32)) for c in corners]
    return Mesh(vertices=[*vertices, Point()], triangles=faces)


def logged(cell, *texts):
    """Wait until one line of move_group's log has all texts."""

    def found():
        return any(all(t in line for t in texts) for line in cell.process.output.splitlines())

    cell.network.until(found, f"a line with {texts}")


# -- quaternions: poseMsgToEigen of planning_scene.cpp normalizes --------------------------------

TURNS = [(0, 0, 1, 1), (0, 0, 0, 2), (0.5, 0.1, 0, 1.2), (0, 0, 1e-200, 1e-200), (3e200, 0, 0, 0)]


@pytest.mark.parametrize("numbers", TURNS)
def test_planning_scene_line_76(cell, numbers):
    scale = max(map(abs, numbers))
    truth = Rotation.from_quat([number / scale for number in numbers]).as_matrix()
    item = crate(pose=pose(*FAR, turn=numbers), subframe_names=["tip"])
    item.primitive_poses = [pose(0.1, turn=numbers)]
    item.subframe_poses = [pose(0.2, turn=numbers)]
    held = AttachedCollisionObject(link_name=FINGERS[0], touch_links=FINGERS)
    held.object = crate("held", pose=pose(0.0, turn=numbers))
    held.object.header.frame_id = FINGERS[0]
    assert cell.apply([item, held])
    found = cell.objects()["crate"]
    places = found.pose, found.primitive_poses[0], found.subframe_poses[0]
    for place in (*places, cell.attached()["held"].object.pose):
        np.testing.assert_allclose(pose_matrix(place)[:3, :3], truth, atol=1e-9)


def test_zero_quaternions_mean_no_rotation_and_nan_is_named(cell):
    zero = (0, 0, 0, 0)
    one, two = (
        crate("zero", pose=pose(*FAR, turn=zero)),
        crate("nan", pose=pose(*FAR, turn=(0, 0, 0, NAN))),
    )
    assert not cell.apply([two, one])
    assert set(cell.objects()) == {"zero"}
    np.testing.assert_allclose(pose_matrix(cell.objects()["zero"].pose)[:3, :3], np.eye(3))
    logged(cell, "left out", "collision_objects[0] 'nan'", "not finite")


def test_kinematic_constraint_line_604(cell):
    """Goals with unnormalized quaternions are the same goals; the message says so."""
    at = cell.fk("panda_link8").pose_stamped[0]
    turn = at.pose.orientation
    turn.x, turn.y, turn.z, turn.w = (2.0 * v for v in (turn.x, turn.y, turn.z, turn.w))
    answer = cell.plan(at_pose(at.pose))
    assert answer.error_code.val == CODE.SUCCESS
    assert "of length 2" in answer.error_code.message
    assert cell.ik(pose_stamped=at).error_code.val == CODE.SUCCESS
    assert cell.line(at.pose).fraction == 1.0
    turn.w = NAN
    assert has_error(cell.ik(pose_stamped=at).error_code, CODE.INVALID_GOAL_CONSTRAINTS, "finite")


# -- one bad element ----------------------------------------------------------------------------


def test_planning_scene_line_1358(cell):
    """Valid elements are applied, invalid ones named; the reply is not a success."""
    scene = PlanningScene(is_diff=True)
    scene.robot_state.is_diff = True
    bad = [
        crate("no frame", header=Header(frame_id="nowhere")),
        crate("few", primitives=[solid(SolidPrimitive.BOX, 0.1)]),
        crate("no shape", primitives=[], primitive_poses=[]),
        crate("gone", operation=REMOVE),
        crate("moved", operation=MOVE),
        crate("far", pose=pose(1e30)),
        crate("", at=FAR),
    ]
    held = AttachedCollisionObject(link_name="tail", object=crate("held"))
    scene.link_padding = [LinkPadding(link_name="panda_hand", padding=0.1)]
    for k, item in enumerate([crate("one"), *bad, crate("two")]):
        scene.world.collision_objects.insert(k, item)
    scene.robot_state.attached_collision_objects = [held]
    scene.world.octomap.octomap.data = [1]
    scene.allowed_collision_matrix.entry_names = ["one"]
    publisher = cell.network.publisher(PlanningScene, "planning_scene")
    cell.network.wait_for_discovery("/move_group")
    publisher.publish(scene)
    cell.network.until(lambda: set(cell.objects()) == {"one", "two"}, "the valid objects")
    names = [f"collision_objects[{k}] '{item.id}'" for k, item in enumerate(bad, start=1)]
    others = ["'held'", "'tail'", "panda_hand", "octomaps", "allowed_collision_matrix"]
    (gone,) = (name for name in names if "gone" in name)
    names.remove(gone)
    logged(cell, "planning_scene: left out", *names, *others)
    logged(cell, f"planning_scene: {gone}: there is no such object to remove")


def test_planning_scene_line_1842(cell):
    """Shapes that cannot be constructed are left out of an object, the others kept."""
    item = crate(meshes=[tetrahedron(), tetrahedron((0, 1, 9))])
    item.primitives += [
        solid(SolidPrimitive.SPHERE),
        solid(SolidPrimitive.CYLINDER, 0.2, -0.1),
        solid(9, 0.2),
        solid(SolidPrimitive.SPHERE, 0.3),
    ]
    item.primitive_poses += [Pose(), Pose(), Pose(), pose(0.5)]
    item.planes = [Plane(coef=[0.0, 0.0, 0.0, 1.0])]
    item.subframe_names, item.subframe_poses = ["tip", "tip", "end"], [pose(0.1), pose(0.2)]
    assert not cell.apply([item])
    found = cell.objects()["crate"]
    assert [p.type for p in found.primitives] == [SolidPrimitive.BOX, SolidPrimitive.SPHERE]
    assert found.primitive_poses[1].position.x == pytest.approx(0.5)
    assert (len(found.meshes), len(found.planes)) == (1, 0)
    assert list(found.subframe_names) == ["tip"]
    shapes = "primitives[1]", "primitives[2]", "primitives[3]", "meshes[1]", "planes[0]"
    logged(cell, "collision_objects[0] 'crate'", *shapes, "subframe 'tip'", "3 subframe_names")


def test_flat_boxes_and_further_dimensions_are_accepted(cell):
    """As in MoveIt; a sheet without thickness is 0.1 mm thick."""
    sheet = crate("sheet", (0.0, 0.0, 0.4), primitives=[solid(SolidPrimitive.BOX, 4, 4, 0)])
    ball = crate("ball", primitives=[solid(SolidPrimitive.SPHERE, 0.2, 7.0)])
    assert cell.apply([sheet, ball])
    assert list(cell.objects()["sheet"].primitives[0].dimensions) == [4.0, 4.0, 1e-4]
    assert not cell.validity().valid
    logged(cell, "'sheet': primitives[0]", "0.0001 m", "'ball': primitives[0]: 2 dimensions")


def test_unknown_touch_links_are_named(cell):
    """As in MoveIt, they have no effect; also in a start state."""
    held = AttachedCollisionObject(link_name=FINGERS[0], touch_links=[*FINGERS, "thumb"])
    held.object = crate("held", (0.0, 0.0, 0.08), primitives=[solid(SolidPrimitive.SPHERE, 0.02)])
    held.object.header.frame_id = FINGERS[0]
    start = state()
    start.attached_collision_objects = [held]
    answer = cell.plan(start_state=start).error_code
    assert answer.val == CODE.SUCCESS
    assert "thumb" in answer.message
    assert cell.apply([held])
    assert list(cell.attached()["held"].touch_links) == FINGERS
    logged(cell, "attached_collision_objects[0] 'held'", "thumb")


def test_planning_scene_line_1931(cell):
    """Removals of objects that there are not fail, but do not hinder a request."""
    gone, other = crate("gone", operation=REMOVE), AttachedCollisionObject(link_name="panda_link4")
    loose = AttachedCollisionObject(object=gone)
    assert not cell.apply([gone])
    assert not cell.apply([loose])
    start, diff = state(), PlanningScene(is_diff=True)
    start.attached_collision_objects = [loose]
    diff.robot_state.is_diff, diff.world.collision_objects = True, [gone]
    assert cell.plan(start_state=start).error_code.val == CODE.SUCCESS
    answer = cell.network.outcome(cell.move(diff=diff, plan_only=True)).result.error_code
    assert has_error(answer, CODE.SUCCESS, "'gone': there is no such object")
    held = AttachedCollisionObject(link_name=FINGERS[0], object=crate("held"))
    assert cell.apply([held])
    other.object.id, other.object.operation = "held", REMOVE
    assert not cell.apply([other])
    assert set(cell.attached()) == {"held"}
    logged(cell, "it is attached to 'panda_hand', not to 'panda_link4'")


def test_a_start_state_without_its_object_is_no_answer(cell):
    start = state()
    start.attached_collision_objects = [AttachedCollisionObject(link_name=FINGERS[0])]
    start.attached_collision_objects[0].object = crate("held", primitives=[solid(1, 0.1)])
    answer = cell.plan(start_state=start).error_code
    assert has_error(answer, CODE.FAILURE, "primitives[0]")


# -- MOVE, and whole worlds ---------------------------------------------------------------------


def test_planning_scene_line_1980(cell):
    """MOVE places the object, and its shapes in the order primitives, meshes, planes."""
    item = crate(meshes=[tetrahedron()], planes=[Plane(coef=[0.0, 0.0, 1.0, 0.0])])
    item.primitives.append(solid(SolidPrimitive.SPHERE, 0.1))
    assert cell.apply([item])
    moved = CollisionObject(id="crate", operation=MOVE, pose=pose(3.0))
    assert cell.apply([moved])
    moved.header.frame_id, moved.pose = BASE, pose(1.0, 2.0, 3.0)
    moved.primitive_poses, moved.mesh_poses = [pose(0.1), pose(0.2)], [pose(0.3)]
    assert not cell.apply([moved])  # three poses of four
    assert cell.objects()["crate"].pose.position.x == pytest.approx(3.0)
    moved.plane_poses = [pose(0.4)]
    assert cell.apply([moved])
    found = cell.objects()["crate"]
    np.testing.assert_allclose(pose_matrix(found.pose), transform((1.0, 2.0, 3.0)), atol=1e-9)
    shapes = [*found.primitive_poses, *found.mesh_poses, *found.plane_poses]
    assert [p.position.x for p in shapes] == pytest.approx([0.1, 0.2, 0.3, 0.4])
    assert [p.type for p in found.primitives] == [SolidPrimitive.BOX, SolidPrimitive.SPHERE]
    logged(cell, "'crate': MOVE needs 2 primitive_poses, 1 mesh_poses, 1 plane_poses")


def test_cones_are_moved_alone(cell):
    cone = crate("cone", primitives=[solid(SolidPrimitive.CONE, 0.2, 0.1)])
    assert cell.apply([cone])
    cone.operation, cone.pose, cone.primitive_poses = MOVE, Pose(), [pose(0.7)]
    assert cell.apply([cone])
    found = cell.objects()["cone"]
    assert found.mesh_poses[0].position.x == pytest.approx(0.7)
    logged(cell, "'cone': MOVE ignores the shapes")


def test_planning_scene_monitor_line_861(cell):
    """A message on planning_scene_world replaces the objects that are not held."""
    held = AttachedCollisionObject(link_name=FINGERS[0], object=crate("held"))
    assert cell.apply([crate("cup"), crate("plate"), held])
    publisher = cell.network.publisher(PlanningSceneWorld, "planning_scene_world")
    cell.network.wait_for_discovery("/move_group")
    publisher.publish(PlanningSceneWorld(collision_objects=[crate("plate"), crate("fork")]))
    cell.network.until(lambda: set(cell.objects()) == {"plate", "fork"}, "the new world")
    publisher.publish(PlanningSceneWorld())
    cell.network.until(lambda: not cell.objects(), "an empty world")
    assert set(cell.attached()) == {"held"}


def test_a_whole_scene_keeps_held_objects_if_its_state_is_a_diff(cell):
    held = AttachedCollisionObject(link_name=FINGERS[0], object=crate("held"))
    assert cell.apply([crate("cup"), held])
    whole = cell.scene()
    whole.is_diff, whole.robot_state.is_diff = False, True
    whole.robot_state.attached_collision_objects = []
    whole.world.collision_objects = [crate("plate")]
    whole.allowed_collision_matrix.entry_names = ["plate", "panda_hand"]
    rows = whole.allowed_collision_matrix.entry_values[:2]
    rows[0].enabled, rows[1].enabled = [False, True], [True, False]
    whole.allowed_collision_matrix.entry_values = rows
    for _ in range(2):  # also if the plate is there already
        assert cell.network.call(*APPLY, scene=whole).success
        assert (set(cell.objects()), set(cell.attached())) == ({"plate"}, {"held"})
        assert "plate" in cell.scene().allowed_collision_matrix.entry_names


def test_conversions_line_429(cell):
    """The start in a reply has the objects that are held there, also large meshes."""
    held = AttachedCollisionObject(link_name=FINGERS[0], touch_links=FINGERS)
    held.object = crate("held", (0.0, 0.0, 0.3), primitives=[], primitive_poses=[])
    held.object.header.frame_id = FINGERS[0]
    corners = [(0, 1, 2), (0, 1, 3), (0, 2, 3), (1, 2, 3)]
    held.object.meshes, held.object.mesh_poses = [tetrahedron(*corners * 300)], [Pose()]
    for vertex in held.object.meshes[0].vertices:
        vertex.x, vertex.y, vertex.z = 0.01 * vertex.x, 0.01 * vertex.y, 0.01 * vertex.z
    assert cell.apply([held])
    goal = cell.fk("panda_hand_tcp").pose_stamped[0].pose
    sequence = MotionSequenceRequest(items=[MotionSequenceItem(req=motion())])
    call = GetMotionSequence, "plan_sequence_path"
    handle = cell.move(plan_only=True)
    for start in (
        cell.plan().trajectory_start,
        cell.line(goal).start_state,
        cell.network.call(*call, request=sequence).response.sequence_start,
        cell.network.outcome(handle).result.trajectory_start,
    ):
        (item,) = start.attached_collision_objects
        assert (item.object.id, item.link_name) == ("held", FINGERS[0])
        assert list(item.touch_links) == FINGERS
        assert len(item.object.meshes[0].triangles) == 1200
        assert cell.plan(start_state=start).error_code.val == CODE.SUCCESS
