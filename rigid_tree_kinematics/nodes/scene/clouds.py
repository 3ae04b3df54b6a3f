"""Conversion of point clouds from and to messages."""

from array import array

import numpy as np
from sensor_msgs.msg import PointCloud2, PointField

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.description.meshes import MOST_POINTS
from rigid_tree_kinematics.errors import ConfigurationError

KINDS = {PointField.FLOAT32: "f4", PointField.FLOAT64: "f8"}


def read_points(message: PointCloud2) -> Array:
    """Return the x, y, z of all points (n, 3), in the message's frame; some may be NaN.

    Fields can have any offset, size and byte order; rows can have padding at their ends. Raises
    ConfigurationError for an inconsistent message.
    """
    fields = {field.name: field for field in message.fields}
    missing = [name for name in "xyz" if name not in fields]
    if missing:
        known = ", ".join(fields) or "none"
        raise ConfigurationError(f"no field {', '.join(missing)}; its fields: {known}")
    order = ">" if message.is_bigendian else "<"
    formats, offsets = [], []
    for name in "xyz":
        field = fields[name]
        if field.datatype not in KINDS:
            reason = f"neither FLOAT32 ({PointField.FLOAT32}) nor FLOAT64 ({PointField.FLOAT64})"
            raise ConfigurationError(f"field {name} is of datatype {field.datatype}, {reason}")
        kind = np.dtype(order + KINDS[field.datatype])
        if (end := field.offset + kind.itemsize) > message.point_step:
            reason = f"ends at byte {end} of a point of point_step {message.point_step}"
            raise ConfigurationError(f"field {name} {reason}")
        formats.append(kind)
        offsets.append(field.offset)
    height, width = int(message.height), int(message.width)
    if not height * width:
        return np.empty((0, 3))
    if width * message.point_step > message.row_step and height > 1:
        reason = f"less than {width} points of {message.point_step} bytes"
        raise ConfigurationError(f"row_step {message.row_step} is {reason}")
    needed = (height - 1) * message.row_step + width * message.point_step
    if len(message.data) < needed:
        reason = f"need {needed} bytes, but data has {len(message.data)}"
        raise ConfigurationError(f"{height} x {width} points {reason}")
    if height * width > MOST_POINTS:
        reason = f"at most {MOST_POINTS} points, not {height} x {width}"
        raise ConfigurationError(f"a cloud has {reason}")
    data = np.frombuffer(message.data, dtype=np.uint8)
    points = np.empty((height, width, 3))
    strides = (message.row_step, message.point_step)
    for column, (kind, offset) in enumerate(zip(formats, offsets, strict=True)):
        points[..., column] = np.ndarray((height, width), kind, data, offset, strides)
    return points.reshape(-1, 3)


def cloud_message(points: Array) -> PointCloud2:
    """Return points (n, 3) as a message of float32, without header."""
    message = PointCloud2(height=1, width=len(points), point_step=12, is_dense=True)
    message.row_step = 12 * len(points)
    message.fields = [
        PointField(name=name, offset=4 * k, datatype=PointField.FLOAT32, count=1)
        for k, name in enumerate("xyz")
    ]
    # rclpy takes an array.array as it is, and checks every byte of anything else.
    message.data = array("B", np.ascontiguousarray(points, dtype="<f4").tobytes())
    return message
