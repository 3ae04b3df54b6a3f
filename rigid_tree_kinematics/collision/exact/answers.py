"""What the exact level answers: contacts and distances."""

from dataclasses import dataclass

from rigid_tree_kinematics.arrays import Array


@dataclass(frozen=True, eq=False)
class Contact:
    """A contact of two bodies or obstacles: depth (m) and position (base frame)."""

    first: str
    second: str
    depth: float
    point: Array


@dataclass(frozen=True, eq=False)
class Distance:
    """The smallest distance (m, negative if penetrating) and the closest points (base frame).

    Infinite, with empty names, if there is nothing that could touch.
    """

    distance: float
    first: str
    second: str
    point_first: Array
    point_second: Array

    def as_contact(self) -> Contact:
        """Return the contact at the midpoint of the closest points."""
        middle = 0.5 * (self.point_first + self.point_second)
        return Contact(self.first, self.second, -self.distance, middle)
