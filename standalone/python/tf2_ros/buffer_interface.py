"""What every buffer can do, and the registries of types that can be transformed."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from typing import Any, ClassVar

from geometry_msgs.msg import TransformStamped
from rclpy.duration import Duration
from rclpy.time import Time
from std_msgs.msg import Header

NO_WAIT = Duration()


class TypeException(Exception):  # noqa: N818 - the real name
    """No function is registered for a type."""

    def __init__(self, errstr: str) -> None:
        super().__init__(errstr)
        self.errstr = errstr


class NotImplementedException(Exception):  # noqa: N818 - the real name
    """A buffer lacks a lookup method."""

    def __init__(self) -> None:
        self.errstr = "this buffer does not define can_transform and lookup_transform"
        super().__init__(self.errstr)


class TransformRegistration:
    """The functions that transform a type, shared by all instances."""

    _functions: ClassVar[dict[Any, Callable[[Any, TransformStamped], Any]]] = {}

    def print_me(self) -> None:
        """Print the registered functions."""
        print(self._functions)

    def add(self, key: Any, callback: Callable[[Any, TransformStamped], Any]) -> None:
        """Register ``callback(object, transform)`` for a type."""
        self._functions[key] = callback

    def get(self, key: Any) -> Callable[[Any, TransformStamped], Any]:
        """Return the function of a type; TypeException if there is none."""
        return _find(self._functions, key)


class ConvertRegistration:
    """The functions that convert between types, shared by all instances."""

    _to_msg: ClassVar[dict[Any, Callable[[Any], Any]]] = {}
    _from_msg: ClassVar[dict[Any, Callable[[Any], Any]]] = {}
    _convert: ClassVar[dict[Any, Callable[[Any], Any]]] = {}

    def add_from_msg(self, key: Any, callback: Callable[[Any], Any]) -> None:
        """Register the function that makes the type from a message."""
        self._from_msg[key] = callback

    def add_to_msg(self, key: Any, callback: Callable[[Any], Any]) -> None:
        """Register the function that makes a message from the type."""
        self._to_msg[key] = callback

    def add_convert(self, key: tuple[Any, Any], callback: Callable[[Any], Any]) -> None:
        """Register the direct conversion of a pair of types (from, to)."""
        self._convert[key] = callback

    def get_from_msg(self, key: Any) -> Callable[[Any], Any]:
        """Return what makes the type from a message; TypeException if there is none."""
        return _find(self._from_msg, key)

    def get_to_msg(self, key: Any) -> Callable[[Any], Any]:
        """Return what makes a message from the type; TypeException if there is none."""
        return _find(self._to_msg, key)

    def get_convert(self, key: tuple[Any, Any]) -> Callable[[Any], Any]:
        """Return the direct conversion of a pair; TypeException if there is none."""
        return _find(self._convert, key)


def _find(functions: dict[Any, Callable[..., Any]], key: Any) -> Callable[..., Any]:
    if key not in functions:
        raise TypeException(f"Type {key} is not loaded or supported")
    return functions[key]


def convert(a: Any, b_type: Any) -> Any:
    """Convert an object to another type, directly or by way of a message."""
    registration = ConvertRegistration()
    try:
        return registration.get_convert((type(a), b_type))(a)
    except TypeException:
        if type(a) is b_type:
            return deepcopy(a)
        return registration.get_from_msg(b_type)(registration.get_to_msg(type(a))(a))


def Stamped(obj: Any, stamp: Any, frame_id: str) -> Any:  # noqa: N802 - the real name
    """Give an object a header."""
    obj.header = Header(frame_id=frame_id, stamp=stamp)
    return obj


class BufferInterface:
    """Transforms stamped objects with the lookups that a subclass provides."""

    def __init__(self) -> None:
        self.registration = TransformRegistration()

    def transform(
        self,
        object_stamped: Any,
        target_frame: str,
        timeout: Duration = NO_WAIT,
        new_type: Any = None,
    ) -> Any:
        """Express an object of a registered type in another frame, at its own time."""
        do_transform = self.registration.get(type(object_stamped))
        header = object_stamped.header
        transform = self.lookup_transform(target_frame, header.frame_id, header.stamp, timeout)
        result = do_transform(object_stamped, transform)
        return result if new_type is None else convert(result, new_type)

    def transform_full(
        self,
        object_stamped: Any,
        target_frame: str,
        target_time: Time,
        fixed_frame: str,
        timeout: Duration = NO_WAIT,
        new_type: Any = None,
    ) -> Any:
        """Express an object in another frame at another time, by way of a frame at rest."""
        do_transform = self.registration.get(type(object_stamped))
        header = object_stamped.header
        transform = self.lookup_transform_full(
            target_frame, target_time, header.frame_id, header.stamp, fixed_frame, timeout
        )
        result = do_transform(object_stamped, transform)
        return result if new_type is None else convert(result, new_type)

    def lookup_transform(
        self, target_frame: str, source_frame: str, time: Time, timeout: Duration = NO_WAIT
    ) -> TransformStamped:
        """Return the transform from the source to the target frame; subclasses provide it."""
        raise NotImplementedException

    def lookup_transform_full(
        self,
        target_frame: str,
        target_time: Time,
        source_frame: str,
        source_time: Time,
        fixed_frame: str,
        timeout: Duration = NO_WAIT,
    ) -> TransformStamped:
        """Return the transform between two times; subclasses provide it."""
        raise NotImplementedException

    def can_transform(
        self, target_frame: str, source_frame: str, time: Time, timeout: Duration = NO_WAIT
    ) -> Any:
        """Say whether a lookup would succeed; subclasses provide it."""
        raise NotImplementedException

    def can_transform_full(
        self,
        target_frame: str,
        target_time: Time,
        source_frame: str,
        source_time: Time,
        fixed_frame: str,
        timeout: Duration = NO_WAIT,
    ) -> Any:
        """Say whether a lookup with two times would succeed; subclasses provide it."""
        raise NotImplementedException
