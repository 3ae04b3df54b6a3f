"""The bodies that a user drags: the chosen one, and the other tip of a robot with two arms."""

from rigid_tree_kinematics import Joint, RigidBody, RigidBodyTree, load_robot
from rigid_tree_kinematics.description.srdf import Group, Semantics
from rigid_tree_web.nodes.tips import Tips


def two_arms() -> RigidBodyTree:
    """Return a torso that turns, with arms of five and four joints."""
    tree = RigidBodyTree("two_arms")
    tree.add_body(RigidBody("torso", Joint("waist", "revolute")), "base")
    for side, count in (("left", 5), ("right", 4)):
        above = "torso"
        for number in range(count):
            body = RigidBody(f"{side}_{number}", Joint(f"{side}_joint_{number}", "revolute"))
            tree.add_body(body, above)
            above = body.name
    return tree


def test_two_arms_have_two_tips_and_either_can_be_chosen():
    tips = Tips(two_arms())
    assert (tips.body, tips.other) == ("left_4", "right_3")
    tips.choose("right_3")
    assert (tips.body, tips.other) == ("right_3", "left_4")
    tips.swap()
    assert (tips.body, tips.other) == ("left_4", "right_3")
    tips.choose("torso")  # both arms are moved by other joints
    assert (tips.body, tips.other) == ("torso", "left_4")


def test_the_fingers_of_one_arm_are_one_tip():
    assert Tips(load_robot("panda_hand")).other == ""
    assert Tips(load_robot("ur5")).other == ""


def test_the_tips_of_an_srdf_are_those_of_groups_that_move_them():
    panda = load_robot("panda_hand")
    arm = tuple(f"panda_joint{number}" for number in range(1, 8))
    groups = {
        "wrist": Group("wrist", arm[3:], "panda_link7"),
        "arm": Group("arm", arm, "panda_link8"),
    }
    tips = Tips(panda)
    tips.use(Semantics(groups))
    assert tips.body == "panda_link8"
    tips.choose("panda_hand")
    tips.use(Semantics(groups))  # a user's choice stays
    assert tips.body == "panda_hand"
