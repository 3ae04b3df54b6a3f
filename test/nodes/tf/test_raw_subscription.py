"""Raw subscriptions: messages as bytes in a thread of their own, and a clean end."""

import threading

import pytest
import rclpy
from rclpy.qos import QoSProfile
from rclpy.serialization import deserialize_message
from std_msgs.msg import String

from harness.processes import TIMEOUT, wait_until
from rigid_tree_kinematics.nodes.tf.raw_subscription import RawSubscription


@pytest.fixture
def node(ros):
    made = rclpy.create_node("raw")
    yield made
    made.destroy_node()


def wait_for(condition) -> None:
    wait_until(condition, "a message")


def listen(node, topic, callback) -> RawSubscription:
    made = RawSubscription(node, String, topic, callback, QoSProfile(depth=100))
    made.start()
    return made


def say(node, topic, *words) -> None:
    publisher = node.create_publisher(String, topic, 100)
    wait_for(publisher.get_subscription_count)
    for word in words:
        publisher.publish(String(data=word))


def test_messages_arrive_in_order_in_a_thread_that_no_error_ends(node):
    received, threads = [], set()

    def take(data: bytes) -> None:
        received.append(deserialize_message(data, String).data)
        threads.add(threading.get_ident())
        raise ValueError("a defect")

    subscriptions = [listen(node, topic, take) for topic in ("one", "two")]
    words = [str(number) for number in range(50)]
    say(node, "one", *words)
    wait_for(lambda: len(received) == 50)
    assert received == words
    say(node, "two", "last")
    wait_for(lambda: received[-1] == "last")
    assert len(threads) == 2
    for subscription in subscriptions:
        subscription.stop()


def test_nothing_is_heard_after_the_end_and_others_continue(node):
    first: list[bytes] = []
    second: list[bytes] = []
    one, two = listen(node, "one", first.append), listen(node, "two", second.append)
    say(node, "one", "a")
    wait_for(lambda: len(first) == 1)
    one.stop()
    say(node, "two", "a")
    wait_for(lambda: len(second) == 1)
    say(node, "one", "b")
    say(node, "two", "b")
    wait_for(lambda: len(second) == 2)
    assert len(first) == 1
    two.stop()
    again = listen(node, "one", first.append)
    say(node, "one", "c")
    wait_for(lambda: len(first) >= 2)
    again.stop()


def test_starting_and_stopping_from_many_threads(node):
    def work(number: int) -> None:
        for turn in range(100):
            listen(node, f"topic_{number}_{turn}", lambda data: None).stop()

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(TIMEOUT)
        assert not thread.is_alive()
