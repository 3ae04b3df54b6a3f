"""Transforms points, vectors and poses, and registers how with tf2_ros."""

from __future__ import annotations

from geometry_msgs.msg import (
    PointStamped,
    Pose,
    PoseStamped,
    TransformStamped,
    Vector3Stamped,
)
from tf2_py.rigid import Rigid, compose, normalized, rotate
from tf2_ros import ConvertRegistration, TransformRegistration


def _rigid(transform: TransformStamped) -> Rigid:
    rotation = transform.transform.rotation
    translation = transform.transform.translation
    return Rigid(
        normalized((rotation.x, rotation.y, rotation.z, rotation.w)),
        (translation.x, translation.y, translation.z),
    )


def do_transform_point(point: PointStamped, transform: TransformStamped) -> PointStamped:
    """Return the point in the transform's target frame."""
    outer = _rigid(transform)
    inner = Rigid((0.0, 0.0, 0.0, 1.0), (point.point.x, point.point.y, point.point.z))
    result = PointStamped(header=transform.header)
    result.point.x, result.point.y, result.point.z = compose(outer, inner).translation
    return result


def do_transform_vector3(vector3: Vector3Stamped, transform: TransformStamped) -> Vector3Stamped:
    """Return the free vector in the transform's target frame: it is turned, not moved."""
    vector = vector3.vector
    result = Vector3Stamped(header=transform.header)
    result.vector.x, result.vector.y, result.vector.z = rotate(
        _rigid(transform).rotation, (vector.x, vector.y, vector.z)
    )
    return result


def do_transform_pose(pose: Pose, transform: TransformStamped) -> Pose:
    """Return the pose in the transform's target frame, with a positive w."""
    turn, place = pose.orientation, pose.position
    inner = Rigid((turn.x, turn.y, turn.z, turn.w), (place.x, place.y, place.z))
    product = compose(_rigid(transform), inner)
    result = Pose()
    result.position.x, result.position.y, result.position.z = product.translation
    x, y, z, w = normalized(product.rotation)
    sign = -1.0 if w < 0.0 else 1.0
    turn = result.orientation
    turn.x, turn.y, turn.z, turn.w = sign * x, sign * y, sign * z, sign * w
    return result


def do_transform_pose_stamped(pose: PoseStamped, transform: TransformStamped) -> PoseStamped:
    """Return the stamped pose in the transform's target frame."""
    return PoseStamped(header=transform.header, pose=do_transform_pose(pose.pose, transform))


_FUNCTIONS = {
    PointStamped: do_transform_point,
    Vector3Stamped: do_transform_vector3,
    PoseStamped: do_transform_pose_stamped,
}
for _message_type, _function in _FUNCTIONS.items():
    TransformRegistration().add(_message_type, _function)
    ConvertRegistration().add_to_msg(_message_type, lambda message: message)
    ConvertRegistration().add_from_msg(_message_type, lambda message: message)
