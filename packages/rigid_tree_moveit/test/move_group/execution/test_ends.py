"""A killed and restarted simulator, and the end of move_group: motions stop with a reason."""

from collections.abc import Iterator

import pytest
from moveit_harness.move_group import JOINTS, start_move_group
from sensor_msgs.msg import JointState

from harness.network import Network
from move_group import cell as cells
from move_group.cell import CODE, by_name, has_error, turned


class Cell(cells.Cell):
    """A move_group and a simulator, each of which may end."""

    def __init__(self, network: Network) -> None:
        super().__init__(network)
        self.joints = network.record(JointState, "joint_states")
        self.move_group = start_move_group(network)
        self.simulator = self.start_robot()
        self.where()  # move_group waits for a driver for 3 s only

    def turn(self, to: float, speed: float):
        """Have the first joint turned; return the goal's handle."""
        return self.move(turned(to), max_velocity_scaling_factor=speed)

    def where(self) -> float:
        """Return where the first joint is, by a joint state that comes now."""
        self.joints.clear()
        self.network.until(lambda: self.joints, "a joint state")
        return by_name(self.joints[-1])[JOINTS[0]]


@pytest.fixture
def cell(tmp_path) -> Iterator[Cell]:
    network = Network(tmp_path)
    yield Cell(network)
    network.close()


def test_a_killed_simulator_is_missed_and_another_one_is_used(cell):
    handle = cell.turn(2.0, 0.05)
    cell.network.until(lambda: cell.where() > 0.1, "the motion")
    cell.simulator.kill()
    assert has_error(cell.outcome(handle), CODE.CONTROL_FAILED, "has stopped sending feedback")
    # Nobody knows where the robot is.
    assert cell.outcome(cell.turn(0.5, 1.0)).val != CODE.SUCCESS
    cell.start_robot()
    cell.where()

    def moved():
        return cell.outcome(cell.turn(0.3, 1.0)).val == CODE.SUCCESS

    cell.network.until(moved, "a motion of the new robot")
    assert cell.where() == pytest.approx(0.3, abs=2e-3)


def test_ctrl_c_stops_the_robot(cell):
    cell.turn(2.0, 0.05)
    cell.network.until(lambda: cell.where() > 0.1, "the motion")
    assert cell.move_group.end() == 0
    # A stop takes less than half a second; the motion would take much longer.

    def stopped():
        return cell.where() == cell.where()

    cell.network.until(stopped, "the stop")
    at = cell.where()
    cell.network.until(lambda: len(cell.joints) > 50, "joint states")
    assert cell.where() == at < 1.9
