"""Parameters, joint states and controllers of robot_simulator."""

from rigid_tree_kinematics.nodes.simulator.controller_manager import (
    ControllerManager,
    SimulatedController,
)
from rigid_tree_kinematics.nodes.simulator.gripper_server import GripperServer, gripper_kinds
from rigid_tree_kinematics.nodes.simulator.parameters import SimulatorSettings
from rigid_tree_kinematics.nodes.simulator.simulation_clock import SimulationClock
from rigid_tree_kinematics.nodes.simulator.simulator_node import SimulatorNode, moved_joints_of
from rigid_tree_kinematics.nodes.simulator.state import StateLayout, initial_configuration
from rigid_tree_kinematics.nodes.simulator.trajectory_server import TrajectoryServer
