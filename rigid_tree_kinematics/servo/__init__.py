"""Servoing: joints that follow twists, joint velocities or poses as they come, safely."""

from rigid_tree_kinematics.servo.servo import Servo, ServoStatus, ServoStep
from rigid_tree_kinematics.servo.settings import ServoSettings

__all__ = ["Servo", "ServoSettings", "ServoStatus", "ServoStep"]
