"""The exceptions of tf2, under their real names."""


class TransformException(Exception):  # noqa: N818 - the real name
    """Any reason why a transform cannot be given."""


class ConnectivityException(TransformException):
    """The two frames belong to different trees."""


class LookupException(TransformException):
    """A frame is unknown, or the tree contains a loop."""


class ExtrapolationException(TransformException):
    """The requested time is outside the recorded data."""


class InvalidArgumentException(TransformException):
    """A frame name that tf2 does not allow."""


class TimeoutException(TransformException):
    """Waiting for an answer took too long."""
