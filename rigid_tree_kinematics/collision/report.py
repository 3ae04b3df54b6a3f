"""The contacts of a configuration."""

from dataclasses import dataclass

from rigid_tree_kinematics.collision.exact import Contact


@dataclass(frozen=True)
class CollisionReport:
    """Whether a configuration is free, with all contacts."""

    free: bool
    contacts: tuple[Contact, ...]

    @property
    def message(self) -> str:
        """A sentence that names the contacts."""
        if self.free:
            return "no collisions"
        pairs = [f"'{contact.first}' touches '{contact.second}'" for contact in self.contacts]
        more = f" and {len(pairs) - 4} more pairs" if len(pairs) > 4 else ""
        return ", ".join(pairs[:4]) + more
