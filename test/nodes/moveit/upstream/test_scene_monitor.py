"""monitored_planning_scene, as RViz' MotionPlanning panel needs it."""

from functools import partial

import pytest
from moveit_msgs.msg import AttachedCollisionObject, CollisionObject, PlanningScene
from sensor_msgs.msg import JointState

from harness.moveit import FINGER, JOINTS, READY, box
from nodes.moveit.cell import BASE, FINGERS

REMOVE = CollisionObject.REMOVE


@pytest.fixture
def heard(cell):
    """Messages on the topic from now on."""
    messages = cell.network.hear(PlanningScene, "monitored_planning_scene")
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


def test_planning_scene_monitor_line_754(cell, heard):
    """After the first, a message has only what changes, and is a diff."""

    def told():
        cell.network.until(lambda: heard, "a change")
        message = heard.pop()
        assert message.is_diff
        assert message.robot_state.is_diff
        held = message.robot_state.attached_collision_objects
        return operations(message), {item.object.id: item.object.operation for item in held}

    crate = box("crate", BASE, (0.6, 0.0, 0.2), (0.1, 0.1, 0.1))
    other = box("other", BASE, (0.6, 0.5, 0.2), (0.1, 0.1, 0.1))
    add = CollisionObject.ADD
    assert cell.apply([crate])
    assert told() == ({"crate": add}, {})
    assert cell.apply([other])
    assert told() == ({"other": add}, {})
    attach = AttachedCollisionObject(link_name=FINGERS[0], touch_links=FINGERS)
    attach.object.id, attach.object.operation = "crate", add
    assert cell.apply([attach])
    assert told() == ({}, {"crate": add})
    attach.object.operation = REMOVE
    assert cell.apply([attach])
    assert told() == ({"crate": add}, {"crate": REMOVE})
    assert cell.apply([CollisionObject(id="crate", operation=REMOVE)])
    assert told() == ({"crate": REMOVE}, {})


def test_planning_scene_monitor_line_1142(cell, heard):
    """While the robot moves its state is published at publish_planning_scene_hz, with stamps."""
    states = cell.network.publisher(JointState, "joint_states")
    cell.network.meet("/move_group")
    begin = cell.network.node.get_clock().now()

    def send(q):
        message = JointState(name=[*JOINTS, FINGER], position=[q, *READY[1:], 0.0])
        message.header.stamp = cell.network.node.get_clock().now().to_msg()
        states.publish(message)

    sent = 0.0
    for _ in range(40):
        sent += 0.01
        send(sent)
        cell.network.live(0.05)
    cell.network.until(
        lambda: heard and heard[-1].robot_state.joint_state.position[0] == sent, "the last state"
    )
    assert 4 <= len(heard) <= 14
    for message in heard:
        state = message.robot_state
        assert message.is_diff
        assert state.is_diff
        assert not message.world.collision_objects
        assert state.joint_state.header.stamp.sec >= begin.nanoseconds // 10**9
    heard.clear()
    for _ in range(10):
        send(sent)
        cell.network.live(0.1)
    assert not heard
