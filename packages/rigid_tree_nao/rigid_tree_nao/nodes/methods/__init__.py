"""The table of NAO's methods that nao_bridge offers, with their conversions and checks."""

from rigid_tree_kinematics.nodes.nao.methods.checks import reject_non_finite
from rigid_tree_kinematics.nodes.nao.methods.table import METHODS, Lasting, Method
