"""Collision checks at sixteen samples of a motion in parallel, in SIMD lanes of float32.

Spheres inside the links detect colliding motions; spheres around the links prove clearance. The
conservative level decides the rest.
"""

from rigid_tree_kinematics.collision.lanes.level import LaneLevel
