"""Objects that clients publish in bursts: none is lost."""

from __future__ import annotations

from moveit_msgs.msg import CollisionObject
from moveit_msgs.srv import GetPlanningScene
from rclpy.qos import QoSProfile

from harness.moveit import box
from harness.network import Network
from rigid_tree_kinematics.description.robots import bundled_folder

COUNT, PUBLISHERS = 1000, 4
WITHIN = 300.0  # s, on a busy machine


def test_a_thousand_objects_before_the_robot_is_loaded(network: Network) -> None:
    qos = QoSProfile(depth=COUNT)
    topics = [
        network.node.create_publisher(CollisionObject, "collision_object", qos)
        for _ in range(PUBLISHERS)
    ]
    srdf = str(bundled_folder("robots") / "panda_hand.srdf")
    process = network.start("move_group", {"robot": "panda_hand", "srdf": srdf})
    network.until(lambda: all(topic.get_subscription_count() for topic in topics), "the node")
    for number in range(COUNT):
        item = box(f"box{number}", "panda_link0", (2.0 + 0.01 * number, 0.0, 0.0), [5e-3] * 3)
        topics[number % PUBLISHERS].publish(item)

    def names() -> set[str]:
        scene = network.call(GetPlanningScene, "get_planning_scene").scene
        return {item.id for item in scene.world.collision_objects}

    network.until(lambda: len(names()) == COUNT, "all objects", WITHIN)
    assert "WARN" not in process.output
