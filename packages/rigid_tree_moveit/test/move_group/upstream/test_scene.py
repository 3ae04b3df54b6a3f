"""The planning scene: allowed collisions, object properties, and RViz's topics."""

from functools import partial

import numpy as np
import pytest
from geometry_msgs.msg import Pose
from moveit_harness.move_group import FINGER, JOINTS, READY, TIP, box
from moveit_msgs.msg import (
    AttachedCollisionObject,
    CollisionObject,
    ObjectColor,
    PlanningScene,
    RobotState,
)
from sensor_msgs.msg import JointState
from shape_msgs.msg import Plane, SolidPrimitive
from std_msgs.msg import ColorRGBA
from visualization_msgs.msg import MarkerArray

from harness.probe import LATCHED
from move_group.cell import BASE, CODE, FINGERS, has_error, state
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
    rod = cell.attached()["rod"]
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


def test_plane_blocks_the_path_and_is_reported(cell):
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
    markers = cell.network.record(MarkerArray, "scene_markers", LATCHED)
    item = box("can", BASE, (1.0, 0.5, 0.2), SMALL)
    item.type.key, item.type.db = "can_05", "cupboard"
    red = ColorRGBA(r=1.0, a=1.0)
    assert cell.apply([item], object_colors=[ObjectColor(id="can", color=red)])

    def reported():
        scene = cell.scene()
        return {color.id: color.color for color in scene.object_colors}

    assert reported() == {"can": red}
    assert cell.objects()["can"].type.key == "can_05"
    cell.network.until(
        lambda: markers and [m.color for m in markers[-1].markers if m.ns == "can"] == [red],
        "a red marker",
    )
    # Also when it is held, put down, replaced; not when it is removed.
    attach = AttachedCollisionObject(link_name=FINGERS[0], touch_links=FINGERS)
    attach.object.id = "can"
    assert cell.apply([attach])
    assert cell.attached()["can"].object.type.db == "cupboard"
    attach.object.operation = CollisionObject.REMOVE
    assert cell.apply([attach])
    assert cell.apply([box("can", BASE, (1.0, 0.6, 0.2), SMALL)])
    assert reported() == {"can": red}
    assert cell.apply([CollisionObject(id="can", operation=CollisionObject.REMOVE)])
    assert reported() == {}
    assert cell.apply([box("can", BASE, (1.0, 0.6, 0.2), SMALL)])
    assert cell.objects()["can"].type.key == ""


HAND, TIPS = FINGERS[0], FINGERS[1:]


def cube(name="cube", size=0.2, z=0.05, touch_links=(), frame=HAND):
    """Return a held cube; by default one that the hand cannot hold."""
    item = box(name, frame, (0.0, 0.0, z), (size, size, size))
    return AttachedCollisionObject(link_name=frame, object=item, touch_links=list(touch_links))


def touched(reply, name):
    """Return what touches an object."""
    pairs = [{item.contact_body_1, item.contact_body_2} for item in reply.contacts]
    return set().union(*(pair - {name} for pair in pairs if name in pair))


def test_check_start_state_collision_line_70(cell):
    """Every request finds the cube that the fingers reach into, whichever joints move."""
    assert cell.plan().error_code.val == CODE.SUCCESS
    assert cell.apply([cube()])
    reply = cell.validity()
    assert not reply.valid
    assert set(FINGERS) <= touched(reply, "cube")
    for fields in (
        {},
        {"group_name": "panda_arm_hand"},
        {"pipeline_id": "pilz_industrial_motion_planner", "planner_id": "PTP"},
    ):
        assert has_error(cell.plan(**fields).error_code, CODE.START_STATE_IN_COLLISION, "cube")
    pose = cell.fk(TIP).pose_stamped[0]
    assert cell.ik(pose_stamped=pose).error_code.val == CODE.NO_IK_SOLUTION


def test_collision_common_line_131(cell):
    """Links touch a held object if it lists them; so does the link that it is attached to."""
    assert cell.apply([cube(size=0.05, z=0.08)])
    found = touched(cell.validity(), "cube")
    assert HAND not in found or cell.plan().error_code.val == CODE.START_STATE_IN_COLLISION
    assert cell.apply([cube(size=0.05, z=0.08, touch_links=TIPS)])
    assert touched(cell.validity(), "cube") == found - set(TIPS)
    assert cell.apply([cube(size=0.05, z=0.08, touch_links=FINGERS)])
    assert cell.validity().valid
    assert cell.plan().error_code.val == CODE.SUCCESS
    assert cell.plan(group_name="panda_arm_hand").error_code.val == CODE.SUCCESS


def test_collision_common_line_154(cell):
    """Objects on one link may touch, others if one lists the other."""
    assert cell.apply([cube("one", 0.05, 0.08, FINGERS), cube("two", 0.05, 0.1, FINGERS)])
    assert cell.validity().valid
    assert cell.apply([cube("two", 0.05, 0.02, FINGERS, TIPS[0])])
    assert touched(cell.validity(), "two") == {"one"}
    touch_links = ["one", *FINGERS]
    assert cell.apply([cube("two", 0.05, 0.02, touch_links, TIPS[0])])
    assert cell.validity().valid
    assert list(cell.attached()["two"].touch_links) == touch_links


def test_conversions_line_389(cell):
    """A whole state holds what it names; a diff, or an empty one, what is held now."""
    assert cell.apply([cube()])
    whole = state()
    whole.is_diff = False
    assert cell.plan(start_state=state()).error_code.val == CODE.START_STATE_IN_COLLISION
    assert not cell.validity(state()).valid
    assert cell.plan(start_state=whole).error_code.val == CODE.SUCCESS
    assert cell.validity(whole).valid
    whole.attached_collision_objects = [cube("other")]
    answer = cell.plan(start_state=whole).error_code
    assert has_error(answer, CODE.START_STATE_IN_COLLISION, "'other'")
    assert "'cube'" not in answer.message
    assert not cell.validity(RobotState()).valid
    assert list(cell.attached()) == ["cube"]  # in the scene it still is


REMOVE = CollisionObject.REMOVE


@pytest.fixture
def received(cell):
    """Messages on the topic from now on."""
    messages = cell.network.record(PlanningScene, "monitored_planning_scene")
    for probe in (
        box("probe", BASE, (2.0, 0.0, 0.0), (0.1, 0.1, 0.1)),
        CollisionObject(id="probe", operation=REMOVE),
    ):
        assert cell.apply([probe])
        cell.network.until(partial(knows, messages, probe.operation), "the topic")
    messages.clear()
    return messages


def knows(messages, operation):
    """Whether one of the messages is about the probe; those of earlier changes may come first."""
    return {"probe": operation} in map(operations, messages)


def operations(message):
    return {item.id: item.operation for item in message.world.collision_objects}


def test_planning_scene_monitor_line_754(cell, received):
    """After the first, a message has only what changes, and is a diff."""

    def reported():
        cell.network.until(lambda: received, "a change")
        message = received.pop()
        assert message.is_diff
        assert message.robot_state.is_diff
        attached = message.robot_state.attached_collision_objects
        return operations(message), {item.object.id: item.object.operation for item in attached}

    crate = box("crate", BASE, (0.6, 0.0, 0.2), (0.1, 0.1, 0.1))
    other = box("other", BASE, (0.6, 0.5, 0.2), (0.1, 0.1, 0.1))
    add = CollisionObject.ADD
    assert cell.apply([crate])
    assert reported() == ({"crate": add}, {})
    assert cell.apply([other])
    assert reported() == ({"other": add}, {})
    attach = AttachedCollisionObject(link_name=FINGERS[0], touch_links=FINGERS)
    attach.object.id, attach.object.operation = "crate", add
    assert cell.apply([attach])
    assert reported() == ({}, {"crate": add})
    attach.object.operation = REMOVE
    assert cell.apply([attach])
    assert reported() == ({"crate": add}, {"crate": REMOVE})
    assert cell.apply([CollisionObject(id="crate", operation=REMOVE)])
    assert reported() == ({"crate": REMOVE}, {})


def test_planning_scene_monitor_line_1142(cell, received):
    """While the robot moves its state is published at publish_planning_scene_hz, with stamps."""
    states = cell.network.publisher(JointState, "joint_states")
    cell.network.wait_for_discovery("/move_group")
    begin = cell.network.node.get_clock().now()

    def send(q):
        message = JointState(name=[*JOINTS, FINGER], position=[q, *READY[1:], 0.0])
        message.header.stamp = cell.network.node.get_clock().now().to_msg()
        states.publish(message)

    sent = 0.0
    for _ in range(40):
        sent += 0.01
        send(sent)
        cell.network.spin_for(0.05)
    cell.network.until(
        lambda: received and received[-1].robot_state.joint_state.position[0] == sent,
        "the last state",
    )
    assert 4 <= len(received) <= 14
    for message in received:
        state = message.robot_state
        assert message.is_diff
        assert state.is_diff
        assert not message.world.collision_objects
        assert state.joint_state.header.stamp.sec >= begin.nanoseconds // 10**9
    received.clear()
    for _ in range(10):
        send(sent)
        cell.network.spin_for(0.1)
    assert not received
