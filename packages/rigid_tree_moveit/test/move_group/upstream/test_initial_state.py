"""The collision-free initial state of a simulated robot with an SRDF."""

from typing import Any

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


STARTS: dict[
    str, tuple[str, dict[str, Any], Any, str]
] = {  # the states of the SRDF, parameters, and where it starts by its log
    "free": (STATES, {}, 1.0, "robot 'arm' starts at state 'aside'"),
    "named": (STATES, {"initial_state": "inside"}, 0.05, "starts at state 'inside'"),
    "nearest": ("", {}, None, ", the nearest configuration without collisions"),
    "positions": (STATES, {"initial_positions.j1": -1.5}, -1.5, ""),
}


def test_it_starts_at_the_first_free_state_or_as_asked(network, tmp_path):
    robot = tmp_path / "arm.urdf"
    robot.write_text(URDF)
    started = {}
    for name, (states, parameters, *_) in STARTS.items():
        given = {"robot": str(robot), "srdf": SRDF.format(states=states), **parameters}
        received = network.record(JointState, f"/{name}/joint_states")
        started[name] = network.start("robot_simulator", given, name), received
    for name, (process, received) in started.items():
        network.until(lambda received=received: received, f"a joint state of {name}")
        position, (_, _, wanted, words) = received[0].position[0], STARTS[name]
        assert words in process.output
        if wanted is not None:
            assert position == wanted
        else:
            checker = CollisionChecker(load_robot(str(robot)), srdf=SRDF.format(states=""))
            assert checker.is_free([position])
            assert 0.13 < abs(position) < 0.3  # free from 0.1326 rad on
    given = {"robot": str(robot), "srdf": SRDF.format(states=STATES), "initial_state": "asid"}
    process = network.start("robot_simulator", given)
    assert process.wait() == 1
    assert "state 'asid'" in process.output
    assert "did you mean 'aside'" in process.output
    assert "Traceback" not in process.output


def test_a_part_of_the_srdf_that_is_left_out_is_logged(network, tmp_path):
    robot = tmp_path / "arm.urdf"
    robot.write_text(URDF)
    second = '<group name="arm"><joint name="j1"/></group>'
    given = {"robot": str(robot), "srdf": SRDF.format(states=STATES + second)}
    process = network.start("robot_simulator", given)
    network.until(lambda: "starts at state" in process.output, "the start")
    (line,) = [line for line in process.output.splitlines() if "second group 'arm'" in line]
    assert line.startswith("[WARN]")
    assert "DescriptionWarning" not in process.output  # Python's own format, with a source line
