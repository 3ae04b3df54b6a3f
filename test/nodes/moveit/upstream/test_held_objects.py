"""Held objects and start states: what may touch what (after collision_common.cpp), and what is
held (after conversions.cpp)."""

from moveit_msgs.msg import AttachedCollisionObject, RobotState

from harness.moveit import TIP, box
from nodes.moveit.cell import CODE, FINGERS, says, state

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
        assert says(cell.plan(**fields).error_code, CODE.START_STATE_IN_COLLISION, "cube")
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
    assert list(cell.held()["two"].touch_links) == touch_links


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
    assert says(answer, CODE.START_STATE_IN_COLLISION, "'other'")
    assert "'cube'" not in answer.message
    assert not cell.validity(RobotState()).valid
    assert list(cell.held()) == ["cube"]  # in the scene it still is
