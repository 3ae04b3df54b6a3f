"""The place of a robot on the network and on the page."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rclpy.node import Node

from rigid_tree_kinematics.nodes.base import FrameTable

if TYPE_CHECKING:
    import viser

WORLD = "/world"  # the page's node of the fixed frame

# Runs a function of the page's threads in the node's thread.
Post = Callable[[Callable[[], None]], None]


@dataclass(frozen=True)
class RobotSlot:
    """The place of a robot on the network and on the page."""

    node: Node  # for its subscriptions and clients
    server: viser.ViserServer
    tab: viser.GuiTabHandle  # for its panel
    frames: FrameTable  # all transforms of TF
    post: Post
    namespace: str  # possibly empty
    prefix: str  # of its frame names
    number: int  # among the robots

    def topic(self, name: str) -> str:
        """Return a name in the robot's namespace."""
        return f"{self.namespace}/{name}" if self.namespace else name
