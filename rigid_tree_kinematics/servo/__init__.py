"""Servoing: moves joints by twists, joint velocities or poses, without collisions."""

from rigid_tree_kinematics.servo.servo import Servo, ServoStatus, ServoStep
from rigid_tree_kinematics.servo.settings import ServoSettings

__all__ = ["Servo", "ServoSettings", "ServoStatus", "ServoStep"]
