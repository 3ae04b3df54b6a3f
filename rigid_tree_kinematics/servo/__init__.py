"""Servoing: moves joints by twists, joint velocities or poses, without collisions."""

from rigid_tree_kinematics.servo.servo import Servo
from rigid_tree_kinematics.servo.settings import HALT, SLIDE, ServoSettings
from rigid_tree_kinematics.servo.status import ServoStatus, ServoStep

__all__ = ["HALT", "SLIDE", "Servo", "ServoSettings", "ServoStatus", "ServoStep"]
