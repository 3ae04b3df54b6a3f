"""rrt_planner's scene: changes, messages and markers."""

import math

import numpy as np
from rigid_tree_interfaces.msg import Mesh, Obstacle, SceneChange
from rigid_tree_interfaces.msg import Scene as SceneMessage
from rigid_tree_interfaces.srv import UpdateScene
from visualization_msgs.msg import Marker, MarkerArray

from harness.planner import GOAL, START, TIP, box, change, state
from harness.poses import pose_stamped
from harness.probe import LATCHED


def test_scene_is_returned_as_given(planner):
    added = box("shelf", (0.1, 0.2, 0.3), (0.0, 1.5, 0.5))
    corners = [0.0, 0.0, 0.0, 0.1, 0.0, 0.0, 0.0, 0.1, 0.0]
    added.obstacle.meshes = [Mesh(vertices=corners, triangles=[0, 1, 2])]
    assert planner.update(added).success
    shelf = planner.obstacles()["shelf"]
    assert shelf.header.frame_id == "panda_link0"
    assert list(shelf.primitives[0].dimensions) == [0.1, 0.2, 0.3]
    assert shelf.pose.position == added.obstacle.pose.position
    assert list(shelf.meshes[0].vertices) == corners


def test_obstacle_changes_the_solution(planner):
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


def test_obstacle_can_be_in_a_links_frame(planner):
    planner.be_at(START)
    assert planner.update(box("cap", (0.02, 0.02, 0.02), (0.0, 0.0, 0.2), TIP)).success
    cap = planner.obstacles()["cap"]
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
    stays = planner.obstacles()["stick"].pose.position
    wanted = T[:3, 3] + 0.17 * T[:3, 2]
    np.testing.assert_allclose([stays.x, stays.y, stays.z], wanted, atol=1e-7)


def test_a_bad_change_undoes_the_good_ones_before_it(planner):
    before = planner.scene()
    old = box("bad", (1.0, 1.0, 1.0))
    old.obstacle.header.stamp.sec = -1
    for bad, words in (
        (box("bad", (1.0, 0.0, 1.0)), "box"),
        (box("", (1.0, 1.0, 1.0)), "name"),
        (box("bad", (1.0, 1.0)), "dimension"),
        (box("bad", (1.0, math.nan, 1.0)), "finite"),
        (box("bad", (1.0, 1.0, 1.0), (math.nan, 0.0, 0.0)), "nan"),
        (SceneChange(operation=SceneChange.ADD, obstacle=Obstacle(name="empty")), "shape"),
        (old, "before zero"),
        (change(SceneChange.REMOVE, "tabel"), "table"),
        (change(SceneChange.MOVE, "nothing"), "nothing"),
        (change(SceneChange.ATTACH, "table", link="hand"), "hand"),
        (change(SceneChange.ATTACH, "nothing", link=TIP), "nothing"),
        (change(SceneChange.DETACH, "table"), "table"),
        (change(77, "table"), "77"),
    ):
        reply = planner.update(box("good", (0.1, 0.1, 0.1), (2.0, 2.0, 2.0)), bad)
        assert (reply.success, reply.code) == (False, UpdateScene.Response.INVALID_REQUEST), words
        assert words.lower() in reply.message.lower()
        assert "change 2" in reply.message
        assert planner.scene() == before
    reply = planner.update(box("lost", (0.1, 0.1, 0.1), frame="nowhere"))
    assert reply.code == UpdateScene.Response.UNKNOWN_FRAME
    assert "nowhere" in reply.message


def test_the_scene_that_concurrent_changes_leave_is_shown(planner):
    shown = planner.network.record(SceneMessage, "scene", LATCHED)
    for turn in range(25):
        names = {f"crate_{turn}_{number}" for number in range(6)}
        futures = [
            planner.call_async(UpdateScene, changes=[box(name, (0.1, 0.1, 0.1), (0.0, 3.0, 0.0))])
            for name in names
        ]
        assert all(planner.network.result(future).success for future in futures)
        planner.network.until(
            lambda names=names: shown and names <= {o.name for o in shown[-1].obstacles},
            "all crates",
            timeout=10.0,
        )


def test_scene_and_path_are_shown(planner):
    received = {
        topic: planner.network.record(kind, topic, LATCHED)
        for topic, kind in (
            ("scene", SceneMessage),
            ("scene_markers", MarkerArray),
            ("planned_path", MarkerArray),
        )
    }
    goal = [-0.9, *GOAL[1:]]
    assert planner.plan(goal_states=[state(goal)]).success
    wanted = planner.robot.get_transform(goal, TIP)[:3, 3]
    assert planner.update(box("lamp", (0.1, 0.1, 0.1), (1.0, 1.0, 1.0))).success

    def shown():
        scene = received["scene"] and "lamp" in [o.name for o in received["scene"][-1].obstacles]
        return scene and received["planned_path"] and np.allclose(tip_at(-1), wanted, atol=1e-9)

    def tip_at(number):
        point = received["planned_path"][-1].markers[0].points[number]
        return [point.x, point.y, point.z]

    planner.network.until(shown, "the scene and the path")
    names = {marker.ns for marker in received["scene_markers"][-1].markers}
    assert {"table", "left_pillar", "lamp"} <= names
    # RViz (marker_common.cpp) looks again for the frames of locked markers only.
    drawn = [*received["scene_markers"][-1].markers, *received["planned_path"][-1].markers]
    assert all(marker.frame_locked for marker in drawn if marker.action == Marker.ADD)
    first = planner.robot.get_transform(START, TIP)[:3, 3]
    np.testing.assert_allclose(tip_at(0), first, atol=1e-9)
