"""Objects of the planning scene, after planning_scene.cpp."""

import numpy as np
import pytest
from geometry_msgs.msg import Pose
from moveit_msgs.msg import AttachedCollisionObject, CollisionObject, ObjectColor
from shape_msgs.msg import Plane, SolidPrimitive
from std_msgs.msg import ColorRGBA
from visualization_msgs.msg import MarkerArray

from harness.moveit import box
from harness.probe import LATCHED
from nodes.moveit.cell import BASE, FINGERS
from rigid_tree_kinematics.model.transforms import transform
from rigid_tree_kinematics.nodes.tf import pose_matrix

SMALL = (0.02, 0.02, 0.02)


def more(name, z):
    """Return a ball to be appended at a height in an object's frame."""
    item = CollisionObject(id=name, operation=CollisionObject.APPEND)
    item.primitives = [SolidPrimitive(type=SolidPrimitive.SPHERE, dimensions=[0.01])]
    item.primitive_poses = [Pose()]
    item.primitive_poses[0].position.z = z
    return item


def test_planning_scene_line_1783(cell):
    """APPEND adds shapes in the object's frame, and adds an object that there is not."""
    assert cell.apply([box("post", BASE, (1.0, 0.5, 0.2), SMALL)])
    assert cell.apply([more("post", 0.3), more("ball", 2.0)])
    found = cell.objects()
    assert [item.type for item in found["post"].primitives] == [1, 2]
    assert found["post"].primitive_poses[1].position.z == pytest.approx(0.3)
    assert found["post"].pose.position.y == pytest.approx(0.5)
    assert found["ball"].pose.position.z == pytest.approx(2.0)


def test_planning_scene_line_1653(cell):
    """APPEND to a held object keeps its pose, and adds touch_links."""
    item = box("rod", "panda_hand", (0.0, 0.0, 0.2), SMALL)
    assert cell.apply(
        [AttachedCollisionObject(link_name=FINGERS[0], object=item, touch_links=FINGERS[:1])]
    )
    append = AttachedCollisionObject(link_name=FINGERS[0], touch_links=FINGERS[1:])
    append.object = more("rod", 0.1)
    assert cell.apply([append])
    rod = cell.held()["rod"]
    assert rod.link_name == "panda_hand"
    assert list(rod.touch_links) == FINGERS
    assert [item.type for item in rod.object.primitives] == [1, 2]
    np.testing.assert_allclose(pose_matrix(rod.object.pose), transform((0, 0, 0.2)), atol=1e-9)


def test_planning_scene_line_1833(cell):
    """The pose of the only shape of an object without a pose is that of its frame."""
    item = box("cup", BASE, (0.0, 0.0, 0.0), SMALL)
    item.primitive_poses[0].position.x = 1.5
    assert cell.apply([item, box("lid", "cup", (0.0, 0.0, 0.1), SMALL)])
    found = cell.objects()
    assert found["cup"].pose.position.x == pytest.approx(1.5)
    assert found["cup"].primitive_poses[0].position.x == pytest.approx(0.0)
    assert (found["lid"].pose.position.x, found["lid"].pose.position.z) == pytest.approx(
        (1.5, 0.1)
    )


def test_a_plane_is_in_the_way_and_is_told(cell):
    item = CollisionObject(id="floor", operation=CollisionObject.ADD)
    item.header.frame_id = BASE
    item.planes = [Plane(coef=[0.0, 0.0, 2.0, -0.8])]  # z = 0.4, through the arm
    item.plane_poses = [Pose()]
    assert cell.apply([item])
    reply = cell.validity()
    assert not reply.valid
    assert any("floor" in (c.contact_body_1, c.contact_body_2) for c in reply.contacts)
    floor = cell.objects()["floor"]
    assert list(floor.planes[0].coef) == [0.0, 0.0, 1.0, 0.0]
    assert floor.pose.position.z == pytest.approx(0.4)
    assert not floor.primitives
    # Sent back, it is the same one, elsewhere.
    floor.pose.position.z = -0.5
    assert cell.apply([floor])
    assert cell.validity().valid
    assert cell.objects()["floor"].pose.position.z == pytest.approx(-0.5)
    item.planes[0].coef = [0.0, 0.0, 0.0, 1.0]
    assert not cell.apply([item])


def test_colors_and_types_stay_with_an_object(cell):
    markers = cell.network.hear(MarkerArray, "scene_markers", LATCHED)
    item = box("can", BASE, (1.0, 0.5, 0.2), SMALL)
    item.type.key, item.type.db = "can_05", "cupboard"
    red = ColorRGBA(r=1.0, a=1.0)
    assert cell.apply([item], object_colors=[ObjectColor(id="can", color=red)])

    def told():
        scene = cell.scene()
        return {color.id: color.color for color in scene.object_colors}

    assert told() == {"can": red}
    assert cell.objects()["can"].type.key == "can_05"
    cell.network.until(
        lambda: markers and [m.color for m in markers[-1].markers if m.ns == "can"] == [red],
        "a red marker",
    )
    # Also when it is held, put down, replaced; not when it is removed.
    attach = AttachedCollisionObject(link_name=FINGERS[0], touch_links=FINGERS)
    attach.object.id = "can"
    assert cell.apply([attach])
    assert cell.held()["can"].object.type.db == "cupboard"
    attach.object.operation = CollisionObject.REMOVE
    assert cell.apply([attach])
    assert cell.apply([box("can", BASE, (1.0, 0.6, 0.2), SMALL)])
    assert told() == {"can": red}
    assert cell.apply([CollisionObject(id="can", operation=CollisionObject.REMOVE)])
    assert told() == {}
    assert cell.apply([box("can", BASE, (1.0, 0.6, 0.2), SMALL)])
    assert cell.objects()["can"].type.key == ""
