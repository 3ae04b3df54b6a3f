"""Names and types of topics, for the verbs of ``ros2 topic``."""

from __future__ import annotations

from typing import Any

from rclpy.exceptions import InvalidTopicNameException
from rclpy.expand_topic_name import expand_topic_name
from rclpy.node import Node
from rclpy.topic_or_service_is_hidden import topic_or_service_is_hidden
from rclpy.validate_full_topic_name import validate_full_topic_name

from ros2cli.graph import wait_until
from ros2cli.interface_types import interface_class


def topic_names_and_types(node: Node) -> list[tuple[str, list[str]]]:
    """Return the known topics that are not hidden."""
    return [
        (name, types)
        for name, types in node.get_topic_names_and_types()
        if not topic_or_service_is_hidden(name)
    ]


def types_of(node: Node, topic: str) -> list[str] | None:
    """Return the types of a topic, or None if it is not discovered."""
    types = wait_until(node, lambda: dict(node.get_topic_names_and_types()).get(topic))
    return None if types is None else list(types)


def topic_class(node: Node, topic: str) -> Any:
    """Return the message class of a topic, or None if the topic is unknown."""
    try:
        name = expand_topic_name(topic, node.get_name(), node.get_namespace())
        validate_full_topic_name(name)
    except (ValueError, InvalidTopicNameException) as error:
        raise RuntimeError(str(error)) from None
    types = types_of(node, name)
    if not types:
        return None
    if len(types) > 1:
        raise RuntimeError(
            f"The publishers of '{topic}' disagree on its type: [{', '.join(types)}]"
        )
    try:
        return interface_class(types[0], "msg")
    except RuntimeError:
        raise RuntimeError(f"There is no message type '{types[0]}' on this machine") from None


def warn_unpublished(topic: str) -> None:
    """Warn that a topic is not published yet."""
    print(f"WARNING: topic [{topic}] does not appear to be published yet")
