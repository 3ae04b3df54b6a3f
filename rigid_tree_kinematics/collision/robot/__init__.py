"""The solids of a robot's bodies, and bounds of their motion."""

from rigid_tree_kinematics.collision.robot.parts import Part, make_part, rigid_groups
from rigid_tree_kinematics.collision.robot.reach import moved_rows
from rigid_tree_kinematics.collision.robot.sight import BodySolids
