"""The methods of ALMotion and ALRobotPosture that the simulated NAO implements."""

from rigid_tree_nao.simulated.methods.cartesian_methods import CartesianMethods
from rigid_tree_nao.simulated.methods.general_methods import GeneralMethods
from rigid_tree_nao.simulated.methods.joint_methods import JointMethods, PostureMethods
from rigid_tree_nao.simulated.methods.module_methods import ModuleMethods, settle
from rigid_tree_nao.simulated.methods.walk_methods import WalkMethods
from rigid_tree_nao.simulated.methods.whole_body_methods import WholeBodyMethods
