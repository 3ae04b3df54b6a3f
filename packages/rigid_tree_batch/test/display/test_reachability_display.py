"""reachability_display: a map as markers."""

import numpy as np
import pytest
from visualization_msgs.msg import Marker, MarkerArray

from harness.probe import LATCHED
from rigid_tree_batch import ReachMap, reachability_map


def test_reached_voxels_are_balls(network, tmp_path):
    folder = tmp_path / "ur5.zarr"
    reachability_map("ur5", folder, resolution=0.3, directions=6, progress=False)
    network.start("reachability_display", {"map": str(folder), "frame_prefix": "left/"})
    received = network.record(MarkerArray, "reachability", LATCHED)
    network.until(lambda: received, "markers")
    first, *markers = received[-1].markers
    assert first.action == Marker.DELETEALL
    centers, index = ReachMap.open(folder).centers()
    points = [[p.x, p.y, p.z] for marker in markers for p in marker.points]
    assert len(centers) > 50
    np.testing.assert_allclose(np.sort(points, axis=0), np.sort(centers, axis=0), atol=1e-6)
    assert {marker.header.frame_id for marker in markers} == {"left/base_link"}
    assert {marker.type for marker in markers} == {Marker.SPHERE_LIST}
    colors = {(marker.color.r, marker.color.g, marker.color.b) for marker in markers}
    assert len(colors) == len(markers) == len(np.unique(np.minimum(index // 10, 9)))


@pytest.mark.parametrize(("given", "words"), [({}, "'map'"), ({"map": "/no/map"}, "no/map")])
def test_bad_parameters_end_the_start_with_one_line(network, given, words):
    assert words in network.rejected("reachability_display", given)
