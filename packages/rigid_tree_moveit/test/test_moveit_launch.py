"""moveit.launch.py robot:=panda: move_group has the names of the Panda with its hand."""

import pytest
from action_msgs.msg import GoalStatus
from control_msgs.action import FollowJointTrajectory, GripperCommand
from controller_manager_msgs.srv import ListControllers
from launch import LaunchDescription
from moveit_msgs.action import MoveGroup
from moveit_msgs.msg import Constraints, JointConstraint, MotionPlanRequest, MoveItErrorCodes
from moveit_msgs.srv import GetPositionFK
from rclpy.qos import DurabilityPolicy, ReliabilityPolicy

from harness.arm.trajectories import trajectory
from harness.start import launching


@pytest.mark.launch_test
def generate_test_description() -> LaunchDescription:
    return launching.description("moveit.launch.py", {"robot": "panda", "namespace": "arm"})


# What MoveIt's clients look for, by moveit_core's and move_group's names and types
# (capability_names.hpp, planning_scene_monitor.hpp); newer moveit_msgs have more.
SERVICES = {
    "apply_planning_scene": "moveit_msgs/srv/ApplyPlanningScene",
    "check_state_validity": "moveit_msgs/srv/GetStateValidity",
    "clear_octomap": "std_srvs/srv/Empty",
    "compute_cartesian_path": "moveit_msgs/srv/GetCartesianPath",
    "compute_fk": "moveit_msgs/srv/GetPositionFK",
    "compute_ik": "moveit_msgs/srv/GetPositionIK",
    "get_planner_params": "moveit_msgs/srv/GetPlannerParams",
    "get_planning_scene": "moveit_msgs/srv/GetPlanningScene",
    "plan_kinematic_path": "moveit_msgs/srv/GetMotionPlan",
    "plan_sequence_path": "moveit_msgs/srv/GetMotionSequence",
    "query_planner_interface": "moveit_msgs/srv/QueryPlannerInterfaces",
    "set_planner_params": "moveit_msgs/srv/SetPlannerParams",
    "execute_trajectory/_action/send_goal": "moveit_msgs/action/ExecuteTrajectory_SendGoal",
    "move_action/_action/send_goal": "moveit_msgs/action/MoveGroup_SendGoal",
    "sequence_move_group/_action/send_goal": "moveit_msgs/action/MoveGroupSequence_SendGoal",
}
TAKEN = {
    "attached_collision_object": "moveit_msgs/msg/AttachedCollisionObject",
    "collision_object": "moveit_msgs/msg/CollisionObject",
    "planning_scene": "moveit_msgs/msg/PlanningScene",
    "planning_scene_world": "moveit_msgs/msg/PlanningSceneWorld",
    "trajectory_execution_event": "std_msgs/msg/String",
}
TOLD = {
    "display_planned_path": "moveit_msgs/msg/DisplayTrajectory",
    "monitored_planning_scene": "moveit_msgs/msg/PlanningScene",
    "robot_description_semantic": "std_msgs/msg/String",
}


class TestRunning(launching.LaunchTestCase):
    def test_the_graph_is_that_of_moveit(self) -> None:
        node = self.probe.node
        place = ("move_group", "/arm")

        def offered() -> dict[str, list[str]]:
            known = {name for name, _ in node.get_node_names_and_namespaces()}
            found = node.get_service_names_and_types_by_node(*place) if place[0] in known else []
            return dict(found)

        self.probe.until(lambda: "/arm/sequence_move_group/_action/send_goal" in offered(), "it")
        for wanted, found in (
            (SERVICES, offered()),
            (TAKEN, dict(node.get_subscriber_names_and_types_by_node(*place))),
            (TOLD, dict(node.get_publisher_names_and_types_by_node(*place))),
        ):
            for name, kind in wanted.items():
                assert found.get(f"/arm/{name}") == [kind], name
        (semantic,) = node.get_publishers_info_by_topic("/arm/robot_description_semantic")
        assert semantic.qos_profile.durability == DurabilityPolicy.TRANSIENT_LOCAL
        (states,) = node.get_publishers_info_by_topic("/arm/joint_states")
        assert states.qos_profile.reliability == ReliabilityPolicy.RELIABLE  # for any reader

    def test_a_goal_by_the_action_is_reached(self) -> None:
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

    def test_scripts_find_the_controllers_of_moveit_s_panda(self) -> None:
        def running() -> dict[str, str]:
            name = "/arm/controller_manager/list_controllers"
            return {c.name: c.state for c in self.probe.call(ListControllers, name).controller}

        wanted = {"joint_state_broadcaster", "panda_arm_controller", "panda_hand_controller"}
        self.probe.until(lambda: wanted <= running().keys(), "controllers")
        assert set(running().values()) == {"active"}
        gripper = GripperCommand.Goal()
        gripper.command.position = 0.02
        name = "/arm/panda_hand_controller/gripper_cmd"
        handle = self.probe.send_goal(GripperCommand, name, gripper)
        assert self.probe.outcome(handle).result.reached_goal
        names = [f"panda_joint{k}" for k in range(1, 8)]
        arm = trajectory(names, (2.0, [0.1, -0.7, 0.0, -2.0, 0.0, 1.5, 0.7]))
        name = "/arm/panda_arm_controller/follow_joint_trajectory"
        goal = FollowJointTrajectory.Goal(trajectory=arm)
        handle = self.probe.send_goal(FollowJointTrajectory, name, goal)
        assert self.probe.outcome(handle).status == GoalStatus.STATUS_SUCCEEDED


class TestAfterwards(launching.ExitCodes):
    processes = 1
