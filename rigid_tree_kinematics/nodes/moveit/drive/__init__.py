"""Controllers: finding them, sending them trajectories, and following their feedback."""

from rigid_tree_kinematics.nodes.moveit.drive.controllers import declared_controllers
from rigid_tree_kinematics.nodes.moveit.drive.shared_driver import SharedDriver
