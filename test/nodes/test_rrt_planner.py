"""rrt_planner's process: states, parameters, and how it answers without a robot."""

import numpy as np
import pytest
from rigid_tree_interfaces.srv import CheckState, PlanMotion, UpdateScene

from harness.planner import NODE
from rigid_tree_kinematics.collision import CollisionChecker, load_scene


def test_a_state_is_free_with_its_distance_or_names_what_touches(planner):
    checker = CollisionChecker(planner.robot, load_scene("panda_pillars"))
    rng = np.random.default_rng(2)
    seen = set()
    for _ in range(30):
        q = planner.robot.random_configuration(rng)
        reply, truth = planner.check(q), checker.check(q)
        assert reply.free == truth.free
        found = {frozenset((c.first, c.second)) for c in reply.contacts}
        assert found == {frozenset((c.first, c.second)) for c in truth.contacts}
        assert reply.distance == pytest.approx(checker.distance(q).distance, abs=1e-9)
        seen.add(reply.free)
    assert seen == {True, False}


def test_without_a_robot_everything_is_answered(network):
    process = network.start(NODE, namespace="alone")
    asked = (
        (UpdateScene, "update_scene", lambda r: r),
        (CheckState, "check_state", lambda r: r),
        (PlanMotion, "plan_motion", lambda r: r.reply),
    )
    for kind, name, reply_of in asked:
        reply = reply_of(network.call(kind, f"/alone/{name}"))
        assert reply.code == reply.NO_ROBOT
        assert "/alone/robot_description" in reply.message
    assert process.end() == 0


def test_parameters_are_changed_or_refused(planner):
    network = planner.network
    assert network.set_parameter(NODE, "maximum_nodes", 5000).successful
    for name, value in (("planner", "prm"), ("scene", "x"), ("tip", "hand"), ("step", -1.0)):
        assert not network.set_parameter(NODE, name, value).successful
    assert planner.plan().success
