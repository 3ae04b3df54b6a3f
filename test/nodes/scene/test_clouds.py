"""Clouds of any layout."""

from typing import Any

import numpy as np
import pytest
from sensor_msgs.msg import PointCloud2, PointField

from rigid_tree_kinematics.errors import ConfigurationError
from rigid_tree_kinematics.nodes.scene.clouds import cloud_message, read_points

DATATYPES = {"f4": PointField.FLOAT32, "f8": PointField.FLOAT64}


def cloud(points, offsets=(0, 4, 8), kinds=("f4",) * 3, step=12, end=0, height=1, big=False):
    """Return a message whose fields lie where they are asked to; ``end`` bytes follow each row."""
    width = len(points) // height
    message = PointCloud2(height=height, width=width, point_step=step, is_bigendian=big)
    message.row_step = width * step + end
    message.fields = [
        PointField(name=name, offset=offset, datatype=DATATYPES[kind], count=1)
        for name, offset, kind in zip("xyz", offsets, kinds, strict=True)
    ]
    data = np.random.default_rng(0).integers(0, 256, height * message.row_step, dtype=np.uint8)
    for k, point in enumerate(points):
        row, column = divmod(k, width)
        at = row * message.row_step + column * step
        for value, offset, kind in zip(point, offsets, kinds, strict=True):
            written = np.array(value, (">" if big else "<") + kind).tobytes()
            data[at + offset : at + offset + len(written)] = np.frombuffer(written, np.uint8)
    message.data = data.tobytes()
    return message


LAYOUTS: list[dict[str, Any]] = [
    {},
    {"offsets": (8, 0, 4), "step": 32},
    {"offsets": (1, 7, 13), "step": 19},
    {"offsets": (0, 8, 16), "kinds": ("f8",) * 3, "step": 24},
    {"offsets": (4, 12, 20), "kinds": ("f4", "f8", "f4"), "step": 27},
    {"height": 6, "end": 13, "step": 16},
    {"height": 10, "big": True},
    {"big": True, "kinds": ("f8", "f8", "f8"), "offsets": (0, 8, 16), "step": 26, "height": 3},
]


def test_any_layout_is_read_and_our_own():
    points = np.random.default_rng(1).normal(size=(60, 3))
    points[7], points[11, 1] = np.nan, np.inf
    for layout in LAYOUTS:
        kinds = layout.get("kinds", ("f4",) * 3)
        expected = np.column_stack([points[:, k].astype(kinds[k]) for k in range(3)]).astype(float)
        np.testing.assert_array_equal(read_points(cloud(points, **layout)), expected, str(layout))
    points = np.random.default_rng(3).normal(size=(500, 3))
    np.testing.assert_array_equal(read_points(cloud_message(points)), points.astype("f4"))
    assert read_points(cloud_message(np.empty((0, 3)))).shape == (0, 3)
    assert read_points(PointCloud2(fields=cloud_message(points).fields, point_step=12)).size == 0


def test_inconsistent_clouds_are_rejected_with_a_message():
    whole, far = cloud(np.zeros((10, 3))).fields, cloud(np.zeros((10, 3))).fields
    whole[1].datatype, far[0].offset = PointField.INT32, 2**32 - 2
    for changes, words in (
        ({"fields": []}, "no field x, y, z; its fields: none"),
        ({"fields": cloud([(0, 0, 0)]).fields[:2]}, "no field z; its fields: x, y"),
        ({"fields": whole}, "field y is of datatype 5"),
        ({"fields": far}, "field x ends at byte"),
        ({"width": 2**32 - 1}, "data has 120"),
        ({"width": 2**32 - 1, "height": 2**32 - 1}, "row_step 120 is less"),
        ({"height": 2}, "2 x 10 points need 240 bytes"),
        ({"height": 2, "row_step": 0}, "row_step 0 is less"),
        ({"point_step": 0}, "of point_step 0"),
        ({"point_step": 11}, "field z ends at byte 12"),
        ({"point_step": 2**32 - 1}, "data has 120"),
        ({"data": b""}, "data has 0"),
        ({"data": b"\0" * 119}, "data has 119"),
    ):
        message = cloud(np.zeros((10, 3)))
        for name, value in changes.items():
            setattr(message, name, value)
        with pytest.raises(ConfigurationError, match=words):
            read_points(message)
