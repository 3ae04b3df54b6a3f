"""The exceptions of tf2."""


class TransformException(Exception):  # noqa: N818 - the real name
    """Base class of the errors of lookups."""


class ConnectivityException(TransformException):
    """The two frames are in different trees."""


class LookupException(TransformException):
    """A frame is unknown, or the tree contains a loop."""


class ExtrapolationException(TransformException):
    """The requested time is outside the recorded data."""


class InvalidArgumentException(TransformException):
    """A frame name is invalid in tf2."""


class TimeoutException(TransformException):
    """Waiting for an answer took too long."""
