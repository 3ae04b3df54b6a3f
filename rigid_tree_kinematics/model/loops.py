"""Closed loops: what connects the bodies of a tree besides its joints."""

from __future__ import annotations

from dataclasses import dataclass, replace

from rigid_tree_kinematics.errors import ModelError

LOOP_TYPES = ("fixed", "ball", "revolute")


@dataclass(frozen=True)
class Loop:
    """A joint between two frames, bodies of the tree, that closes a loop.

    ``type`` is "fixed" (the frames coincide), "ball" (their origins coincide) or "revolute" (their
    origins and z axes coincide).

    Example:
        >>> robot = load_robot("ur5")
        >>> robot.loops = [Loop("handle", "tool0", "base_link", "ball")]
        >>> robot.loops[0].frame
        'tool0'
    """

    name: str
    frame: str
    other: str
    type: str = "fixed"

    def __post_init__(self) -> None:
        if self.type not in LOOP_TYPES:
            known = ", ".join(LOOP_TYPES)
            raise ModelError(f"loop '{self.name}': unknown type '{self.type}'; known: {known}")

    def renamed(self, old: str, new: str) -> Loop:
        """Return the loop with another name of a body."""
        first, second = (new if name == old else name for name in (self.frame, self.other))
        return replace(self, frame=first, other=second)
