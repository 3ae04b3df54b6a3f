"""Points that other nodes publish, drawn on the page."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from sensor_msgs.msg import PointCloud2

from rigid_tree_kinematics.errors import ConfigurationError
from rigid_tree_kinematics.nodes.scene import read_points
from rigid_tree_kinematics.nodes.viewer.markers import LARGEST, NodeOf

if TYPE_CHECKING:
    import viser

POINT_SIZE = 0.02  # m
COLOR = (40, 160, 190)


class PointLayer:
    """What one topic of point clouds shows: its last message.

    Args:
        server: of the page.
        name: of this layer, part of its node's name.
        node_of: returns the node that points of a frame hang on.
        complain: is told what cannot be shown.
    """

    def __init__(
        self,
        server: viser.ViserServer,
        name: str,
        node_of: NodeOf,
        complain: Callable[[str], None],
    ) -> None:
        self._server = server
        self._name = name
        self._node_of = node_of
        self._complain = complain
        self._shown: Any = None
        self._visible = True

    def show(self, visible: bool) -> None:
        """Show or hide the layer."""
        self._visible = visible
        if self._shown is not None:
            self._shown.visible = visible

    def clear(self) -> None:
        """Remove the points."""
        if self._shown is not None:
            self._shown.remove()
            self._shown = None

    def take(self, message: PointCloud2) -> None:
        """Show a cloud in the place of the one before."""
        try:
            points = read_points(message)
        except ConfigurationError as error:
            self._complain(f"{self._name}: {error}")
            return
        points = points[(np.abs(points) <= LARGEST).all(axis=1)]  # which NaN is not
        with self._server.atomic():
            self.clear()
            if not len(points):
                return
            frame = self._node_of(message.header.frame_id)
            self._shown = self._server.scene.add_point_cloud(
                f"{frame}/{self._name}".replace("//", "/"),
                points.astype(np.float32),
                COLOR,
                point_size=POINT_SIZE,
                point_shape="circle",
                precision="float32",
                visible=self._visible,
            )
