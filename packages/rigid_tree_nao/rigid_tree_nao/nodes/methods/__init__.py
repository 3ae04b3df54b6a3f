"""The table of NAO's methods that nao_bridge advertises, with their conversions and checks."""

from rigid_tree_nao.nodes.methods.checks import reject_non_finite
from rigid_tree_nao.nodes.methods.method import BlockingAction, Method
from rigid_tree_nao.nodes.methods.table import METHODS
