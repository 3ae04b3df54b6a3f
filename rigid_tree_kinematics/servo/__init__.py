"""Servoing: moves joints by twists, joint velocities or poses, without collisions."""

from rigid_tree_kinematics.servo.servo import Servo
from rigid_tree_kinematics.servo.settings import ServoSettings
from rigid_tree_kinematics.servo.status import ServoStatus, ServoStep

__all__ = ["Servo", "ServoSettings", "ServoStatus", "ServoStep"]
