"""A stand-in for tf2_ros: a buffer of transforms, a listener and broadcasters."""

from rigid_tree_stand_in import missing_name
from tf2_py import (
    BufferCore,
    ConnectivityException,
    ExtrapolationException,
    InvalidArgumentException,
    LookupException,
    TimeoutException,
    TransformException,
)

from tf2_ros.buffer import Buffer
from tf2_ros.topics import (
    StaticTransformBroadcaster,
    TransformBroadcaster,
    TransformListener,
)

__getattr__ = missing_name(__name__)
