"""Held objects, as MoveIt checks them: only what touch_links lists may touch them."""

from __future__ import annotations

from moveit_msgs.msg import AttachedCollisionObject, MoveItErrorCodes
from moveit_msgs.srv import GetPositionFK

from harness.moveit import TIP, box

CODE = MoveItErrorCodes
HAND = "panda_hand"
FINGERS = ["panda_leftfinger", "panda_rightfinger"]


def held(name, size, z, touch_links=(), frame=HAND):
    item = box(name, frame, (0.0, 0.0, z), (size, size, size))
    return AttachedCollisionObject(link_name=frame, object=item, touch_links=list(touch_links))


def touched(reply, name):
    """Return what touches an object."""
    pairs = [{item.contact_body_1, item.contact_body_2} for item in reply.contacts]
    return set().union(*(pair - {name} for pair in pairs if name in pair))


def test_check_start_state_collision_line_70(cell):
    """Every request finds the cube that the fingers reach into, whichever joints move."""
    assert cell.plan().error_code.val == CODE.SUCCESS
    assert cell.apply([held("cube", 0.2, 0.05)])
    reply = cell.validity()
    assert not reply.valid
    assert {HAND, *FINGERS} <= touched(reply, "cube")
    for fields in (
        {},
        {"group_name": "panda_arm_hand"},
        {"pipeline_id": "pilz_industrial_motion_planner", "planner_id": "PTP"},
    ):
        answer = cell.plan(**fields).error_code
        assert answer.val == CODE.START_STATE_IN_COLLISION, answer
        assert "cube" in answer.message
    pose = cell.network.call(
        GetPositionFK, "compute_fk", fk_link_names=[TIP], robot_state=cell.state()
    ).pose_stamped[0]
    assert cell.ik(pose_stamped=pose).error_code.val == CODE.NO_IK_SOLUTION


def test_collision_common_line_131(cell):
    """Links touch a held object if it lists them; so does the link that it is attached to."""
    assert cell.apply([held("cube", 0.05, 0.08)])
    found = touched(cell.validity(), "cube")
    assert HAND not in found or cell.plan().error_code.val == CODE.START_STATE_IN_COLLISION
    assert cell.apply([held("cube", 0.05, 0.08, FINGERS)])
    assert touched(cell.validity(), "cube") == found - set(FINGERS)
    assert cell.apply([held("cube", 0.05, 0.08, [HAND, *FINGERS])])
    assert cell.validity().valid
    assert cell.plan().error_code.val == CODE.SUCCESS
    assert cell.plan(group_name="panda_arm_hand").error_code.val == CODE.SUCCESS


def test_collision_common_line_154(cell):
    """Objects on one link may touch, others if one lists the other."""
    one = held("one", 0.05, 0.08, [HAND, *FINGERS])
    assert cell.apply([one, held("two", 0.05, 0.1, [HAND, *FINGERS])])
    assert cell.validity().valid
    assert cell.apply([held("two", 0.05, 0.02, [HAND, *FINGERS], "panda_leftfinger")])
    assert touched(cell.validity(), "two") == {"one"}
    touch_links = ["one", HAND, *FINGERS]
    assert cell.apply([held("two", 0.05, 0.02, touch_links, "panda_leftfinger")])
    assert cell.validity().valid
    assert list(cell.scene().robot_state.attached_collision_objects[1].touch_links) == touch_links
