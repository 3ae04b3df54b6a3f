"""Running motions are stopped, with a reason, when a scene change blocks their path."""

import re

import numpy as np
import pytest
from action_msgs.msg import GoalStatus
from control_msgs.action import FollowJointTrajectory
from rclpy.qos import qos_profile_sensor_data
from rigid_tree_interfaces.msg import SceneChange
from rigid_tree_interfaces.srv import SetState
from sensor_msgs.msg import JointState, PointCloud2
from trajectory_msgs.msg import JointTrajectory

from harness.arm.trajectories import trajectory as trajectory_of
from harness.planner import GOAL, JOINTS, START, Planner, box, change, state
from rigid_tree_kinematics.collision import CollisionChecker, load_scene
from rigid_tree_kinematics.nodes.common.requests.motion_client import BLOCKED, DRIVER, WATCHED
from rigid_tree_kinematics.nodes.scene.clouds import cloud_message

Codes = FollowJointTrajectory.Result
SLOW = 0.3  # of the limits
SIZE = (0.06, 0.06, 0.06)


class Cell:
    """A planner and a simulated robot in one network."""

    def __init__(self, planner):
        self.planner, self.network = planner, planner.network
        self.states = self.network.record(JointState, "joint_states")
        self.simulator = self.network.start("robot_simulator", {"robot": "panda"})
        self.network.until(lambda: self.states, "joint states")

    def put(self, positions):
        reply = self.network.call(SetState, "robot_simulator/set_state", state=state(positions))
        assert reply.success, reply.message
        self.network.until(lambda: np.allclose(self.where(), positions), "the state")
        self.planner.until_at(positions)

    def where(self):
        return np.array(self.states[-1].position)[:7]

    def rest(self):
        """Return where the robot stands still."""
        before = self.where() - 1.0
        while np.abs(self.where() - before).max() > 1e-9:
            before = self.where()
            count = len(self.states)
            self.network.until(lambda count=count: len(self.states) > count + 20, "joint states")
        return before

    def send(self, trajectory, received=None):
        goal = FollowJointTrajectory.Goal(trajectory=trajectory)
        return self.network.send_goal(FollowJointTrajectory, WATCHED, goal, received)

    def plan(self, scale=SLOW):
        reply = self.planner.plan(velocity_scale=scale)
        assert reply.success, reply.message
        return reply.trajectory


@pytest.fixture(scope="module")
def shared_cell(shared_planner):
    return Cell(shared_planner)


@pytest.fixture
def cell(shared_cell, planner):
    shared_cell.put(START)
    return shared_cell


def hand_at(cell, trajectory, part):
    """Return where the hand is when so much of the points are behind it."""
    positions = trajectory.points[int(part * (len(trajectory.points) - 1))].positions
    return cell.planner.robot.get_transform(list(positions), "panda_link7")[:3, 3]


def lead(positions, seconds):
    return trajectory_of(JOINTS, (seconds, positions))


def test_a_free_motion_reaches_its_end_with_the_drivers_feedback(cell):
    received = []
    trajectory = cell.plan()
    handle = cell.send(trajectory, received.append)
    outcome = cell.network.outcome(handle)
    assert outcome.status == GoalStatus.STATUS_SUCCEEDED
    assert outcome.result.error_code == Codes.SUCCESSFUL
    np.testing.assert_allclose(cell.rest(), GOAL, atol=1e-6)
    assert len(received) > 5
    assert list(received[0].feedback.joint_names) == list(trajectory.joint_names)


def test_appearing_obstacle_stops_the_motion_before_a_collision(cell):
    trajectory = cell.plan()
    crate = hand_at(cell, trajectory, 0.7)
    handle = cell.send(trajectory)
    assert handle.accepted
    cell.network.until(lambda: np.abs(cell.where() - START).max() > 0.1, "the motion")
    assert cell.planner.update(box("crate", SIZE, crate)).success
    outcome = cell.network.outcome(handle)
    assert outcome.status == GoalStatus.STATUS_ABORTED
    assert outcome.result.error_code == BLOCKED
    word = outcome.result.error_string
    assert "'crate'" in word
    assert "panda_" in word
    found = np.array(re.findall(r"-?\d+\.\d{3}", word), dtype=float)
    assert np.abs(found - crate).max() < 0.25
    scene = load_scene("panda_pillars")
    stopped = cell.rest()
    assert CollisionChecker(cell.planner.robot, scene).is_free(stopped)
    assert cell.planner.check(stopped).free
    assert np.abs(stopped - GOAL).max() > 0.1


def test_sensed_obstacle_stops_the_motion(cell):
    trajectory = cell.plan()
    hand = hand_at(cell, trajectory, 0.7)
    along = np.linspace(-0.05, 0.05, 11)
    cloud = cloud_message(np.stack(np.meshgrid(along, along, along), -1).reshape(-1, 3) + hand)
    cloud.header.frame_id = "panda_link0"
    sensor = cell.network.publisher(PointCloud2, "points", qos_profile_sensor_data)
    handle = cell.send(trajectory)
    cell.network.until(lambda: np.abs(cell.where() - START).max() > 0.1, "the motion")
    sensor.publish(cloud)
    outcome = cell.network.outcome(handle)
    assert outcome.result.error_code == BLOCKED, outcome.result.error_string
    assert "would hit 'points'" in outcome.result.error_string
    assert cell.planner.check(cell.rest()).free
    empty = cloud_message(np.empty((0, 3)))
    empty.header.frame_id = "panda_link0"
    sensor.publish(empty)
    cell.network.until(lambda: cell.planner.plan().success, "a free way")


def test_changes_elsewhere_and_behind_do_not_stop_it(cell):
    trajectory = cell.plan()
    behind = hand_at(cell, trajectory, 0.0)
    handle = cell.send(trajectory)
    cell.network.until(lambda: cell.where()[0] < 0.2, "most of the motion")
    assert cell.planner.update(box("far", SIZE, (0.0, 0.0, 2.5))).success
    assert cell.planner.update(box("behind", SIZE, behind)).success
    outcome = cell.network.outcome(handle)
    assert outcome.status == GoalStatus.STATUS_SUCCEEDED, outcome.result.error_string


def test_existing_obstacle_prevents_the_start(cell):
    trajectory = cell.plan()
    assert cell.planner.update(box("crate", SIZE, hand_at(cell, trajectory, 0.5))).success
    outcome = cell.network.outcome(cell.send(trajectory))
    assert outcome.result.error_code == BLOCKED
    assert "'crate'" in outcome.result.error_string
    np.testing.assert_allclose(cell.rest(), START, atol=1e-9)


def test_a_lead_without_a_plan_is_checked_from_where_the_robot_is(cell):
    # Straight from one side of the pillars to the other.
    outcome = cell.network.outcome(cell.send(lead(GOAL, 3.0)))
    assert outcome.result.error_code == BLOCKED
    assert "pillar" in outcome.result.error_string
    np.testing.assert_allclose(cell.rest(), START, atol=1e-9)


def test_a_cancelled_goal_is_cancelled_at_the_driver(cell):
    handle = cell.send(cell.plan())
    cell.network.until(lambda: np.abs(cell.where() - START).max() > 0.05, "the motion")
    assert cell.network.result(handle.cancel_goal_async()).goals_canceling
    assert cell.network.outcome(handle).status == GoalStatus.STATUS_CANCELED
    assert np.abs(cell.rest() - GOAL).max() > 0.1


def test_another_goal_for_the_driver_ends_the_watched_one_with_the_drivers_word(cell):
    handle = cell.send(cell.plan())
    cell.network.until(lambda: np.abs(cell.where() - START).max() > 0.05, "the motion")
    stay = FollowJointTrajectory.Goal(trajectory=lead(cell.where().tolist(), 0.1))
    cell.network.send_goal(FollowJointTrajectory, DRIVER, stay)
    outcome = cell.network.outcome(handle)
    assert outcome.status == GoalStatus.STATUS_ABORTED
    assert outcome.result.error_code == Codes.INVALID_GOAL


def test_bad_trajectories_are_rejected_with_a_reason(cell):
    nose = JointTrajectory(joint_names=["nose"], points=lead([0.0], 1.0).points)
    for trajectory, code, words in (
        (JointTrajectory(), Codes.INVALID_JOINTS, "names no joints"),
        (JointTrajectory(joint_names=JOINTS), Codes.INVALID_GOAL, "no points"),
        (lead([np.nan] * 7, 1.0), Codes.INVALID_GOAL, "finite"),
        (lead([9.0] * 7, 1.0), Codes.INVALID_GOAL, "limits"),
        (lead([0.0] * 6, 1.0), Codes.INVALID_GOAL, "7 joints"),
        (nose, Codes.INVALID_JOINTS, "nose"),
    ):
        outcome = cell.network.outcome(cell.send(trajectory))
        assert (outcome.status, outcome.result.error_code) == (GoalStatus.STATUS_ABORTED, code)
        assert words in outcome.result.error_string


def test_move_robot_reports_the_blocking_obstacle_or_replans(cell):
    joints = [f"{name}={position}" for name, position in zip(JOINTS, GOAL, strict=True)]
    crate = hand_at(cell, cell.plan(), 0.7)  # its path is the same
    for replans, code in (("0", 1), ("3", 0)):
        cell.put(START)
        words = (*joints, "--speed", str(SLOW), "--replans", replans)
        process = cell.network.start_process("move_robot", {}, "", *words)

        def moved():
            return np.abs(cell.where() - START).max() > 0.1

        cell.network.until(moved, "the motion")
        assert cell.planner.update(box("crate", SIZE, crate)).success
        assert process.wait() == code, process.output
        assert "'crate'" in process.output
        cell.planner.update(change(SceneChange.REMOVE, "crate"))
        if code == 0:
            assert "planning again" in process.output
            np.testing.assert_allclose(cell.rest(), GOAL, atol=1e-6)
    process = cell.network.start_process("move_robot", {}, "", "panda_joint2=99")
    assert process.wait() == 1
    assert "panda_joint2" in process.output


def test_planner_shutdown_stops_unmonitored_motions(network):
    own = Cell(Planner(network))
    own.put(START)
    # So slow that the motion outlasts a planner that takes its time to end.
    handle = own.send(own.plan(0.05))
    assert handle.accepted
    network.until(lambda: np.abs(own.where() - START).max() > 0.05, "the motion")
    assert own.planner.process.end() == 0
    assert np.abs(own.rest() - GOAL).max() > 0.1


def test_motion_without_a_driver_is_rejected_with_a_message(network):
    alone = Planner(network)
    alone.be_at(START)
    goal = FollowJointTrajectory.Goal(trajectory=alone.plan().trajectory)
    outcome = network.outcome(network.send_goal(FollowJointTrajectory, WATCHED, goal))
    assert outcome.status == GoalStatus.STATUS_ABORTED
    assert f"no server of the action {DRIVER}" in outcome.result.error_string
    assert alone.plan().success
