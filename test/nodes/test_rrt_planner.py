"""rrt_planner from another process: scene, states, plans, the action, bad input, many clients."""

import itertools
import math
import signal
import sysconfig
import time
from pathlib import Path

import numpy as np
import pytest
from geometry_msgs.msg import Pose, Vector3
from rclpy.action import ActionClient
from rigid_tree_interfaces.action import PlanMotion as PlanMotionAction
from rigid_tree_interfaces.msg import Obstacle, PlanReply, PlanRequest, SceneChange
from rigid_tree_interfaces.msg import Scene as SceneMessage
from rigid_tree_interfaces.srv import CheckState, GetScene, PlanMotion, UpdateScene
from sensor_msgs.msg import JointState
from shape_msgs.msg import Mesh, MeshTriangle, SolidPrimitive
from visualization_msgs.msg import MarkerArray

from harness.ik_server import Truth, difference, pose_stamped
from harness.network import LATCHED, Network
from rigid_tree_kinematics.collision import CollisionChecker, load_scene
from rigid_tree_kinematics.description.robots import load_robot

ROBOTS = Path(sysconfig.get_path("purelib"), "cmeel.prefix/share/example-robot-data/robots")
NODE = "rrt_planner"
JOINTS = [f"panda_joint{number}" for number in range(1, 8)]
START = [1.0, 0.3, 0.0, -1.8, 0.0, 2.1, 0.785]
GOAL = [-1.0, *START[1:]]
TIP = "panda_link8"


def state(positions, names=JOINTS):
    return JointState(name=list(names), position=[float(value) for value in positions])


def box(name, size, position=(0.0, 0.0, 0.0), frame=""):
    pose = Pose()
    pose.position.x, pose.position.y, pose.position.z = (float(value) for value in position)
    dimensions = [float(value) for value in size]
    primitive = SolidPrimitive(type=SolidPrimitive.BOX, dimensions=dimensions)
    obstacle = Obstacle(name=name, pose=pose, primitives=[primitive])
    obstacle.header.frame_id = frame
    return SceneChange(operation=SceneChange.ADD, obstacle=obstacle)


def change(operation, name, **fields):
    return SceneChange(operation=operation, obstacle=Obstacle(name=name), **fields)


class Planner:
    """A running rrt_planner and clients of everything it offers."""

    def __init__(self, network, process):
        self.network = network
        self.process = process
        self.robot = load_robot("panda")
        node = network.node
        self.clients = {
            kind: node.create_client(kind, name)
            for kind, name in (
                (UpdateScene, "update_scene"),
                (GetScene, "get_scene"),
                (CheckState, "check_state"),
                (PlanMotion, "plan_motion"),
            )
        }
        self.action = ActionClient(node, PlanMotionAction, "plan_motion_action")
        for client in (*self.clients.values(), self.action):
            ready = getattr(client, "service_is_ready", None) or client.server_is_ready
            network.until(ready, "the planner's services")

    def wait(self, future):
        self.network.until(future.done, "a reply")
        return future.result()

    def start(self, kind, **fields):
        return self.clients[kind].call_async(kind.Request(**fields))

    def call(self, kind, **fields):
        return self.wait(self.start(kind, **fields))

    def update(self, *changes):
        return self.call(UpdateScene, changes=list(changes))

    def scene(self):
        reply = self.call(GetScene)
        assert reply.success
        return reply.scene

    def check(self, positions):
        reply = self.call(CheckState, joint_state=state(positions))
        assert reply.success, reply.message
        return reply

    def be_at(self, positions):
        """Publish joint states until the planner has heard them."""
        T = self.robot.get_transform(positions, TIP)

        def heard():
            self.network.send(dict(zip(JOINTS, positions, strict=True)), 1)
            self.update(box("probe", (0.01, 0.01, 0.01), frame=TIP))
            probe = {o.name: o for o in self.scene().obstacles}["probe"].pose.position
            return np.allclose([probe.x, probe.y, probe.z], T[:3, 3], atol=1e-9)

        self.network.until(heard, "the current state")
        self.update(change(SceneChange.REMOVE, "probe"))

    def plan(self, **fields):
        fields = {"start": state(START), "goal_states": [state(GOAL)], **fields}
        return self.call(PlanMotion, request=PlanRequest(**fields)).reply

    def assert_free(self, reply, scene=None):
        """Look at the trajectory's points by a checker that knows nothing of the plan."""
        checker = CollisionChecker(self.robot, scene or load_scene("panda_pillars"))
        trajectory = reply.trajectory
        columns = [trajectory.joint_names.index(name) for name in JOINTS]
        points = np.array([point.positions for point in trajectory.points])[:, columns]
        for first, last in itertools.pairwise(points):
            steps = 2 + int(np.abs(last - first).max() / 0.01)
            for part in np.linspace(0.0, 1.0, steps):
                report = checker.check((1.0 - part) * first + part * last)
                assert report.free, report.message
        return points


@pytest.fixture(scope="module")
def planner(ros, tmp_path_factory):
    network = Network(tmp_path_factory.mktemp("planner"))
    process = network.start(NODE, {"robot": "panda", "scene": "panda_pillars", "threads": 4})
    yield Planner(network, process)
    network.close()


@pytest.fixture(autouse=True)
def _the_same_scene(request):
    """Leave the scene as it was found."""
    yield
    if "planner" in request.fixturenames:
        planner = request.getfixturevalue("planner")
        names = {obstacle.name for obstacle in planner.scene().obstacles}
        extra = names - {"table", "left_pillar", "right_pillar"}
        attached = [item.obstacle.name for item in planner.scene().attached]
        planner.update(*(change(SceneChange.REMOVE, name) for name in [*extra, *attached]))


# -- plans ---------------------------------------------------------------------------------------


def test_a_plan_leads_from_start_to_goal_and_touches_nothing(planner):
    reply = planner.plan()
    assert reply.success, reply.message
    assert (reply.code, reply.status, reply.goal_index) == (PlanReply.SOLVED, "solved", 0)
    points = planner.assert_free(reply)
    np.testing.assert_allclose(points[0], START, atol=1e-12)
    np.testing.assert_allclose(points[-1], GOAL, atol=1e-12)
    corners = np.array([point.positions for point in reply.path.points])
    length = np.linalg.norm(np.diff(corners, axis=0), axis=1).sum()
    assert reply.length == pytest.approx(length)
    assert min(reply.prepare_seconds, reply.search_seconds, reply.timing_seconds) > 0.0
    assert reply.checks > 0


def test_the_trajectory_keeps_the_limits_and_is_at_rest_at_its_ends(planner):
    trajectory = planner.plan(velocity_scale=0.5).trajectory
    limit = 0.5 * planner.robot.compiled().velocity_limit
    for point in trajectory.points:
        assert (np.abs(point.velocities) <= limit + 1e-6).all()
        assert (np.abs(point.accelerations) <= 5.0 + 1e-6).all()
    for end in (trajectory.points[0], trajectory.points[-1]):
        np.testing.assert_allclose(end.velocities, 0.0, atol=1e-9)
    times = [p.time_from_start.sec + 1e-9 * p.time_from_start.nanosec for p in trajectory.points]
    assert times[0] == 0.0
    assert (np.diff(times) > 0.0).all()
    positions = np.array([point.positions for point in trajectory.points])
    velocities = np.array([point.velocities for point in trajectory.points])
    # What the velocities add up to is where the robot arrives.
    moved = (0.5 * (velocities[1:] + velocities[:-1]) * np.diff(times)[:, None]).sum(axis=0)
    np.testing.assert_allclose(moved, positions[-1] - positions[0], atol=0.05)


def test_equal_seeds_give_equal_paths(planner):
    first, again, other = (planner.plan(seed=seed).path.points for seed in (5, 5, 6))
    assert first == again
    assert first != other


@pytest.mark.parametrize("method", ["rrt_connect", "rrt", "rrt_star"])
def test_every_planner_finds_a_way(planner, method):
    request = PlanRequest(planner=method, goal_states=[state(GOAL)], start=state(START))
    request.time_limit.sec = 2
    reply = planner.call(PlanMotion, request=request).reply
    assert reply.success, reply.message
    planner.assert_free(reply)


def test_a_pose_is_reached_by_one_of_its_solutions(planner):
    truth = Truth("panda")
    target = truth.pose(state([-0.8, 0.4, 0.1, -1.6, 0.0, 2.0, 0.7]), TIP)
    reply = planner.plan(goal_states=[], body=TIP, goal_poses=[pose_stamped(target)])
    assert reply.success, reply.message
    last = planner.assert_free(reply)[-1]
    assert max(difference(truth.pose(state(last), TIP), target)) < 2e-6


def test_a_pose_region_is_met_within_its_slack(planner):
    truth = Truth("panda")
    target = truth.pose(state([-0.8, 0.4, 0.1, -1.6, 0.0, 2.0, 0.7]), TIP)
    slack = Vector3(x=0.05, y=0.05, z=0.02)
    reply = planner.plan(
        goal_states=[], body=TIP, goal_poses=[pose_stamped(target)], position_slack=slack
    )
    assert reply.success, reply.message
    last = truth.pose(state(planner.assert_free(reply)[-1]), TIP)
    off = np.linalg.inv(target) @ last
    assert (np.abs(off[:3, 3]) <= np.array([0.05, 0.05, 0.02]) + 1e-5).all()
    np.testing.assert_allclose(off[:3, :3], np.eye(3), atol=1e-5)


def test_of_several_goals_a_blocked_one_is_dropped_and_named(planner):
    blocked = [math.atan2(0.18, 0.45), *START[1:]]
    reply = planner.plan(goal_states=[state(blocked), state(GOAL)])
    assert reply.success, reply.message
    assert reply.goal_index == 1
    assert len(reply.dropped_goals) == 1
    assert "left_pillar" in reply.dropped_goals[0]


def test_only_the_named_joints_move(planner):
    moving = [*JOINTS[:4], JOINTS[5]]
    reply = planner.plan(moving_joints=moving)
    assert reply.success, reply.message
    assert list(reply.trajectory.joint_names) == moving


def test_a_frame_in_tf_places_a_goal(planner):
    """The pose is given in a link's frame, which the model knows without TF."""
    truth = Truth("panda")
    start = state(START)
    T = np.linalg.inv(truth.pose(start, "panda_link2")) @ truth.pose(start, TIP)
    T[2, 3] += 0.03
    reply = planner.plan(goal_states=[], body=TIP, goal_poses=[pose_stamped(T, "panda_link2")])
    assert reply.success, reply.message
    reached = truth.pose(state(planner.assert_free(reply)[-1]), TIP)
    assert max(difference(reached, truth.pose(start, "panda_link2") @ T)) < 2e-6


# -- no plan, and why ----------------------------------------------------------------------------


def test_a_blocked_start_names_what_touches(planner):
    reply = planner.plan(start=state([math.atan2(0.18, 0.45), *START[1:]]))
    assert (reply.success, reply.code) == (False, PlanReply.START_BLOCKED)
    assert "left_pillar" in reply.message
    assert not reply.trajectory.points


def test_a_blocked_goal_names_what_touches(planner):
    reply = planner.plan(goal_states=[state([math.atan2(-0.18, 0.45), *START[1:]])])
    assert reply.code == PlanReply.GOAL_BLOCKED
    assert "right_pillar" in reply.message


def test_a_pose_out_of_reach_is_unreachable(planner):
    far = np.eye(4)
    far[0, 3] = 5.0
    reply = planner.plan(goal_states=[], body=TIP, goal_poses=[pose_stamped(far)])
    assert reply.code == PlanReply.GOAL_UNREACHABLE


def test_no_way_ends_in_time(planner):
    # The outstretched hand would have to cross a wall: the base cannot turn all the way around.
    assert planner.update(box("wall", (2.0, 0.02, 4.0), (1.13, 0.0, 0.0))).success
    request = PlanRequest(
        start=state(START),
        goal_states=[state([-START[0], *START[1:]])],
        moving_joints=["panda_joint1", "panda_joint7"],
    )
    request.time_limit.nanosec = 400_000_000
    begin = time.monotonic()
    reply = planner.call(PlanMotion, request=request).reply
    assert reply.code == PlanReply.OUT_OF_TIME, reply.message
    assert time.monotonic() - begin < 5.0


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"goal_states": []}, "no goal"),
        ({"goal_states": [state([1.0], ["panda_joint9"])]}, "panda_joint9"),
        ({"goal_states": [state([math.nan], JOINTS[:1])]}, "panda_joint1"),
        ({"start": state([math.inf], JOINTS[:1])}, "start"),
        ({"moving_joints": ["elbow"]}, "elbow"),
        ({"planner": "prm"}, "rrt_connect"),
        ({"velocity_scale": -1.0}, "velocity_scale"),
        ({"velocity_scale": 2.0}, "velocity_scale"),
        ({"goal_states": [], "body": "hand", "goal_poses": [pose_stamped(np.eye(4))]}, "hand"),
        ({"position_slack": Vector3(x=-1.0)}, "position_slack"),
        ({"goal_states": [state([99.0], JOINTS[:1])]}, "panda_joint1"),
    ],
)
def test_a_request_without_sense_is_answered(planner, fields, words):
    reply = planner.plan(**fields)
    assert reply.code == PlanReply.INVALID_REQUEST, reply.message
    assert words in reply.message


def test_an_unknown_frame_is_answered(planner):
    pose = pose_stamped(np.eye(4), "nowhere")
    request = PlanRequest(start=state(START), body=TIP, goal_poses=[pose])
    request.time_limit.nanosec = 200_000_000
    reply = planner.call(PlanMotion, request=request).reply
    assert reply.code == PlanReply.UNKNOWN_FRAME
    assert "nowhere" in reply.message


# -- states --------------------------------------------------------------------------------------


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


# -- the scene -----------------------------------------------------------------------------------


def test_a_scene_is_told_as_it_was_given(planner):
    mesh = Mesh(triangles=[MeshTriangle(vertex_indices=[0, 1, 2])])
    added = box("shelf", (0.1, 0.2, 0.3), (0.0, 1.5, 0.5))
    added.obstacle.meshes = [mesh]
    for x, y in ((0.0, 0.0), (0.1, 0.0), (0.0, 0.1)):
        vertex = Pose().position
        vertex.x, vertex.y = x, y
        mesh.vertices.append(vertex)
    assert planner.update(added).success
    shelf = {o.name: o for o in planner.scene().obstacles}["shelf"]
    assert shelf.header.frame_id == "panda_link0"
    assert list(shelf.primitives[0].dimensions) == [0.1, 0.2, 0.3]
    assert shelf.pose.position == added.obstacle.pose.position
    assert len(shelf.meshes[0].vertices) == 3


def test_an_obstacle_in_the_way_changes_the_answer(planner):
    at = planner.robot.get_transform(START, TIP)[:3, 3]
    assert planner.check(START).free
    assert planner.update(box("crate", (0.05, 0.05, 0.05), at)).success
    reply = planner.check(START)
    assert not reply.free
    assert "crate" in {name for c in reply.contacts for name in (c.first, c.second)}
    away = SceneChange(operation=SceneChange.MOVE, obstacle=Obstacle(name="crate"))
    away.obstacle.pose.position.z = 3.0
    assert planner.update(away).success
    assert planner.check(START).free


def test_an_obstacle_may_stand_in_a_links_frame(planner):
    planner.be_at(START)
    assert planner.update(box("cap", (0.02, 0.02, 0.02), (0.0, 0.0, 0.2), TIP)).success
    cap = {o.name: o for o in planner.scene().obstacles}["cap"]
    T = planner.robot.get_transform(START, TIP)
    where = cap.pose.position
    np.testing.assert_allclose([where.x, where.y, where.z], T[:3, 3] + 0.2 * T[:3, 2], atol=1e-9)


def test_an_attached_obstacle_moves_with_its_link_and_a_detached_one_stays(planner):
    planner.be_at(START)
    T = planner.robot.get_transform(START, TIP)
    stick = box("stick", (0.02, 0.02, 0.3), T[:3, 3] + 0.17 * T[:3, 2])
    attach = change(SceneChange.ATTACH, "stick", link=TIP, touch_links=["panda_link7"])
    stick.obstacle.pose.orientation = pose_stamped(T).pose.orientation
    assert planner.update(stick, attach).success
    scene = planner.scene()
    assert [item.link for item in scene.attached] == [TIP]
    assert "stick" not in [o.name for o in scene.obstacles]
    at = scene.attached[0].obstacle.pose.position
    np.testing.assert_allclose([at.x, at.y, at.z], [0.0, 0.0, 0.17], atol=1e-7)
    # The arm alone is free there; the stick reaches into the table.
    low = [1.0, 0.4, 0.0, -1.5, 0.0, 1.8, 0.785]
    reply = planner.check(low)
    assert not reply.free
    names = {frozenset((c.first, c.second)) for c in reply.contacts}
    assert frozenset(("stick", "table")) in names
    assert planner.update(change(SceneChange.DETACH, "stick")).success
    assert planner.check(low).free
    stays = {o.name: o for o in planner.scene().obstacles}["stick"].pose.position
    wanted = T[:3, 3] + 0.17 * T[:3, 2]
    np.testing.assert_allclose([stays.x, stays.y, stays.z], wanted, atol=1e-7)


@pytest.mark.parametrize(
    ("bad", "words"),
    [
        (box("bad", (1.0, 0.0, 1.0)), "box"),
        (box("", (1.0, 1.0, 1.0)), "name"),
        (box("bad", (1.0, 1.0)), "dimension"),
        (box("bad", (1.0, math.nan, 1.0)), "finite"),
        (box("bad", (1.0, 1.0, 1.0), (math.nan, 0.0, 0.0)), "nan"),
        (SceneChange(operation=SceneChange.ADD, obstacle=Obstacle(name="empty")), "shape"),
        (change(SceneChange.REMOVE, "tabel"), "table"),
        (change(SceneChange.MOVE, "nothing"), "nothing"),
        (change(SceneChange.ATTACH, "table", link="hand"), "hand"),
        (change(SceneChange.ATTACH, "nothing", link=TIP), "nothing"),
        (change(SceneChange.DETACH, "table"), "table"),
        (change(77, "table"), "77"),
    ],
)
def test_a_bad_change_undoes_the_good_ones_before_it(planner, bad, words):
    before = planner.scene()
    reply = planner.update(box("good", (0.1, 0.1, 0.1), (2.0, 2.0, 2.0)), bad)
    assert not reply.success
    assert reply.code == UpdateScene.Response.INVALID_REQUEST
    assert words.lower() in reply.message.lower()
    assert "change 2" in reply.message
    assert planner.scene() == before


def test_an_obstacle_in_an_unknown_frame_is_refused(planner):
    reply = planner.update(box("lost", (0.1, 0.1, 0.1), frame="nowhere"))
    assert reply.code == UpdateScene.Response.UNKNOWN_FRAME
    assert "nowhere" in reply.message


def test_scene_and_path_are_shown(planner):
    heard = {topic: [] for topic in ("scene", "scene_markers", "planned_path")}
    for topic, messages in heard.items():
        kind = SceneMessage if topic == "scene" else MarkerArray
        planner.network.node.create_subscription(kind, topic, messages.append, LATCHED)
    goal = [-0.9, *GOAL[1:]]
    assert planner.plan(goal_states=[state(goal)]).success
    wanted = planner.robot.get_transform(goal, TIP)[:3, 3]
    assert planner.update(box("lamp", (0.1, 0.1, 0.1), (1.0, 1.0, 1.0))).success

    def shown():
        scene = heard["scene"] and "lamp" in [o.name for o in heard["scene"][-1].obstacles]
        return scene and heard["planned_path"] and np.allclose(tip_at(-1), wanted, atol=1e-9)

    def tip_at(number):
        point = heard["planned_path"][-1].markers[0].points[number]
        return [point.x, point.y, point.z]

    planner.network.until(shown, "the scene and the path")
    names = {marker.ns for marker in heard["scene_markers"][-1].markers}
    assert {"table", "left_pillar", "lamp"} <= names
    first = planner.robot.get_transform(START, TIP)[:3, 3]
    np.testing.assert_allclose(tip_at(0), first, atol=1e-9)


# -- the action ----------------------------------------------------------------------------------


def test_an_action_tells_how_far_it_is_and_can_be_cancelled(planner):
    goal = PlanMotionAction.Goal(
        request=PlanRequest(planner="rrt_star", start=state(START), goal_states=[state(GOAL)])
    )
    goal.request.time_limit.sec = 60
    told = []
    handle = planner.wait(
        planner.action.send_goal_async(goal, feedback_callback=lambda m: told.append(m.feedback))
    )
    assert handle.accepted
    planner.network.until(lambda: len(told) >= 3, "feedback")
    assert told[-1].nodes > told[0].nodes > 0
    assert told[-1].seconds > told[0].seconds
    begin = time.monotonic()
    assert planner.wait(handle.cancel_goal_async()).goals_canceling
    reply = planner.wait(handle.get_result_async()).result.reply
    assert time.monotonic() - begin < 10.0
    # What was found until then is not thrown away.
    assert reply.code in (PlanReply.SOLVED, PlanReply.CANCELLED)


def test_an_action_ends_with_a_path(planner):
    goal = PlanMotionAction.Goal(
        request=PlanRequest(start=state(START), goal_states=[state(GOAL)])
    )
    handle = planner.wait(planner.action.send_goal_async(goal))
    reply = planner.wait(handle.get_result_async()).result.reply
    assert reply.success
    planner.assert_free(reply)


def test_several_clients_at_once_each_get_their_own_answer(planner):
    goals = [[angle, *START[1:]] for angle in np.linspace(-1.0, 1.0, 9) if abs(angle) > 0.8]
    futures = [
        (
            goal,
            planner.start(
                PlanMotion,
                request=PlanRequest(start=state(START), goal_states=[state(goal)], seed=seed),
            ),
        )
        for seed in range(8)
        for goal in goals
    ]
    for goal, future in futures:
        reply = planner.wait(future).reply
        assert reply.success, reply.message
        np.testing.assert_allclose(reply.trajectory.points[-1].positions, goal, atol=1e-9)


# -- self-collisions -----------------------------------------------------------------------------

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
def test_what_touches_at_home_is_found_and_named(ros, tmp_path, parameters, touching, words):
    """A URDF's home is all zeros, where this Panda touches itself."""
    network = Network(tmp_path)
    urdf = str(ROBOTS / "panda_description/urdf/panda.urdf")
    process = network.start(NODE, {"robot": urdf, **parameters}, namespace="meshes")
    checking = network.node.create_client(CheckState, "/meshes/check_state")
    planning = network.node.create_client(PlanMotion, "/meshes/plan_motion")
    network.until(checking.service_is_ready, "check_state")
    network.until(planning.service_is_ready, "plan_motion")
    future = checking.call_async(CheckState.Request())
    network.until(future.done, "check_state")
    contacts = future.result().contacts
    assert {frozenset((c.first, c.second)) for c in contacts} == touching
    request = PlanRequest(goal_states=[state(START)])
    future = planning.call_async(PlanMotion.Request(request=request))
    network.until(future.done, "plan_motion")
    reply = future.result().reply
    assert reply.code == PlanReply.START_BLOCKED
    assert f"'{contacts[0].first}' touches '{contacts[0].second}'" in reply.message
    assert process.end(signal.SIGINT) == 0
    assert words in process.output
    network.close()


# -- the process ---------------------------------------------------------------------------------


def test_without_a_robot_everything_is_answered(ros, tmp_path):
    network = Network(tmp_path)
    process = network.start(NODE, namespace="alone")
    node = network.node
    asked = (
        (UpdateScene, "update_scene", lambda r: r),
        (CheckState, "check_state", lambda r: r),
        (PlanMotion, "plan_motion", lambda r: r.reply),
    )
    for kind, name, reply_of in asked:
        client = node.create_client(kind, f"/alone/{name}")
        network.until(client.service_is_ready, name)
        future = client.call_async(kind.Request())
        network.until(future.done, name)
        reply = reply_of(future.result())
        assert reply.code == reply.NO_ROBOT
        assert "/alone/robot_description" in reply.message
    assert process.end(signal.SIGINT) == 0
    network.close()


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"robot": "panda", "scene": "panda_pilars"}, "panda_pillars"),
        ({"robot": "panda", "planner": "prm"}, "prm"),
        ({"robot": "panda", "step": -1.0}, "step"),
        ({"robot": "panda", "tip": "hand"}, "hand"),
        ({"robot": "panda", "checked_pairs": ["panda_link2"]}, "'panda_link2' is not two link"),
        ({"robot": "panda", "disabled_pairs": ["panda_link2 hand"]}, "has no body 'hand'"),
        (
            {"robot": "panda", "checked_pairs": ["panda_link2 panda_link8"]},
            "'panda_link2' and 'panda_link8' are not two bodies with collision shapes",
        ),
    ],
)
def test_a_bad_parameter_ends_the_start_with_a_word(ros, tmp_path, parameters, words):
    network = Network(tmp_path)
    process = network.start(NODE, parameters)
    assert process.wait() == 1
    assert words in process.output
    network.close()


def test_parameters_are_changed_or_refused(planner):
    network = planner.network
    assert network.set_parameter(NODE, "maximum_nodes", 5000).successful
    for name, value in (("planner", "prm"), ("scene", "x"), ("tip", "hand"), ("step", -1.0)):
        assert not network.set_parameter(NODE, name, value).successful
    assert planner.plan().success
