"""Random valid and invalid edits: the tree stays valid, and a rejected edit changes nothing."""

import copy
import pickle

import numpy as np
import pytest

from rigid_tree_kinematics import Joint, RigidBody, RigidBodyTree
from rigid_tree_kinematics.dynamics import mass_matrix
from rigid_tree_kinematics.errors import ModelError, UnknownNameError
from rigid_tree_kinematics.model import Collision, Inertia, Mimic, Sphere


def snapshot(tree: RigidBodyTree) -> list[tuple[object, ...]]:
    """Return all that a tree says about itself."""
    return [
        (
            body.name,
            body.joint.name,
            body.joint.type,
            body.joint.mimic,
            body.joint.home_position if body.joint.position_count == 1 else None,
            body.parent.name if body.parent else None,
            tuple(child.name for child in body.children),
        )
        for body in tree.bodies
    ] + [(tree.base_name, tuple(child.name for child in tree.base.children))]


def check_invariants(tree: RigidBodyTree) -> None:
    """Check the definition of a tree, without using how the class stores it."""
    names = [tree.base_name, *tree.body_names]
    assert len(set(names)) == len(names)
    joints = [joint.name for joint in tree.joints]
    assert len(set(joints)) == len(joints)
    seen = {tree.base_name}
    for body in tree.bodies:
        assert tree.get_body(body.name) is body
        parent = body.parent
        assert parent is not None
        assert parent.name in seen, "parents come first"
        assert body in parent.children
        assert all(child.parent is body for child in body.children)
        seen.add(body.name)
    assert tree.base.parent is None
    edges = sum(len(body.children) for body in (tree.base, *tree.bodies))
    assert edges == len(tree.bodies), "every body is the child of exactly one"
    moving = {j.name for j in tree.joints if j.position_count and j.mimic is None}
    assert set(tree.joint_names) == moving
    for joint in tree.joints:
        if joint.mimic is not None:
            assert joint.mimic.joint in joints
    compiled = tree.compiled()
    assert compiled.body_names == tuple(names)
    for row, body in enumerate(tree.bodies, start=1):
        parent = body.parent
        assert parent is not None
        assert names[compiled.parents[row]] == parent.name
    assert np.isfinite(tree.home_configuration()).all()


def random_edit(tree: RigidBodyTree, rng: np.random.Generator) -> None:
    """Try one edit with random arguments, of which many are illegal."""
    names = [tree.base_name, *tree.body_names, "nobody"]
    joints = [joint.name for joint in tree.joints] or ["nothing"]

    def pick(options: list[str]) -> str:
        return str(rng.choice(options))

    def new_joint() -> Joint:
        joint_type = pick(["fixed", "revolute", "prismatic", "continuous", "planar", "floating"])
        joint = Joint(f"j{rng.integers(40)}", joint_type)
        if joint.position_count == 1 and rng.random() < 0.4:
            joint.mimic = Mimic(pick(joints), 2.0, 0.1)
        return joint

    def new_body() -> RigidBody:
        return RigidBody(f"b{rng.integers(40)}", new_joint())

    edits = [
        lambda: tree.add_body(new_body(), pick(names)),
        lambda: tree.add_body(new_body(), pick(names)),
        lambda: tree.add_body(new_body(), pick(names)),
        lambda: tree.remove_body(pick(names)),
        lambda: tree.replace_body(pick(names), new_body()),
        lambda: tree.replace_joint(pick(names), new_joint()),
        lambda: tree.add_subtree(tree.subtree(pick(names)), pick(names)),
        lambda: tree.add_subtree(renamed(tree.subtree(pick(names)), rng), pick(names)),
        lambda: setattr(tree, "base_name", pick([*names, "floor"])),
        lambda: setattr(tree.get_joint(pick(joints)), "mimic", Mimic(pick(joints))),
        lambda: setattr(tree.get_joint(pick(joints)), "mimic", None),
        lambda: setattr(tree.get_joint(pick(joints)), "home_position", rng.normal() * 2),
        lambda: setattr(
            tree.get_joint(pick(joints)), "position_limits", sorted(rng.normal(size=2))
        ),
    ]
    edits[rng.integers(len(edits))]()


def renamed(tree: RigidBodyTree, rng: np.random.Generator) -> RigidBodyTree:
    """Return a tree like this one, its joints free of mimics, under other names."""
    twin = RigidBodyTree(tree.name, tree.base_name)
    tag = str(rng.integers(1000))
    for body in tree.bodies:
        joint = body.joint.copy(body.joint.name + tag)
        joint.mimic = None
        assert body.parent is not None
        parent = body.parent.name
        twin.add_body(
            body.copy(body.name + tag, joint), parent + tag if parent != tree.base_name else parent
        )
    return twin


@pytest.mark.parametrize("seed", range(12))
def test_random_edits_never_corrupt(seed: int) -> None:
    rng = np.random.default_rng(seed)
    tree = RigidBodyTree("edited")
    refused = 0
    for _ in range(250):
        before = snapshot(tree)
        twin = tree.copy()
        try:
            random_edit(tree, rng)
        except (ModelError, UnknownNameError):
            refused += 1
            assert snapshot(tree) == before
        check_invariants(tree)
        assert snapshot(twin) == before, "a copy is independent"
        if len(tree.bodies) > 40:
            tree.remove_body(tree.base.children[0].name) if free_to_remove(tree) else None
    assert 20 < refused < 230


def free_to_remove(tree: RigidBodyTree) -> bool:
    return all(joint.mimic is None for joint in tree.joints)


def two_bodies() -> RigidBodyTree:
    tree = RigidBodyTree("pair")
    tree.add_body(RigidBody("lower", Joint("hip", "revolute")), "base")
    tree.add_body(RigidBody("upper", Joint("knee", "revolute")), "lower")
    return tree


def test_removing_a_body_returns_what_hung_on_it() -> None:
    tree = two_bodies()
    tree.add_body(RigidBody("tip"), "upper")
    removed = tree.remove_body("upper")
    assert tree.body_names == ("lower",)
    assert removed.body_names == ("upper", "tip")
    assert removed.base_name == "lower"
    check_invariants(removed)


def test_a_source_cannot_leave_while_it_is_mimicked() -> None:
    tree = two_bodies()
    tree.get_joint("hip").mimic = Mimic("knee", -1.0)
    with pytest.raises(ModelError, match="'hip' mimics 'knee', which is not in the tree"):
        tree.remove_body("upper")
    with pytest.raises(ModelError, match="cycle: knee -> hip -> knee"):
        tree.get_joint("knee").mimic = Mimic("hip")
    assert tree.joint_names == ("knee",)
    tree.get_joint("hip").mimic = None
    tree.get_joint("knee").mimic = Mimic("hip")
    with pytest.raises(ModelError, match="'knee' mimics 'hip', which is not in the tree"):
        tree.remove_body("upper")


@pytest.mark.parametrize(
    "copied", [copy.copy, copy.deepcopy, lambda tree: pickle.loads(pickle.dumps(tree))]
)
def test_copies_of_other_modules_are_independent(copied) -> None:
    tree = two_bodies()
    tree.get_body("upper").collisions.append(Collision(Sphere(0.1)))
    with pytest.raises(ValueError, match="read-only"):  # copies share it
        tree.get_body("upper").collisions[0].origin[0, 3] = 1.0
    twin = copied(tree)
    del tree
    check_invariants(twin)
    before = mass_matrix(twin, [0.3, 0.4])
    twin.get_body("upper").inertia = Inertia(1.0, (0.1, 0.2, 0.3), np.eye(3))
    assert abs(mass_matrix(twin, [0.3, 0.4]) - before).max() > 0.1
    twin.add_body(RigidBody("tip"), "upper")
    assert copied(twin.get_body("tip")).parent is None
    again = copied(twin)
    again.remove_body("upper")
    assert twin.body_names == ("lower", "upper", "tip")


def test_a_change_of_a_joint_in_the_tree_is_seen() -> None:
    tree = two_bodies()
    assert tree.home_configuration().tolist() == [0.0, 0.0]
    tree.get_body("upper").joint.home_position = 0.5
    assert tree.home_configuration().tolist() == [0.0, 0.5]
    arrays = tree.compiled()
    assert tree.compiled() is arrays, "compiled once"
    with pytest.raises(ValueError, match="read-only"):
        arrays.home[0] = 1.0
    with pytest.raises(ValueError, match="read-only"):
        arrays.parents[0] = 1


def test_the_body_that_was_added_is_a_copy() -> None:
    body = RigidBody("arm", Joint("shoulder", "revolute"))
    tree = RigidBodyTree()
    inside = tree.add_body(body, "base")
    body.joint.home_position = 1.0
    assert inside.joint.home_position == 0.0
    RigidBodyTree("other").add_body(body, "base")


def test_replacing_a_body_keeps_its_children() -> None:
    tree = two_bodies()
    new = tree.replace_body("lower", RigidBody("thigh", Joint("hip2", "prismatic")))
    assert [child.name for child in new.children] == ["upper"]
    assert tree.body_names == ("thigh", "upper")
    joint = tree.replace_joint("upper", Joint("ankle", "continuous"))
    assert joint is tree.get_body("upper").joint
    assert tree.joint_names == ("hip2", "ankle")


@pytest.mark.parametrize(("kind", "suffix"), [("planar", "x"), ("floating", "rot_w")])
def test_every_position_has_its_own_name(kind: str, suffix: str) -> None:
    """A joint 'base/x' beside the planar joint 'base' would make positions by name ambiguous."""
    several = RigidBody("trunk", Joint("base", kind))
    one = RigidBody("arm", Joint(f"base/{suffix}", "prismatic"))
    for first, second in ((several, one), (one, several)):
        tree = RigidBodyTree("mobile", "world")
        tree.add_body(first, "world")
        with pytest.raises(ModelError, match=f"joint or position 'base/{suffix}'"):
            tree.add_body(second, "world")
        assert len(tree.bodies) == 1
        tree.add_body(RigidBody("mount", Joint("base/other")), "world")
        tree.add_body(RigidBody("arm 2", Joint("base/y2", "revolute")), "world")
    tree = RigidBodyTree("mobile", "world")
    tree.add_body(several, "world")
    tree.add_body(RigidBody("mount", Joint(f"base/{suffix}")), "world")  # has no position


def test_names_are_looked_up_with_a_suggestion() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'upper'"):
        two_bodies().get_body("uper")


def test_details_name_everything() -> None:
    text = str(two_bodies())
    for word in ("pair", "lower", "upper", "hip", "knee", "revolute", "-3.142 .. 3.142"):
        assert word in text
