"""ik_server with avoid_collisions: the robot itself, and the scene that a planner publishes."""

import numpy as np
import pytest
from geometry_msgs.msg import Pose
from rigid_tree_interfaces.msg import Obstacle, Scene
from rigid_tree_interfaces.srv import SolveIK
from shape_msgs.msg import SolidPrimitive

from harness.ik_server import IkServer, JointStates
from harness.poses import pose_stamped
from harness.probe import LATCHED
from harness.truth import difference
from rigid_tree_kinematics.collision import CollisionChecker
from rigid_tree_kinematics.collision import Obstacle as LibraryObstacle
from rigid_tree_kinematics.collision import Scene as LibraryScene
from rigid_tree_kinematics.description.robots import load_robot
from rigid_tree_kinematics.model import Box

Codes = SolveIK.Response
TIP = "tool0"
HOME = [0.0, -1.57, 1.57, -1.57, -1.57, 0.0]


def box_message(name, size, position):
    box = SolidPrimitive(type=SolidPrimitive.BOX, dimensions=[float(s) for s in size])
    pose = Pose()
    pose.position.x, pose.position.y, pose.position.z = (float(p) for p in position)
    return Obstacle(name=name, pose=pose, primitives=[box])


@pytest.fixture(scope="module")
def robot():
    return load_robot("ur5")


@pytest.fixture(scope="module")
def truth():
    return JointStates("ur5")


@pytest.fixture(scope="module")
def server(shared_network):
    return IkServer(shared_network, robot="ur5", threads=4, timeout=5.0)


@pytest.fixture(scope="module")
def publish(server, robot):
    publisher = server.network.publisher(Scene, "scene", LATCHED)

    def send(*obstacles, frame=robot.base_name):
        message = Scene(obstacles=list(obstacles))
        message.header.frame_id = frame
        publisher.publish(message)

    return send


def asked_until(server, request, code):
    """The scene and the request come on different ways."""
    replies = []

    def answered():
        replies.append(server.call(request))
        return replies[-1].code == code

    server.network.until(answered, f"code {code}")
    return replies[-1]


def test_solutions_touch_neither_the_robot_nor_the_scene(server, publish, robot, truth):
    """Of the arm's branches at least one runs into itself or the slab below it."""
    slab = box_message("slab", (2.0, 2.0, 0.1), (0.0, 0.0, -0.06))
    publish(slab)
    scene = LibraryScene()
    T = np.eye(4)
    T[2, 3] = -0.06
    scene.add(LibraryObstacle.of("slab", Box((2.0, 2.0, 0.1)), T))
    checker = CollisionChecker(robot, scene)
    some_refused = 0
    for state in truth.random(20, seed=3):
        target = truth.pose(state, TIP)
        request = SolveIK.Request(body=TIP, target=pose_stamped(target), max_solutions=16)
        everything = server.call(request)
        free = [s for s in everything.solutions if checker.check(s.position).free]
        request.avoid_collisions = True
        if not free:
            reply = asked_until(server, request, Codes.ALL_BLOCKED)
            assert reply.code == Codes.ALL_BLOCKED
            assert not reply.solutions
            continue
        reply = asked_until(server, request, Codes.SUCCESS)
        assert reply.success, reply.message
        for solution in reply.solutions:
            assert checker.check(solution.position).free
            assert max(difference(truth.pose(solution, TIP), target)) < 1.1e-6
        assert len(reply.solutions) == len(free)
        some_refused += len(free) < len(everything.solutions)
    assert some_refused


def test_the_log_says_which_bodies_are_not_checked(server):
    """Whatever was asked before: the checker is made by the first request."""
    request = SolveIK.Request(body=TIP, target=pose_stamped(np.eye(4)), avoid_collisions=True)
    server.call(request)
    process = server.process
    server.network.log_line(process, "pairs of bodies are checked for self-collision")
    assert "'base_link_inertia' and 'upper_arm_link'" in process.output
    assert process.output.count("are checked for self-collision") == 1


def test_a_target_inside_an_obstacle_is_blocked_and_says_by_what(server, publish, robot):
    T = robot.get_transform(HOME, TIP)
    request = SolveIK.Request(body=TIP, target=pose_stamped(T), avoid_collisions=True)
    publish()
    assert asked_until(server, request, Codes.SUCCESS).success
    publish(box_message("crate", (0.2, 0.2, 0.2), T[:3, 3]))
    reply = asked_until(server, request, Codes.ALL_BLOCKED)
    assert reply.code == Codes.ALL_BLOCKED
    assert not reply.success
    assert "crate" in reply.message
    request.avoid_collisions = False
    assert server.call(request).success


def test_a_scene_in_the_frame_of_another_robot_is_refused(server, publish, robot):
    T = robot.get_transform(HOME, TIP)
    request = SolveIK.Request(body=TIP, target=pose_stamped(T), avoid_collisions=True)
    publish(frame="panda_link0")
    reply = asked_until(server, request, Codes.INVALID_REQUEST)
    assert reply.code == Codes.INVALID_REQUEST
    assert "panda_link0" in reply.message
    publish()
    assert asked_until(server, request, Codes.SUCCESS).success


def test_an_obstacle_that_makes_no_sense_is_named(server, publish, robot):
    T = robot.get_transform(HOME, TIP)
    request = SolveIK.Request(body=TIP, target=pose_stamped(T), avoid_collisions=True)
    publish(box_message("flat", (0.2, 0.0, 0.2), (1, 1, 1)))
    reply = asked_until(server, request, Codes.INVALID_REQUEST)
    assert reply.code == Codes.INVALID_REQUEST
    assert "flat" in reply.message
