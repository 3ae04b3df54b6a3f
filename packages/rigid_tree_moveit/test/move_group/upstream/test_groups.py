"""Collisions count for the links that a request's group moves, and for what these carry."""

from geometry_msgs.msg import PoseStamped
from moveit_harness.move_group import FINGER, JOINTS, TIP, box
from moveit_msgs.msg import RobotState
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from move_group.cell import ARM, BASE, CODE, Cell, has_error, joints, state


def shelf(cell, link="panda_link4"):
    """Put a small box at the origin of a link."""
    at = cell.fk(link).pose_stamped[0].pose.position
    assert cell.apply([box("shelf", BASE, (at.x, at.y, at.z), (0.08, 0.08, 0.08))])


def test_collision_common_line_71(cell):
    """A hand closes while the elbow touches a shelf; the arm cannot start."""
    shelf(cell)
    assert cell.validity(group_name="hand").valid
    close = joints({FINGER: 0.01})
    plan = cell.plan(close, group_name="hand")
    assert plan.error_code.val == CODE.SUCCESS
    assert plan.trajectory.joint_trajectory.points[-1].positions[0] == 0.01
    for group in (ARM, "panda_arm_hand"):
        assert not cell.validity(group_name=group).valid
        answer = cell.plan(group_name=group).error_code
        assert has_error(answer, CODE.START_STATE_IN_COLLISION, "shelf")


def test_collision_common_line_1014(cell):
    """Without a group, and for one that does not exist, all links count."""
    shelf(cell)
    for group in ("", "leg"):
        reply = cell.validity(group_name=group)
        touched = {(c.contact_body_1, c.contact_body_2) for c in reply.contacts}
        assert not reply.valid
        assert ("panda_link4", "shelf") in touched


def test_kinematics_service_capability_line_77(cell):
    """What the fingers touch matters to the arm, which moves them, and not to each link above."""
    shelf(cell, "panda_leftfinger")
    assert not cell.validity(group_name="hand").valid
    found = cell.fk(TIP).pose_stamped[0]
    assert isinstance(found, PoseStamped)
    assert cell.ik(pose_stamped=found).error_code.val == CODE.NO_IK_SOLUTION
    close = cell.plan(joints({FINGER: 0.01}), group_name="hand", start_state=state())
    assert has_error(close.error_code, CODE.START_STATE_IN_COLLISION, "shelf")


def test_plan_execution_line_284(moveit):
    """Motions are monitored for the links that they move."""
    cell = Cell(moveit.network)
    shelf(cell)
    close = cell.move(joints({FINGER: 0.01}), group_name="hand", start_state=RobotState())
    assert cell.network.outcome(close).result.error_code.val == CODE.SUCCESS
    turned = JointTrajectory(joint_names=[JOINTS[0]])
    turned.points = [JointTrajectoryPoint(positions=[0.2])]
    turned.points[0].time_from_start.sec = 1
    assert cell.outcome(cell.execute(turned)).val != CODE.SUCCESS
    moveit.be_ready()
