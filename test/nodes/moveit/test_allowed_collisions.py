"""Allowed collisions, changed over the network: told back, and honoured by all that checks."""

from __future__ import annotations

from typing import Any

import numpy as np
from moveit_msgs.msg import MoveItErrorCodes, PlanningScene, PositionIKRequest, RobotState
from moveit_msgs.srv import ApplyPlanningScene, GetPlanningScene, GetPositionIK, GetStateValidity

from harness.moveit import DOWN, JOINTS, PATIENCE, READY, MoveGroup

BALL = (0.45, 0.0, 0.45)  # around where the hand is going
CODE = MoveItErrorCodes


def matrix(moveit: MoveGroup) -> Any:
    scene = moveit.network.call(GetPlanningScene, "get_planning_scene").scene
    return scene.allowed_collision_matrix


def apply(moveit: MoveGroup, changed: Any) -> bool:
    scene = PlanningScene(is_diff=True, allowed_collision_matrix=changed)
    scene.robot_state.is_diff = True
    reply = moveit.network.call(ApplyPlanningScene, "apply_planning_scene", scene=scene)
    return bool(reply.success)


def touching(moveit: MoveGroup, positions: list[float]) -> set[frozenset[str]]:
    state = RobotState()
    state.joint_state.name, state.joint_state.position = JOINTS, positions
    reply = moveit.network.call(GetStateValidity, "check_state_validity", robot_state=state)
    return {frozenset((item.contact_body_1, item.contact_body_2)) for item in reply.contacts}


def test_pymoveit2_allows_and_forbids_an_object(moveit):
    goal = {"position": BALL, "quat_xyzw": DOWN, "timeout_sec": PATIENCE}
    # In the hand's way, but not where it is.
    moveit.arm.add_collision_sphere("ball", 0.05, position=(0.45, 0.0, 0.53))
    moveit.network.until(lambda: "ball" in moveit.objects()[0], "the ball in the scene")
    assert moveit.arm.plan(**goal) is None
    ik = PositionIKRequest(group_name="panda_arm", avoid_collisions=True)
    ik.pose_stamped.pose.position.x, _, ik.pose_stamped.pose.position.z = BALL
    ik.pose_stamped.pose.orientation.x, ik.pose_stamped.pose.orientation.w = 1.0, 0.0

    def solution() -> int:
        answer = moveit.network.call(GetPositionIK, "compute_ik", ik_request=ik)
        return int(answer.error_code.val)

    ik.timeout.sec = 5  # enough on a busy machine, too
    assert solution() == CODE.NO_IK_SOLUTION
    for allow in (True, False):
        future = moveit.arm.allow_collisions("ball", allow, timeout_sec=PATIENCE)
        moveit.network.until(future.done, "an answer")
        assert moveit.arm.process_allow_collision_future(future)
        told = matrix(moveit)
        at = list(told.entry_names)
        assert ("ball" in at) == allow
        if allow:
            row = told.entry_values[at.index("ball")].enabled
            assert all(may for name, may in zip(at, row, strict=True) if name != "ball")
        assert (moveit.arm.plan(**goal) is not None) == allow
        assert (solution() == CODE.SUCCESS) == allow


def test_single_pairs_and_defaults(moveit):
    moveit.arm.add_collision_sphere("ball", 0.2, position=BALL)
    moveit.network.until(lambda: "ball" in moveit.objects()[0], "the ball in the scene")
    before = touching(moveit, READY)
    hand = frozenset(("ball", "panda_hand"))
    assert hand in before
    told = matrix(moveit)
    names = list(told.entry_names)
    for row, entry in zip(names, told.entry_values, strict=True):
        entry.enabled = [*entry.enabled, row == "panda_hand"]
    told.entry_values.append(
        type(told.entry_values[0])(enabled=[n == "panda_hand" for n in names])
    )
    told.entry_values[-1].enabled = [*told.entry_values[-1].enabled, False]
    told.entry_names = [*names, "ball"]
    assert apply(moveit, told)
    assert touching(moveit, READY) == before - {hand}
    told = matrix(moveit)
    at = list(told.entry_names).index("ball")
    enabled = np.array(told.entry_values[at].enabled)[:-1]
    assert [name for name, may in zip(names, enabled, strict=True) if may] == ["panda_hand"]
    # A default: the ball may touch everything.
    told.default_entry_names, told.default_entry_values = ["ball"], [True]
    for entry in (*told.entry_values[:-1], told.entry_values[-1]):
        entry.enabled = list(entry.enabled)
    for k, entry in enumerate(told.entry_values):
        entry.enabled[at] = True
        told.entry_values[at].enabled[k] = True
    assert apply(moveit, told)
    assert touching(moveit, READY) == set()
    assert list(matrix(moveit).default_entry_names) == ["ball"]
    # With the object goes what was said of it.
    moveit.arm.remove_collision_object("ball")
    moveit.network.until(lambda: not moveit.objects()[0], "an empty scene")
    assert not list(matrix(moveit).default_entry_names)
    assert "ball" not in list(matrix(moveit).entry_names)


def test_links_may_touch_each_other(moveit):
    folded = [0.0, 1.7, 0.0, -3.0, 0.0, 0.0, 0.0]
    before = touching(moveit, folded)
    assert before
    first = sorted(sorted(before)[0])
    told = matrix(moveit)
    names = list(told.entry_names)
    i, j = (names.index(name) for name in first)
    told.entry_values[i].enabled[j] = told.entry_values[j].enabled[i] = True
    assert apply(moveit, told)
    assert touching(moveit, folded) == before - {frozenset(first)}
    told.entry_values[i].enabled[j] = told.entry_values[j].enabled[i] = False
    assert apply(moveit, told)
    assert touching(moveit, folded) == before
