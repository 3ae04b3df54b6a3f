"""The frames of an SDF model, with their poses and the links to which they are attached.

http://sdformat.org/tutorials?tut=pose_frame_semantics describes both.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.description.sdf.sdf_files import DEEPEST, SdfFiles
from rigid_tree_kinematics.description.urdf import CONTENT, Element
from rigid_tree_kinematics.model.transforms import (
    inverse,
    quaternion_matrix,
    transform,
    transform_from_xyz_rpy,
)

MODEL, WORLD, SEPARATOR = "__model__", "world", "::"
MEMBERS = ("link", "joint", "frame", "model")
IGNORED = ("plugin", "gripper", "self_collide", "allow_auto_disable", "enable_wind")


def is_true_word(text: str | None) -> bool:
    """Return whether a text is true or 1."""
    return text is not None and text.strip().lower() in ("true", "1")


def is_true(element: Element | None) -> bool:
    """Return whether an element contains true or 1."""
    return element is not None and is_true_word(element.content)


def content(parent: Element, tag: str) -> str:
    """Return the text in a child, "" without it."""
    child = parent.child(tag)
    return "" if child is None else child.content.strip()


def pose_of(owner: Element) -> tuple[Array, str]:
    """Return the 4x4 of an element's <pose>, and the name of the frame that it is relative to."""
    pose = owner.child("pose")
    if pose is None:
        return np.eye(4), ""
    pose.check_known(("relative_to", "frame", "degrees", "rotation_format"))
    old = pose.document.version < (1, 7)
    relative_to = pose.attributes.get("frame" if old else "relative_to", "")
    if not pose.content.strip():
        return np.eye(4), relative_to
    if pose.attributes.get("rotation_format") == "quat_xyzw":
        *xyz, x, y, z, w = pose.numbers(CONTENT, 7)
        with pose.located():
            return transform(xyz, quaternion_matrix((x, y, z, w))), relative_to
    numbers = pose.numbers(CONTENT, 6)
    in_degrees = is_true_word(pose.attributes.get("degrees"))
    rpy = [math.radians(angle) for angle in numbers[3:]] if in_degrees else numbers[3:]
    return transform_from_xyz_rpy(numbers[:3], rpy), relative_to


@dataclass(eq=False)
class Frame:
    """A link, joint, frame or nested model: its pose relative to another frame of its scope."""

    element: Element
    pose: Array
    relative_to: str
    attached_to: str  # a link is attached to itself
    model: str = MODEL  # what __model__ means for it; another frame for a merged model


class Scope:
    """The frames of a model by name; those of nested models are named ``model::frame``."""

    def __init__(self, model: Element, files: SdfFiles, prefix: str = "", depth: int = 0) -> None:
        self.model, self.prefix = model, prefix
        self.frames: dict[str, Frame] = {}
        self.nested: dict[str, Scope] = {}
        self._poses: dict[str, Array] = {MODEL: np.eye(4)}
        if depth > DEEPEST:
            raise model.error(f"more than {DEEPEST} models in each other")
        self._add(model, MODEL, files, depth)

    def _add(self, model: Element, origin: str, files: SdfFiles, depth: int) -> None:
        model.check_known(
            ("name", "canonical_link", "placement_frame"),
            ("static", "pose", "include", *MEMBERS, *IGNORED),
        )
        members = [
            files.included(child, depth) if child.tag == "include" else child
            for child in model.children
        ]
        includes = dict(zip(members, model.children, strict=True))
        # Links first: before SDF 1.7, a joint can have the name of a link.
        for member in sorted(members, key=lambda member: member.tag != "link"):
            if is_true_word(includes[member].attributes.get("merge")):
                self._merge(member, origin, files, depth)
            elif member.tag in MEMBERS:
                self._insert(member.text("name"), member, origin)
                if member.tag == "model":
                    self._nest(member, files, depth)
            elif member.tag in ("plugin", "gripper"):
                member.remark(f"<{member.tag}> is for simulators; ignored")

    def _merge(self, member: Element, origin: str, files: SdfFiles, depth: int) -> None:
        """Add the frames of an included model, whose own frame gets a name, to this scope."""
        merged = Scope(member, files, depth=depth + 1)
        proxy = f"_merged__{member.text('name')}__model__"
        self._insert(proxy, member, origin)
        frame = self.frames[proxy]
        frame.attached_to = merged.canonical
        frame.pose = frame.pose @ merged.from_placement()
        self._add(member, proxy, files, depth + 1)

    def _insert(self, name: str, element: Element, origin: str) -> None:
        if name in self.frames and element.document.version < (1, 7):
            name = f"{name}_{element.tag}"
        if name in self.frames or name in (MODEL, WORLD):
            raise element.error(f"the name '{name}' is reserved, or used twice in the model")
        pose, relative_to = pose_of(element)
        attached_to = content(element, "child") if element.tag == "joint" else MODEL
        if element.tag == "frame":
            element.check_known(("name", "attached_to"), ("pose",))
            attached_to = element.attributes.get("attached_to") or MODEL
        frame = Frame(element, pose, relative_to or attached_to, attached_to, origin)
        frame.relative_to = self.named(frame, frame.relative_to)
        frame.attached_to = self.named(frame, frame.attached_to)
        self.frames[name] = frame

    def _nest(self, model: Element, files: SdfFiles, depth: int) -> None:
        name = model.attributes["name"]
        scope = Scope(model, files, f"{self.prefix}{name}{SEPARATOR}", depth + 1)
        self.nested[name] = scope
        self.frames[name].pose = self.frames[name].pose @ scope.from_placement()
        if is_true(model.child("static")):
            model.remark("<static> of a nested model is ignored")

    def from_placement(self) -> Array:
        """Return T_placement_model: the <pose> of a model is that of its placement frame."""
        return inverse(self.pose(self.model.attributes.get("placement_frame", "")))

    @property
    def canonical(self) -> str:
        """The frame to which the model is attached: a link, else its first nested model."""
        if name := self.model.attributes.get("canonical_link"):
            return name
        for tag in ("link", "model"):
            for name, frame in self.frames.items():
                if frame.element.tag == tag and name in (*self.nested, frame.element.text("name")):
                    return name
        raise self.model.error("the model has no link")

    def named(self, frame: Frame, name: str) -> str:
        """Return a name that an element uses, with __model__ of a merged model replaced."""
        return frame.model if name == MODEL else name

    def pose(self, name: str, user: Element | None = None) -> Array:
        """Return T_model_frame (4x4); the model itself without a name."""
        chain: dict[str, Array] = {}
        name = name or MODEL
        while name not in self._poses:
            if name in chain:
                raise (user or self.model).error(f"the pose of '{name}' is relative to itself")
            frame, inner = self._found(name, user)
            chain[name] = frame.pose if inner is None else inner
            name, user = frame.relative_to, frame.element
        for below in reversed(chain):
            self._poses[below] = self._poses[name] @ chain[below]
            name = below
        return self._poses[name]

    def _found(self, name: str, user: Element | None) -> tuple[Frame, Array | None]:
        """Return a frame, and for a name in a nested model the pose instead of the frame's."""
        if name in self.frames:
            return self.frames[name], None
        model, _, rest = name.partition(SEPARATOR)
        if model not in self.nested:
            known = ", ".join(self.frames)
            raise (user or self.model).error(
                f"'{name}' is no frame of the model; known: {known or 'none'}"
            )
        return self.frames[model], self.frames[model].pose @ self.nested[model].pose(rest, user)

    def link_of(self, name: str, user: Element | None = None) -> str:
        """Return the full name of the link to which a frame is attached, or "world"."""
        seen: set[str] = set()
        while name != WORLD:
            if name in seen:
                raise (user or self.model).error(f"'{name}' is attached to itself")
            seen.add(name)
            if name == MODEL:
                name = self.canonical
                continue
            if name not in self.frames:
                self._found(name, user)
                model, _, rest = name.partition(SEPARATOR)
                return self.nested[model].link_of(rest, user)
            frame = self.frames[name]
            if frame.element.tag == "link":
                return f"{self.prefix}{name}"
            if name in self.nested:
                return self.nested[name].link_of(MODEL)
            name, user = frame.attached_to, frame.element
        return WORLD

    def all(self) -> Iterator[tuple[Scope, Array]]:
        """Yield this scope and all nested ones, with their poses in this one."""
        yield self, np.eye(4)
        for name, scope in self.nested.items():
            for inner, T in scope.all():
                yield inner, self.pose(name) @ T
