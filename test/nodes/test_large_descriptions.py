"""Large descriptions: rejected by name, loaded while replies continue, freed when replaced."""

import pytest
from rigid_tree_interfaces.srv import CheckState
from std_msgs.msg import String

from harness.probe import LATCHED
from rigid_tree_kinematics import load_robot
from rigid_tree_kinematics.description import read_urdf, write_urdf
from rigid_tree_kinematics.errors import RigidTreeError

PANDA = write_urdf(load_robot("panda"))
BOX = "<collision><geometry><box size='0.1 0.1 0.1'/></geometry></collision>"
JOINT = (
    "<joint name='j{0}' type='revolute'><parent link='l{1}'/><child link='l{0}'/>"
    "<origin xyz='0 0 0.3'/><axis xyz='0 1 0'/>"
    "<limit lower='-1' upper='1' effort='1' velocity='1'/></joint>"
)


def chain(count: int, name: str = "long") -> str:
    links = "".join(f"<link name='l{k}'>{BOX}</link>" for k in range(count))
    joints = "".join(JOINT.format(k, k - 1) for k in range(1, count))
    return f"<robot name='{name}'>{links}{joints}</robot>"


def test_oversized_input_is_rejected_by_name():
    for text, words in (
        (chain(2001), "2001 links"),
        (chain(2, "x" * 300), "name"),
        (chain(2).replace("l1", "y" * 300), "300 characters"),
        (chain(2).replace("j1", "z" * 300), "300 characters"),
        (chain(2, "x" * 40_000_000), "bytes"),
    ):
        with pytest.raises(RigidTreeError, match=words) as refused:
            read_urdf(text)
        assert len(str(refused.value)) < 3000


def test_a_planner_answers_beside_loading_and_gives_memory_back(network):
    process = network.start("rrt_planner", {})
    topic = network.publisher(String, "robot_description", LATCHED)
    topic.publish(String(data=PANDA))
    network.log_line(process, "robot 'panda' from")
    network.call(CheckState, "check_state")
    before = process.resident_kilobytes
    topic.publish(String(data=chain(60)))
    answers = 0
    while "robot 'long' from" not in process.output:  # it takes some seconds
        assert network.call(CheckState, "check_state").success
        answers += 1
    assert answers >= 5
    written = len(process.output)
    for text in (chain(2000), chain(2, "x" * 40_000_000)):
        count = process.output.count("rejected the robot description")
        topic.publish(String(data=text))
        network.until(
            lambda n=count: process.output.count("rejected the robot description") > n, "an error"
        )
    assert len(process.output) - written < 10_000
    topic.publish(String(data=PANDA))
    network.until(lambda: process.output.count("robot 'panda' from") == 2, "the Panda")
    network.call(CheckState, "check_state")
    network.until(lambda: process.resident_kilobytes - before < 80_000, "memory given back")
