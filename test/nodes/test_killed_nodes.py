"""Killed and restarted nodes: the others continue, and report the fate of a motion."""

import numpy as np
import pytest
from control_msgs.action import FollowJointTrajectory
from rigid_tree_interfaces.msg import PlanReply, PlanRequest
from rigid_tree_interfaces.srv import ComputeFK, PlanMotion
from sensor_msgs.msg import JointState

from harness.network import Network
from harness.planner import GOAL, JOINTS, START, state

PARAMETERS = {
    "tree_state_publisher": {"robot": "panda"},
    "robot_simulator": {
        "robot": "panda",
        **{f"initial_positions.{k}": v for k, v in zip(JOINTS, START, strict=True)},
    },
    "ik_server": {},
    "rrt_planner": {"scene": "panda_pillars"},
}
SLOW = 0.2  # of the limits


class Cell:
    """A simulated Panda whose nodes have a process each."""

    def __init__(self, directory):
        self.network = Network(directory)
        self.states = self.network.record(JointState, "joint_states")
        self.processes = {name: self.network.start(name, own) for name, own in PARAMETERS.items()}

    def restart(self, name):
        self.processes[name] = self.network.start(name, PARAMETERS[name])

    def plan(self, **fields):
        """Return a plan to GOAL from where the robot is, once somebody has one."""
        request = PlanRequest(goal_states=[state(GOAL)], **fields)
        reply = self.network.call_until(
            lambda reply: reply.reply.code not in (PlanReply.NO_ROBOT, PlanReply.START_BLOCKED),
            PlanMotion,
            "plan_motion",
            request=request,
        ).reply
        assert reply.success, reply.message
        return reply.trajectory

    def works(self):
        """Have every node do its work once: frames, poses, a plan and its execution."""
        pose = self.network.call_until(
            lambda reply: reply.success, ComputeFK, "forward_kinematics", bodies=["panda_link8"]
        )
        assert pose.poses
        self.network.messages.clear()
        self.network.until(lambda: self.network.messages, "frames")
        self.plan()
        back = FollowJointTrajectory.Goal(trajectory=self.plan())
        back.trajectory.points = back.trajectory.points[:1]
        self.network.until(lambda: self.follow(back).error_code == 0, "a robot that follows")

    def follow(self, goal):
        action = "follow_watched_trajectory"
        handle = self.network.send_goal(FollowJointTrajectory, action, goal)
        return self.network.outcome(handle).result

    def move(self):
        """Start move_robot, and return it as soon as the robot moves."""
        joints = [f"{name}={value}" for name, value in zip(JOINTS, GOAL, strict=True)]
        process = self.network.start_process("move_robot", {}, "", *joints, "--speed", str(SLOW))
        self.network.log_line(process, "found and shortened")
        before = np.array(self.states[-1].position)

        def moved():
            return np.abs(np.array(self.states[-1].position) - before).max() > 0.1

        self.network.until(moved, "the motion")
        return process


@pytest.fixture(scope="module")
def cell(tmp_path_factory):
    made = Cell(tmp_path_factory.mktemp("cell"))
    yield made
    made.network.close()


# Error that move_robot logs when this node is killed during the motion.
SILENT = {
    "robot_simulator": "follow_joint_trajectory has stopped sending feedback",
    "rrt_planner": "follow_watched_trajectory stopped sending feedback before the motion's end",
}


@pytest.mark.parametrize("name", PARAMETERS)
def test_the_others_continue_when_a_killed_node_is_back(cell, name):
    cell.works()
    moving = cell.move() if name in SILENT else None
    cell.processes[name].kill()
    if moving:
        assert moving.wait() == 1
        assert SILENT[name] in moving.output
    cell.restart(name)
    cell.works()
    others = [process for other, process in cell.processes.items() if other != name]
    assert all(process.is_running for process in others)
    assert not [process.output for process in others if "internal error" in process.output]
