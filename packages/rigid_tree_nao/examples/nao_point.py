"""NAO looks and points at a red ball.

With a robot, ALRedBallDetection must be running and see a ball:

    python packages/rigid_tree_nao/examples/nao_point.py --ip nao.local

The simulated NAO has no camera, so this example simulates a ball:

    ros2 run rigid_tree_nao simulated_nao
    python packages/rigid_tree_nao/examples/nao_point.py --pretend

The camera's pose and the apparent size of the ball give its position. Inverse kinematics with
constraints gives the joint angles: the arm is almost straight and aims at the ball.
"""

import argparse
import math
import os
import sys

import numpy as np
import qi

from rigid_tree_kinematics import load_robot
from rigid_tree_kinematics.ik import AimingConstraint, GeneralizedInverseKinematics, JointBounds
from rigid_tree_kinematics.model.transforms import rpy_matrix, transform

DIAMETER = 0.06  # m, of NAO's red ball
TORSO = 0  # FRAME_TORSO
PRETENDED = [0.2, 0.1, 0.08, 0.08]  # rad: left, down, width, height in the image
ARM = ("ShoulderPitch", "ShoulderRoll", "ElbowYaw", "ElbowRoll")


def ball_in_torso(memory):
    """Return the position (3,) of the ball, m, from ALRedBallDetection's last event."""
    event = memory.getData("redBallDetected")
    if not event:
        sys.exit("NAO sees no ball")
    left, down, width, _ = event[1]
    camera = event[2]  # Position6D in the torso frame
    T_torso_camera = transform(camera[:3], rpy_matrix(*camera[3:]))
    distance = DIAMETER / (2.0 * math.tan(width / 2.0))
    return (T_torso_camera @ [*(rpy_matrix(0.0, down, left)[:, 0] * distance), 1.0])[:3]


def pointing_angles(nao, side, ball):
    """Return the joint angles, by name, of an arm that points at the ball."""
    hand = f"{side}Arm"
    arm = [f"{side}{joint}" for joint in ARM]
    elbow = (-0.2, -0.04) if side == "L" else (0.04, 0.2)  # rad: almost straight
    solver = GeneralizedInverseKinematics(
        nao,
        [
            AimingConstraint(hand, tuple(ball), reference="torso", axis=(1.0, 0.0, 0.0)),
            JointBounds({f"{side}ElbowRoll": elbow}),
        ],
        locked=[name for name in nao.joint_names if name not in arm],
    )
    result = solver.solve()
    if not result.success:
        sys.exit(f"the {hand} cannot point there: {result.message}")
    return {name: result.by_name[name] for name in arm}


def main():
    parser = argparse.ArgumentParser(description="NAO points at a red ball.")
    parser.add_argument("--ip", default="127.0.0.1", help="address of the robot")
    parser.add_argument("--port", type=int, default=9559)
    parser.add_argument("--pretend", action="store_true", help="simulate a ball")
    options = parser.parse_args()
    session = qi.Session()
    session.connect(f"tcp://{options.ip}:{options.port}")
    motion, memory = session.service("ALMotion"), session.service("ALMemory")

    motion.wakeUp()
    if options.pretend:
        camera = motion.getPosition("CameraTop", TORSO, True)
        memory.insertData("redBallDetected", [[0, 0], PRETENDED, camera, camera, 0])
    ball = ball_in_torso(memory)
    print(f"the ball is at {ball.round(3)} m in the torso frame")

    nao = load_robot("nao")
    head = nao.get_transform(nao.home_configuration(), "Head", "torso")[:3, 3]
    yaw = math.atan2(ball[1], ball[0])
    pitch = -math.atan2(ball[2] - head[2], math.hypot(ball[0], ball[1]))
    side = "L" if ball[1] > 0.0 else "R"
    angles = {"HeadYaw": yaw, "HeadPitch": pitch, **pointing_angles(nao, side, ball)}
    names = list(angles)
    values = [float(angle) for angle in angles.values()]
    motion.angleInterpolationWithSpeed(names, values, 0.2)

    T = np.reshape(motion.getTransform(f"{side}Arm", TORSO, True), (4, 4))
    to_ball = ball - T[:3, 3]
    angle = math.degrees(math.acos(min(1.0, T[:3, 0] @ to_ball / np.linalg.norm(to_ball))))
    print(f"the {side}Arm misses the ball by {angle:.2f} degrees")
    sys.stdout.flush()
    os._exit(0)  # libqi's threads outlive the interpreter


if __name__ == "__main__":
    main()
