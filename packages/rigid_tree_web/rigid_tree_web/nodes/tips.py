"""The bodies that a user drags: the chosen one and, of a robot with two arms, the other tip."""

from rigid_tree_kinematics.description.srdf import Semantics
from rigid_tree_kinematics.model import RigidBodyTree
from rigid_tree_kinematics.model.chains import longest_chain_end

OWN_JOINTS = 3  # that move a second tip, but not the first one


class Tips:
    """The chosen body of a robot, and another tip, which is moved by other joints."""

    def __init__(self, tree: RigidBodyTree) -> None:
        self._tree = tree
        leaves = [body.name for body in tree.bodies if not body.children]
        self._tips = sorted(leaves, key=lambda body: -len(self._joints(body)))
        self._is_chosen = False  # by the user
        self.other = ""  # none
        self.body = longest_chain_end(tree)
        self._find_other()

    def use(self, semantics: Semantics) -> None:
        """Use the tips of those of an SRDF's groups that move them, the largest group first."""
        groups = sorted(semantics.groups.values(), key=lambda group: -len(group.joints))
        whole = (g for g in groups if g.tip and self._joints(g.tip) <= set(g.joints))
        tips = [group.tip for group in whole]
        if tips:
            self._tips = tips
            if not self._is_chosen:
                self.body = tips[0]
            self._find_other()

    def choose(self, body: str) -> None:
        """Choose a body; the one before stays the other tip if its joints are others."""
        self._is_chosen = True
        if body == self.other:
            self.swap()
        else:
            self.body = body
            self._find_other()

    def swap(self) -> None:
        """Exchange the chosen body and the other tip."""
        self._is_chosen = True
        self.body, self.other = self.other, self.body

    def _find_other(self) -> None:
        used = self._joints(self.body)
        apart = (tip for tip in self._tips if len(self._joints(tip) - used) >= OWN_JOINTS)
        self.other = next(apart, "")

    def _joints(self, body: str) -> set[str]:
        """Return the moving joints between the base and a body."""
        at, joints = self._tree.get_body(body), set()
        while at.parent is not None:
            if at.joint.position_count:
                joints.add(at.joint.name)
            at = at.parent
        return joints
