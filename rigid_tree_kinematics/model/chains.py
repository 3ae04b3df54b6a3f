"""Topology of a tree."""

from rigid_tree_kinematics.model.tree import RigidBodyTree


def longest_chain_end(tree: RigidBodyTree) -> str:
    """Return the end of the chain with the most moving joints, then the most bodies.

    Frames of closed loops, bodies without inertia, are ignored.
    """
    ends = {name for loop in tree.loops for name in (loop.frame, loop.other)}
    frames = {name for name in ends if tree.get_body(name).inertia is None}
    depth = {tree.base_name: (0, 0)}
    for body in tree.bodies:
        assert body.parent is not None
        joints, links = depth[body.parent.name]
        depth[body.name] = joints + (body.joint.type != "fixed"), links + 1
    return max(depth, key=lambda body: (body not in frames, depth[body]))
