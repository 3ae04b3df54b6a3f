"""WaitForTopics waits for messages, tells which came, and gives up in time."""

from __future__ import annotations

import threading

import pytest
import rclpy
from launch_testing_ros.wait_for_topics import WaitForTopics
from std_msgs.msg import String


@pytest.fixture
def publish(monkeypatch):
    """Publishes ``hello`` on /spoken until the end of the test."""
    monkeypatch.setenv("ROS_DOMAIN_ID", "88")
    monkeypatch.setenv("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")
    context = rclpy.Context()
    rclpy.init(context=context)
    node = rclpy.create_node("talker", context=context)
    publisher = node.create_publisher(String, "spoken", 10)
    stop = threading.Event()

    def talk() -> None:
        while not stop.wait(0.05):
            publisher.publish(String(data="hello"))

    thread = threading.Thread(target=talk)
    thread.start()
    yield
    stop.set()
    thread.join()
    node.destroy_node()
    rclpy.shutdown(context=context)


def test_messages_are_received(publish):
    with WaitForTopics([("spoken", String)], timeout=15.0) as topics:
        assert topics.topics_received() == {"spoken"}
        assert topics.topics_not_received() == set()
        assert topics.received_messages("spoken")[0].data == "hello"
        assert topics.wait()
        with pytest.raises(KeyError):
            topics.received_messages("other")


def test_silent_topic_is_named(publish):
    topics = WaitForTopics([("spoken", String), ("silent", String)], timeout=3.0)
    assert not topics.wait()
    assert topics.topics_not_received() == {"silent"}
    topics.shutdown()
