"""planar_rrt.launch.py: map, tree, path and obstacles are published, and the arm arrives."""

from typing import Any

import numpy as np
import pytest
from launch import LaunchDescription
from nav_msgs.msg import OccupancyGrid
from sensor_msgs.msg import JointState
from tf2_msgs.msg import TFMessage
from visualization_msgs.msg import MarkerArray

from harness.probe import LATCHED_BY_MANY
from harness.start import launching


@pytest.mark.launch_test
def generate_test_description() -> LaunchDescription:
    return launching.description("planar_rrt.launch.py", {"growth_time": "1.0"})


class TestRunning(launching.LaunchTestCase):
    def test_shown_content_and_final_position_of_the_arm(self) -> None:
        record, until = self.probe.record, self.probe.until
        grids = record(OccupancyGrid, "configuration_map", LATCHED_BY_MANY)
        scenes = record(MarkerArray, "scene_markers", LATCHED_BY_MANY)
        trees = record(MarkerArray, "planning_tree", LATCHED_BY_MANY)
        paths = record(MarkerArray, "planned_path", LATCHED_BY_MANY)
        static = record(TFMessage, "/tf_static", LATCHED_BY_MANY)
        frames = record(TFMessage, "/tf")
        states = record(JointState, "joint_states")

        until(lambda: grids and scenes, "map and obstacles")
        grid = grids[0]
        assert (grid.info.width, grid.info.height) == (501, 501)
        cells = np.array(grid.data).reshape(501, 501)
        assert (int((cells == 0).sum()), int((cells == 100).sum())) == (132685, 118316)
        # The arm stretched along +x is free, up along +y it is not: rows are joint 2.
        assert cells[0, 0] == 0
        assert cells[0, 125] == 100
        assert len(scenes[0].markers) == 3
        until(
            lambda: any(
                t.child_frame_id == grid.header.frame_id for m in static for t in m.transforms
            ),
            "the map's frame",
        )
        until(lambda: len(trees) > 2 and paths, "tree and path")
        sizes = [len(message.markers[0].points) for message in trees]
        assert sizes == sorted(sizes)
        assert sizes[-1] > sizes[0]

        # The end of the path, and the end of the arm at the goal point in TF.
        def at_the_goal() -> Any:
            return states and np.allclose(
                np.mod(states[-1].position, 2 * np.pi), [0.2000111296, 1.9438561541], atol=1e-9
            )

        until(at_the_goal, "the arm at the goal")
        until(lambda: frames, "frames")


class TestAfterwards(launching.ExitCodes):
    processes = 2
