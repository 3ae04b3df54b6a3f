"""The collision-free initial state of a simulated robot with an SRDF."""

import pytest
from sensor_msgs.msg import JointState

from rigid_tree_kinematics import load_robot
from rigid_tree_kinematics.collision import CollisionChecker

# At zero the arm is inside of the post.
URDF = """<robot name="arm"><link name="base">
  <collision><origin xyz="0.5 0 0"/><geometry><box size="0.1 0.1 0.1"/></geometry></collision>
  </link>
  <link name="arm"><collision><origin xyz="0.5 0 0"/>
    <geometry><box size="0.3 0.02 0.02"/></geometry></collision></link>
  <joint name="j1" type="revolute"><parent link="base"/><child link="arm"/><axis xyz="0 0 1"/>
    <limit lower="-2" upper="2" effort="1" velocity="1"/></joint></robot>"""
SRDF = """<robot name="arm"><group name="arm"><joint name="j1"/></group>{states}</robot>"""
STATES = """<group_state name="inside" group="arm"><joint name="j1" value="0.05"/></group_state>
  <group_state name="aside" group="arm"><joint name="j1" value="1.0"/></group_state>"""


@pytest.fixture
def started(network, tmp_path):
    """Return a function that starts the simulator and returns it with the first position."""
    path = tmp_path / "arm.urdf"
    path.write_text(URDF)

    def start(states=STATES, **parameters):
        srdf = SRDF.format(states=states)
        process = network.start(
            "robot_simulator", {"robot": str(path), "srdf": srdf, **parameters}
        )
        heard = network.hear(JointState, "joint_states")
        network.until(lambda: heard or not process.is_running, "a joint state")
        return process, heard[0].position[0] if heard else None

    return start


def test_it_starts_at_the_first_state_that_is_free(started):
    process, position = started()
    assert position == 1.0
    assert "robot 'arm' starts at state 'aside'" in process.output


def test_it_starts_at_a_state_by_name(started):
    process, position = started(initial_state="inside")
    assert position == 0.05
    assert "starts at state 'inside'" in process.output


def test_without_a_free_state_it_starts_at_the_nearest_free_configuration(started, tmp_path):
    process, position = started(states="")
    robot = load_robot(str(tmp_path / "arm.urdf"))
    assert CollisionChecker(robot, srdf=SRDF.format(states="")).is_free([position])
    assert 0.13 < abs(position) < 0.3  # free from 0.1326 rad on
    assert ", the nearest configuration without collisions" in process.output


def test_positions_go_before_states(started):
    _, position = started(**{"initial_positions.j1": -1.5})
    assert position == -1.5


def test_an_unknown_state_ends_it_with_a_line(started):
    process, position = started(initial_state="asid")
    assert position is None
    assert "state 'asid'" in process.output
    assert "did you mean 'aside'" in process.output
    assert "Traceback" not in process.output
