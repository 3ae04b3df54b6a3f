"""The quality of service that a user asks for, or that the publishers offer."""

from __future__ import annotations

import argparse
from copy import copy
from typing import Any

from rclpy.node import Node
from rclpy.qos import (
    QoSDurabilityPolicy,
    QoSHistoryPolicy,
    QoSPresetProfiles,
    QoSProfile,
    QoSReliabilityPolicy,
)


def add_qos_arguments(parser: argparse.ArgumentParser, verb: str, default: str) -> None:
    """Add ``--qos-...``; ``default`` names the preset profile."""
    parser.add_argument(
        "--qos-profile",
        choices=QoSPresetProfiles.short_keys(),
        default=default,
        help=f"The quality of service to {verb} with, by name (default: {default})",
    )
    parser.add_argument(
        "--qos-depth", type=int, help="The length of the queue, instead of the profile's"
    )
    policies = {
        "history": QoSHistoryPolicy,
        "reliability": QoSReliabilityPolicy,
        "durability": QoSDurabilityPolicy,
    }
    for name, policy in policies.items():
        parser.add_argument(
            f"--qos-{name}",
            choices=policy.short_keys(),
            help=f"The {name}, instead of the profile's",
        )


def is_chosen(args: argparse.Namespace) -> bool:
    """Say whether the user asked for a quality of service beyond the preset."""
    wishes = (args.qos_depth, args.qos_history, args.qos_reliability, args.qos_durability)
    return any(wish is not None for wish in wishes)


def chosen_qos(args: argparse.Namespace) -> QoSProfile:
    """Return the preset with the user's wishes."""
    profile = copy(QoSPresetProfiles.get_from_short_key(args.qos_profile))
    if args.qos_history:
        profile.history = QoSHistoryPolicy.get_from_short_key(args.qos_history)
    if args.qos_reliability:
        profile.reliability = QoSReliabilityPolicy.get_from_short_key(args.qos_reliability)
    if args.qos_durability:
        profile.durability = QoSDurabilityPolicy.get_from_short_key(args.qos_durability)
    if args.qos_depth:
        profile.depth = args.qos_depth
    elif profile.durability == QoSDurabilityPolicy.TRANSIENT_LOCAL and profile.depth == 0:
        profile.depth = 1
    return profile


def matching_qos(node: Node, topic: str, args: argparse.Namespace) -> QoSProfile:
    """Return the preset, as strict as all publishers of the topic allow."""
    profile = chosen_qos(args)
    offers = [info.qos_profile for info in node.get_publishers_info_by_topic(topic)]
    if is_chosen(args) or not offers:
        return profile
    profile.reliability = _strictest(
        [offer.reliability for offer in offers],
        QoSReliabilityPolicy.RELIABLE,
        QoSReliabilityPolicy.BEST_EFFORT,
    )
    profile.durability = _strictest(
        [offer.durability for offer in offers],
        QoSDurabilityPolicy.TRANSIENT_LOCAL,
        QoSDurabilityPolicy.VOLATILE,
    )
    return profile


def _strictest(offers: list[Any], strict: Any, lenient: Any) -> Any:
    matching = offers.count(strict)
    if matching == len(offers):
        return strict
    if matching:
        kind = f"QoS{type(strict).__name__.removeprefix('QoS')}"
        print(
            f"The publishers differ: {matching} of {len(offers)} offer {kind}.{strict.name}. "
            f"Subscribing with {kind}.{lenient.name}, which suits them all"
        )
    return lenient
