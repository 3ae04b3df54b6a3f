"""The chain of joints of a search, its errors, settings and results."""

from rigid_tree_kinematics.ik.chain import layout
from rigid_tree_kinematics.ik.chain.chain import RADIANS, Chain, compile_chain
from rigid_tree_kinematics.ik.chain.layout import ChainArrays
from rigid_tree_kinematics.ik.chain.result import (
    IKResult,
    IKStatus,
    positive,
    unsigned,
)
