"""moveit.launch.py robot:=panda: move_group has the names of the Panda with its hand, moves it."""

import pytest
from moveit_msgs.action import MoveGroup
from moveit_msgs.msg import Constraints, JointConstraint, MotionPlanRequest, MoveItErrorCodes
from moveit_msgs.srv import GetPositionFK

from harness import launching


@pytest.mark.launch_test
def generate_test_description():
    return launching.description("moveit.launch.py", {"robot": "panda", "namespace": "arm"})


class TestRunning(launching.LaunchTestCase):
    def test_a_goal_by_the_action_is_reached(self):
        self.probe.call_until(
            lambda reply: reply.error_code.val == MoveItErrorCodes.SUCCESS,
            GetPositionFK,
            "/arm/compute_fk",
            fk_link_names=["panda_hand_tcp"],
        )
        joint = JointConstraint(joint_name="panda_joint1", position=0.2)
        joint.tolerance_above = joint.tolerance_below = 1e-3
        request = MotionPlanRequest(
            group_name="panda_arm", goal_constraints=[Constraints(joint_constraints=[joint])]
        )
        goal = MoveGroup.Goal(request=request)
        handle = self.probe.send_goal(MoveGroup, "/arm/move_action", goal)
        result = self.probe.outcome(handle).result
        assert result.error_code.val == MoveItErrorCodes.SUCCESS, result.error_code
        last = result.executed_trajectory.joint_trajectory
        assert last.points[-1].positions[list(last.joint_names).index("panda_joint1")] == 0.2


class TestAfterwards(launching.ExitCodes):
    processes = 1
