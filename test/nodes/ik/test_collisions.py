"""ik_server with avoid_collisions: self-collisions, and a planner's scene."""

import numpy as np
import pytest
from rigid_tree_interfaces.msg import Scene
from rigid_tree_interfaces.srv import SolveIK

from harness.ik_server import IkServer, JointStates
from harness.planner import box
from harness.poses import pose_stamped
from harness.probe import LATCHED
from harness.truth import difference
from rigid_tree_kinematics.collision import CollisionChecker
from rigid_tree_kinematics.collision import Obstacle as LibraryObstacle
from rigid_tree_kinematics.collision import Scene as LibraryScene
from rigid_tree_kinematics.model import Box
from rigid_tree_kinematics.model.transforms import transform

Codes = SolveIK.Response
TIP = "tool0"
HOME = [0.0, -1.57, 1.57, -1.57, -1.57, 0.0]


TRUTH = JointStates("ur5")
ROBOT = TRUTH.tree
AT_HOME = ROBOT.get_transform(HOME, TIP)


@pytest.fixture(scope="module")
def server(shared_network):
    return IkServer(shared_network, robot="ur5", threads=4, timeout=5.0)


@pytest.fixture(scope="module")
def publish(server):
    publisher = server.network.publisher(Scene, "scene", LATCHED)

    def send(*added, frame=ROBOT.base_name):
        message = Scene(obstacles=[change.obstacle for change in added])
        message.header.frame_id = frame
        publisher.publish(message)

    return send


def request(T, avoid_collisions=True, **fields):
    target = pose_stamped(T)
    return SolveIK.Request(body=TIP, target=target, avoid_collisions=avoid_collisions, **fields)


def call_until(server, asked, code):
    """Return the reply with a code: the scene and the request come on different ways."""

    def answered():
        reply = server.call(asked)
        return reply if reply.code == code else None

    return server.network.until(answered, f"code {code}")


def test_solutions_are_free_of_self_collisions_and_obstacles(server, publish):
    """Of the arm's branches at least one runs into itself or the slab below it."""
    size, at = (2.0, 2.0, 0.1), (0.0, 0.0, -0.06)
    publish(box("slab", size, at))
    scene = LibraryScene([LibraryObstacle.of("slab", Box(size), transform(at))])
    checker = CollisionChecker(ROBOT, scene)
    some_refused = 0
    for state in TRUTH.random(20, seed=3):
        target = TRUTH.pose(state, TIP)
        everything = server.call(request(target, False, max_solutions=16))
        free = [s for s in everything.solutions if checker.check(s.position).free]
        asked = request(target, max_solutions=16)
        if not free:
            assert not call_until(server, asked, Codes.ALL_BLOCKED).solutions
            continue
        reply = call_until(server, asked, Codes.SUCCESS)
        assert reply.success, reply.message
        for solution in reply.solutions:
            assert checker.check(solution.position).free
            assert max(difference(TRUTH.pose(solution, TIP), target)) < 1.1e-6
        assert len(reply.solutions) == len(free)
        some_refused += len(free) < len(everything.solutions)
    assert some_refused


def test_log_lists_unchecked_bodies(server):
    """Whatever was asked before: the checker is made by the first request."""
    server.call(request(np.eye(4)))
    process = server.process
    server.network.log_line(process, "pairs of bodies are checked for self-collision")
    assert "'base_link_inertia' and 'upper_arm_link'" in process.output
    assert process.output.count("are checked for self-collision") == 1


def test_target_inside_an_obstacle_is_blocked_and_names_it(server, publish):
    publish()
    assert call_until(server, request(AT_HOME), Codes.SUCCESS).success
    publish(box("crate", (0.2, 0.2, 0.2), AT_HOME[:3, 3]))
    reply = call_until(server, request(AT_HOME), Codes.ALL_BLOCKED)
    assert not reply.success
    assert "crate" in reply.message
    assert server.call(request(AT_HOME, False)).success


def test_scene_of_another_robot_and_invalid_scene(server, publish):
    flat = box("flat", (0.2, 0.0, 0.2), (1, 1, 1))
    for added, frame, words in (((), "panda_link0", "link0"), ((flat,), ROBOT.base_name, "flat")):
        publish(*added, frame=frame)
        reply = call_until(server, request(AT_HOME), Codes.INVALID_REQUEST)
        assert words in reply.message
        publish()
        assert call_until(server, request(AT_HOME), Codes.SUCCESS).success
