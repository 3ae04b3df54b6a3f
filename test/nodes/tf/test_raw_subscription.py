"""Raw subscriptions: messages as bytes, one thread for all, and a clean end."""

import threading
import time

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


def listen(node, topic, callback, **options) -> RawSubscription:
    made = RawSubscription(node, String, topic, callback, QoSProfile(depth=100), **options)
    made.start()
    return made


def say(node, topic, *words) -> None:
    publisher = node.create_publisher(String, topic, 100)
    wait_for(publisher.get_subscription_count)
    for word in words:
        publisher.publish(String(data=word))


def test_messages_arrive_in_order_in_one_thread_which_no_error_ends(node):
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
    assert len(threads) == 1
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
    # The thread has ended; another begins for the next one.
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


def test_messages_are_stored_until_requested(node):
    received = []
    subscription = listen(node, "words", received.append, rest=60.0)
    say(node, "words", "first")
    wait_for(lambda: len(received) == 1)
    wait_for(lambda: subscription.due > time.monotonic())  # it rests now
    say(node, "words", *"abc")
    time.sleep(0.3)
    assert len(received) == 1
    subscription.catch_up()
    assert [deserialize_message(data, String).data for data in received] == ["first", *"abc"]
    say(node, "words", "d")
    subscription.set_rest(0.0)
    wait_for(lambda: len(received) == 5)
    say(node, "words", "e")
    wait_for(lambda: len(received) == 6)
    subscription.stop()


def test_rest_does_not_delay_others(node):
    rare: list[bytes] = []
    often: list[bytes] = []
    resting = listen(node, "resting", rare.append, rest=0.05)
    hot = listen(node, "hot", often.append)
    for _ in range(3):
        say(node, "resting", "a", "b")
        say(node, "hot", "c")
    wait_for(lambda: (len(often), len(rare)) == (3, 6))
    resting.stop()
    hot.stop()


def test_the_rest_may_be_changed_while_messages_are_taken(node):
    received: list[bytes] = []

    def take(data: bytes) -> None:
        received.append(data)
        subscription.set_rest(0.0)

    subscription = listen(node, "words", take, rest=60.0)
    for count in (1, 2):
        say(node, "words", "a")
        wait_for(lambda count=count: len(received) == count)
    subscription.stop()
