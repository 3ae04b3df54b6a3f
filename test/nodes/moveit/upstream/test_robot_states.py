"""Start states with and without is_diff, after conversions.cpp."""

from __future__ import annotations

from moveit_msgs.msg import AttachedCollisionObject, MoveItErrorCodes, RobotState

from harness.moveit import box

CODE = MoveItErrorCodes


def cube(name="cube"):
    """Return a cube that the hand cannot hold."""
    item = box(name, "panda_hand", (0.0, 0.0, 0.05), (0.2, 0.2, 0.2))
    return AttachedCollisionObject(link_name="panda_hand", object=item)


def test_conversions_line_389(cell):
    """A whole state holds what it names; a diff, or an empty one, what is held now."""
    assert cell.apply([cube()])
    whole, diff = cell.state(), cell.state()
    whole.is_diff = False
    assert cell.plan(start_state=diff).error_code.val == CODE.START_STATE_IN_COLLISION
    assert not cell.validity(diff).valid
    assert cell.plan(start_state=whole).error_code.val == CODE.SUCCESS
    assert cell.validity(whole).valid
    whole.attached_collision_objects = [cube("other")]
    answer = cell.plan(start_state=whole).error_code
    assert answer.val == CODE.START_STATE_IN_COLLISION
    assert "'other'" in answer.message
    assert "'cube'" not in answer.message
    assert not cell.validity(RobotState()).valid
    # The scene still has it.
    held = cell.scene().robot_state.attached_collision_objects
    assert [item.object.id for item in held] == ["cube"]
