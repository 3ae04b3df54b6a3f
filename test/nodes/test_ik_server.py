"""The services of ik_server, called from another process than the server's."""

import math
import threading
import time

import numpy as np
import pytest
from builtin_interfaces.msg import Duration
from sensor_msgs.msg import JointState

from harness.ik_server import (
    Caller,
    Codes,
    ComputeFK,
    SolveIK,
    Truth,
    difference,
    pose_stamped,
    running,
)

TIP = "panda_link8"
# A solution is within 1e-6 m and rad of the target for the server; Pinocchio may differ by
# rounding, and the target by the rounding of its quaternion.
WITHIN = 1.1e-6


@pytest.fixture(scope="module")
def panda():
    return Truth("panda")


@pytest.fixture(scope="module")
def server():
    # So many restarts that a hard target is a matter of time.
    with running(robot="panda", max_restarts=100_000, threads=4) as process:
        yield process


@pytest.fixture(scope="module")
def caller(server):
    node = Caller()
    yield node.ready()
    node.close()


def request_for(T, frame="", **fields):
    return SolveIK.Request(body=TIP, target=pose_stamped(T, frame), **fields)


@pytest.fixture
def request_(panda):
    """A request with an answer."""
    return request_for(panda.pose(panda.random_states(1, seed=11)[0], TIP))


def assert_meets(reply, panda, T, base=None):
    assert reply.success, reply.message
    assert reply.code == Codes.SUCCESS
    assert reply.solutions
    for solution in reply.solutions:
        assert panda.is_within_limits(solution)
        assert max(difference(panda.pose(solution, TIP, base), T)) < WITHIN
    assert reply.position_error <= 1e-6
    assert reply.orientation_error <= 1e-6


# -- right answers -------------------------------------------------------------------------------


def test_solutions_reach_their_targets_by_pinocchio(caller, panda):
    for state in panda.random_states(50, seed=1):
        T = panda.pose(state, TIP)
        assert_meets(caller.call(request_for(T)), panda, T)


def test_the_target_may_be_given_in_another_bodys_frame_and_moved_against_it(caller, panda):
    base = "panda_link2"
    for state in panda.random_states(10, seed=2):
        T = panda.pose(state, TIP, base)
        reply = caller.call(request_for(T, base=base, seed=state))
        assert_meets(reply, panda, T, base)
        assert list(reply.solutions[0].position[:2]) == list(state.position[:2])


def test_a_target_in_the_roots_frame_for_joints_behind_another_base(caller, panda):
    """The joints before the base stand where the seed has them, and the target counts that in."""
    for state in panda.random_states(10, seed=17):
        T = panda.pose(state, TIP)
        seed = panda.state(panda.tree.home_configuration())
        seed.position[:2] = state.position[:2]
        reply = caller.call(request_for(T, "panda_link0", base="panda_link2", seed=seed))
        assert_meets(reply, panda, T)
        assert list(reply.solutions[0].position[:2]) == list(state.position[:2])


def test_a_target_in_a_foreign_tf_frame(caller, panda):
    rng = np.random.default_rng(3)
    T_world_root = panda.pose(panda.random_states(1, seed=4)[0], TIP)
    T_world_table = panda.pose(panda.random_states(1, seed=5)[0], TIP)
    caller.send_transform("world", "panda_link0", T_world_root)
    caller.send_transform("world", "table", T_world_table)
    state = panda.state(panda.tree.random_configuration(rng))
    T_table_target = np.linalg.inv(T_world_table) @ T_world_root @ panda.pose(state, TIP)
    reply = caller.call(request_for(T_table_target, "table", timeout=Duration(sec=5)))
    assert_meets(reply, panda, panda.pose(state, TIP))


def test_a_target_in_a_frame_of_the_robot_that_tf_does_not_have(caller, panda):
    seed, goal = panda.random_states(2, seed=6)
    T = np.linalg.inv(panda.pose(seed, "panda_link5")) @ panda.pose(goal, TIP)
    reply = caller.call(request_for(T, "panda_link5", seed=seed))
    assert_meets(reply, panda, panda.pose(goal, TIP))


def test_forward_kinematics_by_pinocchio(caller, panda):
    state = panda.random_states(1, seed=7)[0]
    reply = caller.call(ComputeFK.Request(joint_state=state, base="panda_link3"))
    assert reply.success, reply.message
    assert list(reply.bodies) == list(panda.tree.compiled().body_names)
    for body, pose in zip(reply.bodies, reply.poses, strict=True):
        assert pose.header.frame_id == "panda_link3"
        expected = pose_stamped(panda.pose(state, body, "panda_link3")).pose
        for part in ("position", "orientation"):
            for field in getattr(expected, part).get_fields_and_field_types():
                found = getattr(getattr(pose.pose, part), field)
                assert found == pytest.approx(getattr(getattr(expected, part), field), abs=1e-12)


def test_the_search_begins_at_the_seed(caller, panda):
    rng = np.random.default_rng(8)
    for state in panda.random_states(10, seed=9):
        near = np.array(state.position) + rng.uniform(-0.02, 0.02, 7)
        seed = panda.state(np.clip(near, panda.tree.compiled().lower, panda.tree.compiled().upper))
        T = panda.pose(state, TIP)
        reply = caller.call(request_for(T, seed=seed))
        assert_meets(reply, panda, T)
        assert np.abs(np.array(reply.solutions[0].position) - seed.position).max() < 0.3


def test_locked_joints_stay_where_the_seed_has_them(caller, panda):
    state = panda.random_states(1, seed=10)[0]
    seed = panda.state(panda.tree.home_configuration())
    seed.position[2] = state.position[2]
    T = panda.pose(state, TIP)
    reply = caller.call(request_for(T, seed=seed, locked_joints=["panda_joint3"]))
    assert_meets(reply, panda, T)
    assert reply.solutions[0].position[2] == state.position[2]


def test_components_without_weight_are_free(caller, panda):
    state = panda.random_states(1, seed=12)[0]
    T = panda.pose(state, TIP)
    T[:3, :3] = np.eye(3)  # an orientation that the arm need not be able to take there
    reply = caller.call(request_for(T, weights=[0.0, 0.0, 0.0, 1.0, 1.0, 1.0]))
    assert reply.success, reply.message
    assert difference(panda.pose(reply.solutions[0], TIP), T)[0] < WITHIN


def test_tolerances_of_the_request_count(caller, panda):
    T = panda.pose(panda.random_states(1, seed=13)[0], TIP)
    reply = caller.call(request_for(T, position_tolerance=0.01, orientation_tolerance=0.02))
    assert reply.success
    assert reply.position_error > 1e-6
    position, orientation = difference(panda.pose(reply.solutions[0], TIP), T)
    assert position <= 0.01
    assert orientation <= 0.02


def test_a_slightly_unnormalised_quaternion_is_normalised(caller, panda, request_):
    orientation = request_.target.pose.orientation
    for field in ("x", "y", "z", "w"):
        setattr(orientation, field, 1.01 * getattr(orientation, field))
    T = panda.pose(panda.random_states(1, seed=11)[0], TIP)
    assert_meets(caller.call(request_), panda, T)


# -- answers that say what is wrong --------------------------------------------------------------


def test_an_unknown_body_is_refused_with_a_suggestion(caller, request_):
    request_.body = "panda_link88"
    reply = caller.call(request_)
    assert (reply.success, reply.code) == (False, Codes.INVALID_REQUEST)
    assert "did you mean 'panda_link8'" in reply.message


def set_target(part, field, value):
    return lambda request: setattr(getattr(request.target.pose, part), field, value)


def set_orientation(**values):
    def change(request):
        for field, value in values.items():
            setattr(request.target.pose.orientation, field, value)

    return change


def set_field(name, value):
    return lambda request: setattr(request, name, value)


@pytest.mark.parametrize(
    ("change", "word"),
    [
        (set_field("base", "panda_lonk0"), "did you mean 'panda_link0'"),
        (set_field("body", ""), "has no body ''"),
        (set_field("body", "panda_link0"), "no joint"),
        (set_target("position", "y", math.nan), "position is not finite"),
        (set_target("position", "z", math.inf), "position is not finite"),
        (set_target("orientation", "x", math.nan), "orientation is not finite"),
        (set_orientation(x=0.0, y=0.0, z=0.0, w=0.0), "orientation is zero"),
        (set_orientation(x=1.0, y=1.0, z=1.0, w=1.0), "of length 2"),
        (set_field("weights", [1.0, 1.0, 1.0, 1.0, 1.0, -1.0]), "weights"),
        (set_field("weights", [math.nan, 1.0, 1.0, 1.0, 1.0, 1.0]), "weights"),
        (set_field("position_tolerance", -1e-3), "position_tolerance"),
        (set_field("orientation_tolerance", math.nan), "orientation_tolerance"),
        (set_field("timeout", Duration(sec=-1)), "timeout"),
        (set_field("seed", JointState(name=["panda_joint9"], position=[0.0])), "panda_joint"),
        (set_field("seed", JointState(name=["panda_joint1"])), "1 names, but 0 positions"),
        (
            set_field("seed", JointState(name=["panda_joint1"], position=[math.nan])),
            "not finite: panda_joint1",
        ),
        (set_field("locked_joints", ["panda_joint12"]), "panda_joint12"),
        (set_field("locked_joints", [f"panda_joint{i}" for i in range(1, 8)]), "no joint"),
    ],
)
def test_a_request_without_sense_is_refused(caller, request_, change, word):
    change(request_)
    reply = caller.call(request_)
    assert (reply.success, reply.code) == (False, Codes.INVALID_REQUEST)
    assert word in reply.message
    assert not reply.solutions


@pytest.mark.parametrize(
    ("fields", "word"),
    [
        ({"bodies": ["panda_lunk8"]}, "did you mean 'panda_link8'"),
        ({"base": "nobody"}, "nobody"),
        ({"joint_state": JointState(name=["left_elbow"], position=[0.0])}, "left_elbow"),
        ({"joint_state": JointState(name=["panda_joint1"], position=[math.inf])}, "not finite"),
    ],
)
def test_forward_kinematics_without_sense_is_refused(caller, fields, word):
    reply = caller.call(ComputeFK.Request(**fields))
    assert (reply.success, reply.code) == (False, ComputeFK.Response.INVALID_REQUEST)
    assert word in reply.message


def test_an_unknown_frame_is_named_in_tf2s_words(caller, request_):
    request_.target.header.frame_id = "atlantis"
    reply = caller.call(request_)
    assert (reply.success, reply.code) == (False, Codes.UNKNOWN_FRAME)
    assert "atlantis" in reply.message
    assert "does not exist" in reply.message


def test_a_far_target_is_unreachable_and_the_best_is_told(caller, panda, request_):
    request_.target.pose.position.x = 10.0
    reply = caller.call(request_)
    assert (reply.success, reply.code) == (False, Codes.UNREACHABLE)
    assert len(reply.solutions) == 1
    assert panda.is_within_limits(reply.solutions[0])
    x = panda.pose(reply.solutions[0], TIP)[0, 3]
    assert reply.position_error == pytest.approx(10.0 - x, abs=1.0)
    assert 8.5 < reply.position_error < 10.0


def test_a_timeout_of_a_millisecond_ends_the_search(caller):
    # Near the end of the stretched arm, but with the tip turned back towards the base.
    T = np.array([[0.0, 0, -1, 0.8], [0, 1, 0, 0], [1, 0, 0, 0.333], [0, 0, 0, 1]])
    request = request_for(T)
    request.timeout = Duration(nanosec=1_000_000)
    reply = caller.call(request)
    assert (reply.success, reply.code) == (False, Codes.OUT_OF_TIME)
    assert len(reply.solutions) == 1
    assert reply.seconds < 0.5


# -- many calls ---------------------------------------------------------------------------------


def test_a_request_that_waits_for_tf_holds_up_nobody(caller, panda, request_):
    """More requests than the server has threads wait for a frame that comes late."""
    T = panda.pose(panda.random_states(1, seed=14)[0], TIP)
    waiting = [caller.start(request_for(T, "late", timeout=Duration(sec=25))) for _ in range(12)]
    begin = time.monotonic()
    assert caller.call(request_).success
    assert time.monotonic() - begin < 20.0
    caller.send_transform("panda_link0", "late", np.eye(4))
    for reply in waiting:
        assert_meets(reply(), panda, T)


def test_a_thousand_calls_in_a_row_leave_the_memory_flat(caller, server, panda):
    requests = [request_for(panda.pose(s, TIP)) for s in panda.random_states(100, seed=15)]
    requests[3].body = "nobody"
    requests[5].target.pose.position.x = math.nan
    requests[7].target.pose.position.x = 10.0

    def call_all():
        assert sum(caller.call(request).success for request in requests) == 97

    call_all()
    before = server.resident_kilobytes
    for _ in range(10):
        call_all()
    assert server.resident_kilobytes - before < 2048


def test_ever_new_problems_leave_the_memory_flat(caller, server, panda):
    """Solvers are kept for repeated problems, but not for ever."""
    T = panda.pose(panda.random_states(1, seed=16)[0], TIP)

    def call_all(first):
        for step in range(first, first + 1500):
            weights = [1.0, 1.0, 1.0, 1.0, 1.0, 1.0 + 1e-6 * step]
            assert caller.call(request_for(T, weights=weights)).success

    call_all(0)
    before = server.resident_kilobytes
    call_all(1500)
    assert server.resident_kilobytes - before < 2048


def test_eight_callers_at_once_all_get_their_own_answer(server, panda):
    failures = []

    def work(index):
        caller = Caller(f"ik_caller_{index}").ready()
        try:
            for state in panda.random_states(40, seed=100 + index):
                T = panda.pose_of(state)
                reply = caller.call(request_for(T))
                if (
                    not reply.success
                    or max(difference(panda.pose_of(reply.solutions[0]), T)) > WITHIN
                ):
                    failures.append((index, reply.message))
        except Exception as error:
            failures.append((index, error))
        finally:
            caller.close()

    lock = threading.Lock()  # Pinocchio's data belongs to one thread at a time

    def pose_of(state):
        with lock:
            return panda.pose(state, TIP).copy()

    panda.pose_of = pose_of
    threads = [threading.Thread(target=work, args=(index,)) for index in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_the_server_is_alive_after_all_this(caller, server, panda, request_):
    assert server.process.poll() is None
    assert caller.call(request_).success
    assert "internal error" not in server.output
