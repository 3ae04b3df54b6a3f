"""The services of ik_server, called from another process."""

import itertools
import math
from operator import attrgetter

import numpy as np
import pytest
from builtin_interfaces.msg import Duration
from rigid_tree_interfaces.srv import ComputeFK, SolveIK
from sensor_msgs.msg import JointState
from tf2_msgs.msg import TFMessage

from harness.cases import case
from harness.ik_server import IkServer, JointStates
from harness.poses import pose_stamped, transform_stamped
from harness.truth import difference

Codes = SolveIK.Response
TIP = "panda_link8"
# A solution is within 1e-6 m and rad of the target for the server; Pinocchio may differ by
# rounding, and the target by the rounding of its quaternion.
WITHIN = 1.1e-6


@pytest.fixture(scope="module")
def panda():
    return JointStates("panda")


@pytest.fixture(scope="module")
def server(shared_network):
    # So many restarts that a hard target is a matter of time.
    made = IkServer(shared_network, robot="panda", max_restarts=100_000, threads=4)
    yield made
    assert made.process.is_running
    assert "internal error" not in made.process.output


def request_for(T, frame="", **fields):
    return SolveIK.Request(body=TIP, target=pose_stamped(T, frame), **fields)


@pytest.fixture
def request_(panda):
    """A request with an answer."""
    return request_for(panda.pose(panda.random(1, seed=11)[0], TIP))


def assert_meets(reply, panda, T, base=None):
    assert reply.success, reply.message
    assert reply.code == Codes.SUCCESS
    assert reply.solutions
    for solution in reply.solutions:
        panda.assert_within_limits(solution)
        assert max(difference(panda.pose(solution, TIP, base), T)) < WITHIN
    assert reply.position_error <= 1e-6
    assert reply.orientation_error <= 1e-6


# -- right answers -------------------------------------------------------------------------------


def test_solutions_reach_their_targets_by_pinocchio(server, panda):
    for state in panda.random(50, seed=1):
        T = panda.pose(state, TIP)
        assert_meets(server.call(request_for(T)), panda, T)


def test_the_target_may_be_given_in_another_bodys_frame_and_moved_against_it(server, panda):
    base = "panda_link2"
    for state in panda.random(10, seed=2):
        T = panda.pose(state, TIP, base)
        reply = server.call(request_for(T, base=base, seed=state))
        assert_meets(reply, panda, T, base)
        assert list(reply.solutions[0].position[:2]) == list(state.position[:2])


def test_a_target_in_the_roots_frame_for_joints_behind_another_base(server, panda):
    """The joints before the base stand where the seed has them, and the target counts that in."""
    for state in panda.random(10, seed=17):
        T = panda.pose(state, TIP)
        seed = panda.home()
        seed.position[:2] = state.position[:2]
        reply = server.call(request_for(T, "panda_link0", base="panda_link2", seed=seed))
        assert_meets(reply, panda, T)
        assert list(reply.solutions[0].position[:2]) == list(state.position[:2])


def test_a_target_in_a_foreign_tf_frame_or_one_of_the_robot_that_tf_lacks(server, panda):
    world_root, world_table, seed, goal = panda.random(4, seed=4)
    T_world_root, T_world_table = panda.pose(world_root, TIP), panda.pose(world_table, TIP)
    server.send_transform("world", "panda_link0", T_world_root)
    server.send_transform("world", "table", T_world_table)
    T = panda.pose(goal, TIP)
    T_table_target = np.linalg.inv(T_world_table) @ T_world_root @ T
    assert_meets(
        server.call(request_for(T_table_target, "table", timeout=Duration(sec=5))), panda, T
    )
    T_link5_target = np.linalg.inv(panda.pose(seed, "panda_link5")) @ T
    assert_meets(server.call(request_for(T_link5_target, "panda_link5", seed=seed)), panda, T)


def test_forward_kinematics_by_pinocchio(server, panda):
    state = panda.random(1, seed=7)[0]
    reply = server.call(ComputeFK.Request(joint_state=state, base="panda_link3"))
    assert reply.success, reply.message
    assert list(reply.bodies) == list(panda.tree.compiled().body_names)
    for body, pose in zip(reply.bodies, reply.poses, strict=True):
        assert pose.header.frame_id == "panda_link3"
        expected = pose_stamped(panda.pose(state, body, "panda_link3")).pose
        for part in ("position", "orientation"):
            for field in getattr(expected, part).get_fields_and_field_types():
                found = getattr(getattr(pose.pose, part), field)
                assert found == pytest.approx(getattr(getattr(expected, part), field), abs=1e-12)


def test_the_options_of_a_request_are_used(server, panda):
    state = panda.random(1, seed=10)[0]
    T = panda.pose(state, TIP)
    reply = server.call(request_for(T, seed=state))
    assert_meets(reply, panda, T)
    assert np.abs(np.subtract(reply.solutions[0].position, state.position)).max() < 1e-4
    seed = panda.home()
    seed.position[2] = state.position[2]
    reply = server.call(request_for(T, seed=seed, locked_joints=["panda_joint3"]))
    assert_meets(reply, panda, T)
    assert reply.solutions[0].position[2] == state.position[2]
    reply = server.call(request_for(T, position_tolerance=0.01, orientation_tolerance=0.02))
    assert reply.success
    assert 1e-6 < reply.position_error <= 0.01
    T[:3, :3] = np.eye(3)  # an orientation that the arm need not be able to take there
    reply = server.call(request_for(T, weights=[0.0, 0.0, 0.0, 1.0, 1.0, 1.0]))
    assert reply.success, reply.message
    assert difference(panda.pose(reply.solutions[0], TIP), T)[0] < WITHIN


def test_a_slightly_unnormalized_quaternion_is_normalized(server, panda, request_):
    orientation = request_.target.pose.orientation
    for field in ("x", "y", "z", "w"):
        setattr(orientation, field, 1.01 * getattr(orientation, field))
    T = panda.pose(panda.random(1, seed=11)[0], TIP)
    assert_meets(server.call(request_), panda, T)


# -- answers that say what is wrong --------------------------------------------------------------


def put(path, *values):
    """Return a function that sets fields of a request: "target.pose.position:y z"."""
    place, _, names = path.rpartition(":")

    def change(request):
        part = attrgetter(place)(request) if place else request
        for name, value in zip(names.split(), values, strict=True):
            setattr(part, name, value)

    return change


def test_an_invalid_request_is_rejected(server, panda):
    joint1 = ["panda_joint1"]
    for change, word in (
        (put("base", "panda_lonk0"), "did you mean 'panda_link0'"),
        (put("body", "panda_link88"), "did you mean 'panda_link8'"),
        (put("body", ""), "has no body ''"),
        (put("body", "panda_link0"), "no joint"),
        (put("target.pose.position:y", math.nan), "position is not finite"),
        (put("target.pose.position:z", math.inf), "position is not finite"),
        (put("target.pose.orientation:x", math.nan), "orientation is not finite"),
        (put("target.header.stamp:sec", -1), "target.header.stamp is before zero"),
        (put("target.pose.orientation:x y z w", 0.0, 0.0, 0.0, 0.0), "orientation is zero"),
        (put("target.pose.orientation:x y z w", 1.0, 1.0, 1.0, 1.0), "of length 2"),
        (put("weights", [1.0, 1.0, 1.0, 1.0, 1.0, -1.0]), "weights"),
        (put("weights", [math.nan, 1.0, 1.0, 1.0, 1.0, 1.0]), "weights"),
        (put("position_tolerance", -1e-3), "position_tolerance"),
        (put("orientation_tolerance", math.nan), "orientation_tolerance"),
        (put("timeout", Duration(sec=-1)), "timeout"),
        (put("seed", JointState(name=["panda_joint9"], position=[0.0])), "panda_joint"),
        (put("seed", JointState(name=joint1)), "1 names, but 0 positions"),
        (put("seed", JointState(name=joint1, position=[math.nan])), "not finite: panda_joint1"),
        (put("locked_joints", ["panda_joint12"]), "panda_joint12"),
        (put("locked_joints", [f"panda_joint{i}" for i in range(1, 8)]), "no joint"),
    ):
        with case(word):
            request = request_for(panda.pose(panda.home(), TIP))
            change(request)
            reply = server.call(request)
            assert (reply.success, reply.code) == (False, Codes.INVALID_REQUEST)
            assert word in reply.message
            assert not reply.solutions
    for fields, word in (
        ({"bodies": ["panda_lunk8"]}, "did you mean 'panda_link8'"),
        ({"base": "nobody"}, "nobody"),
        ({"joint_state": JointState(name=["left_elbow"], position=[0.0])}, "left_elbow"),
        ({"joint_state": JointState(name=joint1, position=[math.inf])}, "not finite"),
    ):
        with case(word):
            reply = server.call(ComputeFK.Request(**fields))
            assert (reply.success, reply.code) == (False, ComputeFK.Response.INVALID_REQUEST)
            assert word in reply.message


def test_unknown_frame_is_reported_with_tf2s_message(server, request_):
    request_.target.header.frame_id = "atlantis"
    reply = server.call(request_)
    assert (reply.success, reply.code) == (False, Codes.UNKNOWN_FRAME)
    assert "atlantis" in reply.message
    assert "does not exist" in reply.message


def test_far_target_is_unreachable_and_the_best_attempt_is_returned(server, panda, request_):
    request_.target.pose.position.x = 10.0
    reply = server.call(request_)
    assert (reply.success, reply.code) == (False, Codes.UNREACHABLE)
    assert len(reply.solutions) == 1
    panda.assert_within_limits(reply.solutions[0])
    x = panda.pose(reply.solutions[0], TIP)[0, 3]
    assert reply.position_error == pytest.approx(10.0 - x, abs=1.0)
    assert 8.5 < reply.position_error < 10.0


def test_a_timeout_of_a_millisecond_ends_the_search(server):
    # Near the end of the stretched arm, but with the tip turned back towards the base.
    T = np.array([[0.0, 0, -1, 0.8], [0, 1, 0, 0], [1, 0, 0, 0.333], [0, 0, 0, 1]])
    reply = server.call(request_for(T, timeout=Duration(nanosec=1_000_000)))
    assert (reply.success, reply.code) == (False, Codes.OUT_OF_TIME)
    assert len(reply.solutions) == 1


# -- many calls ---------------------------------------------------------------------------------


def test_request_that_waits_for_tf_does_not_delay_others(server, panda, request_):
    """More requests than the server has threads wait for a frame that comes late."""
    T = panda.pose(panda.random(1, seed=14)[0], TIP)
    waiting = [
        server.call_async(request_for(T, "late", timeout=Duration(sec=25))) for _ in range(12)
    ]
    assert server.call(request_).success
    assert not any(future.done() for future in waiting)
    server.send_transform("panda_link0", "late", np.eye(4))
    for future in waiting:
        assert_meets(server.network.result(future), panda, T)


def test_request_that_waits_for_a_moving_frame_ends_when_tf_has_it(server, panda, request_):
    T = panda.pose(panda.random(1, seed=14)[0], TIP)
    waiting = server.call_async(request_for(T, "moving", timeout=Duration(sec=100)))
    assert server.call(request_).success
    stamped = transform_stamped("panda_link0", "moving", np.eye(4))
    stamped.header.stamp = server.network.node.get_clock().now().to_msg()
    server.network.publisher(TFMessage, "/tf").publish(TFMessage(transforms=[stamped]))
    assert_meets(server.network.result(waiting, timeout=30.0), panda, T)


def test_many_calls_leave_the_memory_flat(server, panda):
    """Solvers are kept for repeated problems, but not for ever."""
    states = panda.random(100, seed=15)
    weight = itertools.count(1)

    def call_all():
        requests = [request_for(panda.pose(state, TIP)) for state in states]
        requests[3].body = "nobody"
        requests[5].target.pose.position.x = math.nan
        requests[7].target.pose.position.x = 10.0
        for request in requests[10:]:
            request.weights = [1.0, 1.0, 1.0, 1.0, 1.0, 1.0 + 1e-6 * next(weight)]
        assert sum(server.call(request).success for request in requests) == 97

    for _ in range(3):
        call_all()
    before = server.process.resident_kilobytes
    for _ in range(4):
        call_all()
    assert server.process.resident_kilobytes - before < 2048


def test_eight_clients_at_once_all_get_their_own_answer(server, panda):
    nodes = [server.network.add_node(f"client_{number}") for number in range(8)]
    clients = [node.create_client(SolveIK, "inverse_kinematics") for node in nodes]
    for client in clients:
        server.network.until(client.service_is_ready, "the service")
    for seed in range(100, 110):
        targets = [panda.pose(state, TIP) for state in panda.random(8, seed)]
        futures = [
            client.call_async(request_for(T)) for client, T in zip(clients, targets, strict=True)
        ]
        for future, T in zip(futures, targets, strict=True):
            assert_meets(server.network.result(future), panda, T)
