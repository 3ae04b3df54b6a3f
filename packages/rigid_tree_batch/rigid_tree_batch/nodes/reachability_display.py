"""Node: publishes a reachability map as markers for RViz and the browser page.

It publishes ``reachability`` in the frame of the map's base: a small ball for each voxel that is
reached, from blue (few directions) to yellow (all).
"""

from dataclasses import dataclass

import numpy as np
from geometry_msgs.msg import Point
from std_msgs.msg import ColorRGBA
from visualization_msgs.msg import Marker, MarkerArray

from rigid_tree_batch import ReachMap
from rigid_tree_kinematics.errors import ConfigurationError
from rigid_tree_kinematics.nodes.base import LATCHED, Parameters, PlainNode, parameter, run_node

NAME = "reachability_display"
MOST_VOXELS = 100_000  # a few megabytes of points
SIZE = 0.2  # radius of a ball, as fraction of a voxel's edge: gaps show the inside
BINS = 10
# From 0 to 100 %.
COLORS = np.array([[0.27, 0.0, 0.33], [0.23, 0.32, 0.55], [0.13, 0.57, 0.55], [0.99, 0.91, 0.14]])


@dataclass(frozen=True)
class DisplaySettings(Parameters):
    """The node's parameters."""

    map: str = parameter("", "Folder of the map, as the batch command wrote it.")
    frame_prefix: str = parameter("", "Prefix of the robot's frame names.")


class ReachabilityDisplay(PlainNode):
    """The node. Raises a RigidTreeError if startup fails."""

    def __init__(self) -> None:
        super().__init__(NAME)
        settings = DisplaySettings.declare(self)
        if not settings.map:
            raise ConfigurationError("parameter 'map' must be the folder of a reachability map")
        shown = ReachMap.open(settings.map)
        self._publisher = self.create_publisher(MarkerArray, "reachability", LATCHED)
        markers = markers_of(shown, settings.frame_prefix + shown.base)
        self._publisher.publish(MarkerArray(markers=markers))
        self.get_logger().info(
            f"publishing the reach of '{shown.body}' of {shown.robot} in {shown.base}"
        )


def markers_of(shown: ReachMap, frame: str) -> list[Marker]:
    """Return the markers of a map in a frame; ConfigurationError if it has too many voxels."""
    points, values = shown.centers()
    if len(points) > MOST_VOXELS:
        raise ConfigurationError(
            f"parameter 'map': {len(points):,} voxels are reached, at most {MOST_VOXELS:,} can be "
            "displayed; make a map with a coarser resolution"
        )
    bins = np.minimum((values * BINS / 100.0).astype(int), BINS - 1)
    markers = [Marker(action=Marker.DELETEALL)]
    for number in np.unique(bins):
        shade = 3.0 * number / (BINS - 1)
        rgb = [float(np.interp(shade, range(4), channel)) for channel in COLORS.T]
        color = ColorRGBA(r=rgb[0], g=rgb[1], b=rgb[2], a=1.0)
        marker = Marker(ns="reachability", id=int(number), type=Marker.SPHERE_LIST, color=color)
        marker.header.frame_id, marker.frame_locked = frame, True
        marker.scale.x = marker.scale.y = marker.scale.z = 2.0 * SIZE * shown.resolution
        marker.points = [Point(x=x, y=y, z=z) for x, y, z in points[bins == number].tolist()]
        markers.append(marker)
    return markers


PARAMETERS = (DisplaySettings,)


def main() -> int:
    """Run the node; return the exit code of the process."""
    return run_node(NAME, ReachabilityDisplay, PARAMETERS)
