"""NAO talks, waves, walks and reads its sensors, with Aldebaran's Python SDK (libqi).

    python packages/rigid_tree_nao/examples/nao_story.py --ip nao.local
    python packages/rigid_tree_nao/examples/nao_story.py      # a simulated robot on this machine

nao_story_ros.py does the same with ROS 2.
"""

import argparse
import math
import os
import sys

import qi

WAVE_NAMES = ["RShoulderPitch", "RShoulderRoll", "RElbowYaw", "RElbowRoll"]
WAVE_ANGLES = [[-1.0, -1.0], [-0.35, -0.35], [1.5, 1.5], [1.3, 0.4, 1.3, 0.4, 1.3]]
WAVE_TIMES = [[1.2, 4.0], [1.2, 4.0], [1.2, 4.0], [1.2, 1.9, 2.6, 3.3, 4.0]]
SENSORS = {
    "battery": "Device/SubDeviceList/Battery/Charge/Sensor/Value",
    "obstacle on the left (m)": "Device/SubDeviceList/US/Left/Sensor/Value",
    "obstacle on the right (m)": "Device/SubDeviceList/US/Right/Sensor/Value",
    "weight on the left foot (kg)": "Device/SubDeviceList/LFoot/FSR/TotalWeight/Sensor/Value",
    "weight on the right foot (kg)": "Device/SubDeviceList/RFoot/FSR/TotalWeight/Sensor/Value",
    "temperature of the head (C)": "Device/SubDeviceList/HeadYaw/Temperature/Sensor/Value",
    "front of the head": "FrontTactilTouched",
}


def tell(session):
    speech = session.service("ALTextToSpeech")
    motion = session.service("ALMotion")
    posture = session.service("ALRobotPosture")
    memory = session.service("ALMemory")
    sonar = session.service("ALSonar")

    speech.setLanguage("English")
    motion.wakeUp()
    posture.goToPosture("StandInit", 0.5)

    greeting = speech.say("Hello, I am NAO", _async=True)
    motion.openHand("RHand")
    motion.angleInterpolation(WAVE_NAMES, WAVE_ANGLES, WAVE_TIMES, True)
    motion.closeHand("RHand")
    posture.goToPosture("StandInit", 0.5)
    greeting.value()

    motion.setAngles(["HeadYaw", "HeadPitch"], [0.5, -0.1], 0.2)
    speech.say("I am walking")
    motion.moveInit()
    start = motion.getRobotPosition(True)
    arrived = motion.moveTo(0.2, 0.0, math.pi / 6.0, [["MaxStepX", 0.03]])
    here = motion.getRobotPosition(True)
    distance = math.hypot(here[0] - start[0], here[1] - start[1])
    print(f"arrived: {arrived}; walked {distance:.3f} m")

    sonar.subscribe("story")
    for name, value in zip(SENSORS, memory.getListData(list(SENSORS.values())), strict=True):
        print(f"{name}: {value}")
    sonar.unsubscribe("story")
    hand = motion.getPosition("RArm", 2, True)
    print("right hand: " + ", ".join(f"{number:.3f}" for number in hand))

    speech.say("Goodbye")
    motion.rest()


def main():
    parser = argparse.ArgumentParser(description="NAO's story, with libqi.")
    parser.add_argument("--ip", default="127.0.0.1", help="address of the robot")
    parser.add_argument("--port", type=int, default=9559)
    options = parser.parse_args()
    session = qi.Session()
    try:
        session.connect(f"tcp://{options.ip}:{options.port}")
    except RuntimeError as error:
        sys.exit(f"no robot at {options.ip}:{options.port}: {error}")
    tell(session)
    sys.stdout.flush()
    os._exit(0)  # libqi's threads outlive the interpreter


if __name__ == "__main__":
    main()
