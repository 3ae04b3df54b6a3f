"""A simulator that is killed and comes back, a move_group that ends: all stops, and is told."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from moveit_msgs.action import MoveGroup
from moveit_msgs.msg import Constraints, JointConstraint, MotionPlanRequest, MoveItErrorCodes
from sensor_msgs.msg import JointState

from harness.moveit import JOINTS, READY
from harness.network import Network
from harness.processes import Process
from rigid_tree_kinematics.description.robots import bundled_folder

CODE = MoveItErrorCodes


class Cell:
    """A move_group and a simulator, each of which may end."""

    def __init__(self, network: Network) -> None:
        self.network = network
        self.states = network.hear(JointState, "joint_states")
        srdf = str(bundled_folder("robots") / "panda_hand.srdf")
        self.move_group = network.start("move_group", {"robot": "panda_hand", "srdf": srdf})
        self.simulator = self.simulated()
        network.log_line(self.move_group, "8 independent joints")

    def simulated(self) -> Process:
        ready = {f"initial_positions.{name}": q for name, q in zip(JOINTS, READY, strict=True)}
        return self.network.start("robot_simulator", {"robot": "panda_hand", **ready})

    def move(self, to: float, speed: float):
        """Have the first joint turned; return the goal's handle."""
        joint = JointConstraint(joint_name=JOINTS[0], position=to)
        joint.tolerance_above = joint.tolerance_below = 1e-3
        request = MotionPlanRequest(group_name="panda_arm")
        request.max_velocity_scaling_factor = speed
        request.goal_constraints = [Constraints(joint_constraints=[joint])]
        goal = MoveGroup.Goal(request=request)
        return self.network.send_goal(MoveGroup, "move_action", goal)

    def where(self) -> float:
        """Return where the first joint is, by a joint state that comes now."""
        self.states.clear()
        self.network.until(lambda: self.states, "a joint state")
        return dict(zip(self.states[-1].name, self.states[-1].position, strict=True))[JOINTS[0]]


@pytest.fixture
def cell(tmp_path) -> Iterator[Cell]:
    network = Network(tmp_path)
    yield Cell(network)
    network.close()


def test_a_killed_simulator_is_missed_and_another_one_is_used(cell):
    handle = cell.move(2.0, 0.05)
    cell.network.until(lambda: cell.where() > 0.1, "the motion")
    cell.simulator.kill()
    result = cell.network.outcome(handle).result
    assert result.error_code.val == CODE.CONTROL_FAILED
    if hasattr(result.error_code, "message"):
        assert "has fallen silent" in result.error_code.message
    # Nobody knows where the robot is.
    result = cell.network.outcome(cell.move(0.5, 1.0)).result
    assert result.error_code.val != CODE.SUCCESS
    cell.simulated()
    cell.where()

    def arrived() -> bool:
        return cell.network.outcome(cell.move(0.3, 1.0)).result.error_code.val == CODE.SUCCESS

    cell.network.until(arrived, "a motion of the new robot")
    assert cell.where() == pytest.approx(0.3, abs=2e-3)


def test_ctrl_c_stops_the_robot(cell):
    cell.move(2.0, 0.05)
    cell.network.until(lambda: cell.where() > 0.1, "the motion")
    assert cell.move_group.end() == 0
    cell.network.live(0.5)
    stopped = cell.where()
    cell.network.live(1.0)
    assert cell.where() == stopped < 1.9
