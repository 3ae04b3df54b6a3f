"""Allowed collisions: changed by messages, returned, and used by all checks."""

import numpy as np
from moveit_harness.move_group import DOWN, PATIENCE, READY, box
from moveit_msgs.msg import AllowedCollisionEntry
from shape_msgs.msg import SolidPrimitive

from harness.poses import pose_stamped
from move_group.cell import BASE, CODE, Cell, state

BALL = (0.45, 0.0, 0.45)  # around where the hand is going
FOLDED = [0.0, 1.7, 0.0, -3.0, 0.0, 0.0, 0.0]


def touching(cell: Cell, positions: list[float]) -> set[frozenset[str]]:
    contacts = cell.validity(state(positions), group_name="").contacts
    return {frozenset((item.contact_body_1, item.contact_body_2)) for item in contacts}


def test_pymoveit2_allows_and_forbids_an_object(moveit):
    cell = Cell(moveit.network)
    goal = {"position": BALL, "quat_xyzw": DOWN, "timeout_sec": PATIENCE}
    # In the hand's way, but not where it is.
    moveit.arm.add_collision_sphere("ball", 0.05, position=(0.45, 0.0, 0.53))
    moveit.network.until(lambda: "ball" in cell.objects(), "the ball in the scene")
    assert moveit.arm.plan(**goal) is None
    T = np.diag([1.0, -1.0, -1.0, 1.0])
    T[:3, 3] = BALL

    def solution() -> int:
        return int(cell.ik(pose_stamped=pose_stamped(T)).error_code.val)

    assert solution() == CODE.NO_IK_SOLUTION
    for allow in (True, False):
        future = moveit.arm.allow_collisions("ball", allow, timeout_sec=PATIENCE)
        moveit.network.until(future.done, "an answer")
        assert moveit.arm.process_allow_collision_future(future)
        matrix = cell.scene().allowed_collision_matrix
        at = list(matrix.entry_names)
        assert ("ball" in at) == allow
        if allow:
            row = matrix.entry_values[at.index("ball")].enabled
            assert all(may for name, may in zip(at, row, strict=True) if name != "ball")
        assert (moveit.arm.plan(**goal) is not None) == allow
        assert (solution() == CODE.SUCCESS) == allow


def test_single_pairs_and_defaults(cell):
    ball = box("ball", BASE, BALL, (0.2,))
    ball.primitives[0].type = SolidPrimitive.SPHERE
    assert cell.apply([ball])
    before = touching(cell, READY)
    hand = frozenset(("ball", "panda_hand"))
    assert hand in before
    matrix = cell.scene().allowed_collision_matrix
    names = list(matrix.entry_names)
    row = [name == "panda_hand" for name in names]
    for entry, may in zip(matrix.entry_values, row, strict=True):
        entry.enabled = [*entry.enabled, may]
    matrix.entry_values.append(AllowedCollisionEntry(enabled=[*row, False]))
    matrix.entry_names = [*names, "ball"]
    assert cell.apply(allowed_collision_matrix=matrix)
    assert touching(cell, READY) == before - {hand}
    matrix = cell.scene().allowed_collision_matrix
    at = list(matrix.entry_names).index("ball")
    assert list(matrix.entry_values[at].enabled)[:-1] == row
    # A default: the ball may touch everything.
    matrix.default_entry_names, matrix.default_entry_values = ["ball"], [True]
    for k, entry in enumerate(matrix.entry_values):
        entry.enabled[at] = True
        matrix.entry_values[at].enabled[k] = True
    assert cell.apply(allowed_collision_matrix=matrix)
    assert touching(cell, READY) == set()
    assert list(cell.scene().allowed_collision_matrix.default_entry_names) == ["ball"]
    # With the object goes what was said of it.
    cell.clear()
    matrix = cell.scene().allowed_collision_matrix
    assert not list(matrix.default_entry_names)
    assert "ball" not in list(matrix.entry_names)


def test_links_can_be_allowed_to_collide(cell):
    before = touching(cell, FOLDED)
    assert before
    first = sorted(sorted(before, key=sorted)[0])
    matrix = cell.scene().allowed_collision_matrix
    i, j = (list(matrix.entry_names).index(name) for name in first)
    for may, found in ((True, before - {frozenset(first)}), (False, before)):
        matrix.entry_values[i].enabled[j] = matrix.entry_values[j].enabled[i] = may
        assert cell.apply(allowed_collision_matrix=matrix)
        assert touching(cell, FOLDED) == found


def test_a_row_of_another_length_is_left_out(cell):
    before = touching(cell, FOLDED)
    first = sorted(sorted(before, key=sorted)[0])
    matrix = cell.scene().allowed_collision_matrix
    i, j = (list(matrix.entry_names).index(name) for name in first)
    matrix.entry_values[i].enabled[j] = matrix.entry_values[j].enabled[i] = True
    other = min({0, 1, 2} - {i, j})
    matrix.entry_values[other].enabled = [True]
    assert not cell.apply(allowed_collision_matrix=matrix)
    assert touching(cell, FOLDED) == before - {frozenset(first)}
    assert f"row of '{matrix.entry_names[other]}': 1 entries" in cell.network.report()
    matrix.entry_values[i].enabled[j] = matrix.entry_values[j].enabled[i] = False
    cell.apply(allowed_collision_matrix=matrix)
