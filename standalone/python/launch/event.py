"""Event: something that happened and that handlers may react to."""


class Event:
    """Base class of all events."""

    name = "launch.Event"
