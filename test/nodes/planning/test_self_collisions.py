"""rrt_planner's self-collisions: checked pairs by SRDF and by parameters."""

import pytest
from rigid_tree_interfaces.msg import PlanReply, PlanRequest
from rigid_tree_interfaces.srv import CheckState, PlanMotion
from std_msgs.msg import String

from harness.example_robots import ROBOTS
from harness.planner import NODE, START, state
from harness.probe import LATCHED

SRDF_PAIR = '<disable_collisions link1="panda_{}" link2="panda_{}" reason="Adjacent"/>'
NEIGHBOURS = [("link0", "link1"), ("link1", "link2"), ("link2", "link3"), ("link3", "link4")]
NEIGHBOURS += [("link4", "link5"), ("link5", "link6"), ("link6", "link7"), ("hand", "link7")]
NEIGHBOURS += [("hand", "leftfinger"), ("hand", "rightfinger"), ("leftfinger", "rightfinger")]
AT_ZERO = {
    frozenset(("panda_link5", "panda_hand")),
    frozenset(("panda_link5", "panda_link7")),
    frozenset(("panda_leftfinger", "panda_rightfinger")),
}


@pytest.mark.parametrize(
    ("parameters", "touching", "words"),
    [
        ({}, AT_ZERO, "42 of 55 pairs of bodies are checked"),
        (
            {"disabled_pairs": ["panda_hand panda_link5", "panda_leftfinger panda_rightfinger"]},
            {frozenset(("panda_link5", "panda_link7"))},
            "2 disabled by disabled_pairs",
        ),
        (
            {"srdf": f"<robot>{''.join(SRDF_PAIR.format(*pair) for pair in NEIGHBOURS)}</robot>"},
            {pair for pair in AT_ZERO if "panda_link5" in pair},
            "1 fixed to each other, 10 disabled by the SRDF",
        ),
        (
            {"checked_pairs": ["panda_link5 panda_link6", "panda_link3 panda_link4"]},
            AT_ZERO
            | {
                frozenset(("panda_link5", "panda_link6")),
                frozenset(("panda_link3", "panda_link4")),
            },
            "random configurations: 'panda_link3' and 'panda_link4', 'panda_link5'",
        ),
    ],
)
def test_contact_at_home_is_found_and_named(network, parameters, touching, words):
    """A URDF's home is all zeros, where this Panda touches itself."""
    urdf = str(ROBOTS / "panda_description/urdf/panda.urdf")
    texts = network.record(String, "/meshes/robot_description_semantic", LATCHED)
    process = network.start(NODE, {"robot": urdf, **parameters}, namespace="meshes")
    contacts = network.call(CheckState, "/meshes/check_state").contacts
    assert {frozenset((c.first, c.second)) for c in contacts} == touching
    request = PlanRequest(goal_states=[state(START)])
    reply = network.call(PlanMotion, "/meshes/plan_motion", request=request).reply
    assert reply.code == PlanReply.START_BLOCKED
    assert f"'{contacts[0].first}' touches '{contacts[0].second}'" in reply.message
    if "srdf" in parameters:
        network.until(lambda: [text.data for text in texts] == [parameters["srdf"]], "the SRDF")
    assert process.end() == 0
    assert words in process.output
