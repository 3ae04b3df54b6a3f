"""Short programs in the ways in which people call NAOqi, for the simulated robot.

python scripts.py tcp://127.0.0.1:9559

Each function is one: it takes the session and raises what goes wrong. The forms of the arguments
are those of public scripts: one name or several, numbers or lists of lists, tuples, integers for
floats, degrees, a list of speeds, and the results of one method as arguments of another.
"""

import json
import math
import os
import sys
import time
import traceback
from collections.abc import Callable
from typing import Any

import qi

DEGREES = math.pi / 180.0
SCRIPTS: list[Callable[[Any], None]] = []


def script(function: Callable[[Any], None]) -> Callable[[Any], None]:
    SCRIPTS.append(function)
    return function


def near(values: Any, wanted: Any, tolerance: float = 0.03) -> None:
    pairs = list(zip(values, wanted, strict=True))
    assert all(abs(value - want) <= tolerance for value, want in pairs), pairs


def wait_for(condition: Callable[[], Any]) -> None:
    end = time.monotonic() + 20.0
    while not condition():
        assert time.monotonic() < end, "nothing happened"
        time.sleep(0.02)


@script
def wakes_up_without_life(session: Any) -> None:
    session.service("ALAutonomousLife").setState("disabled")
    motion = session.service("ALMotion")
    if not motion.robotIsWakeUp():
        motion.wakeUp()
    assert motion.robotIsWakeUp()
    assert session.service("ALRobotPosture").goToPosture("Stand", 1)


@script
def looks_around_in_degrees(session: Any) -> None:
    motion = session.service("ALMotion")
    names = ["HeadYaw", "HeadPitch"]
    target = [x * DEGREES for x in (40, -10)]
    motion.angleInterpolationWithSpeed(names, target, 1)
    near(motion.getAngles(names, True), target)
    motion.angleInterpolationWithSpeed("HeadYaw", 0, 0.9)
    motion.changeAngles("HeadPitch", 5 * DEGREES, 0.5)
    wait_for(lambda: abs(motion.getAngles("Head", False)[1] + 5 * DEGREES) < 0.01)


@script
def shakes_the_head_along_lists(session: Any) -> None:
    motion = session.service("ALMotion")
    motion.angleInterpolation("HeadYaw", [1, -1, 0], [0.3, 0.7, 1], True)
    motion.angleInterpolation(["HeadYaw", "HeadPitch"], [[0.3, 0], [0.2]], [[0.2, 1], [1]], True)
    motion.angleInterpolation(["HeadPitch"], [-0.2], [0.3], False)
    motion.angleInterpolation(("HeadYaw", "HeadPitch"), (0.1, 0.1), 0.3, True)
    near(motion.getAngles("Head", False), [0.1, 0.1])


@script
def waves_an_arm_with_integers(session: Any) -> None:
    motion = session.service("ALMotion")
    joints = ["RShoulderPitch", "RShoulderRoll", "RElbowYaw", "RElbowRoll", "RWristYaw", "RHand"]
    angles = [[-1], [-0.3], [1], [1], [0], [1]]
    motion.angleInterpolation(joints, angles, [[1]] * 6, True)
    near(motion.getAngles("RArm", False), [row[0] for row in angles])
    motion.setAngles("RHand", 0, 1)
    motion.setAngles(["RShoulderPitch", "RElbowRoll"], [1.2, 0.9], [1.0, 0.5])
    motion.setAngles("LArm", 0.2, 1.0)
    time.sleep(0.5)
    near(motion.getAngles(["RShoulderPitch", "LElbowYaw"], False), [1.2, 0.2])


@script
def plays_an_exported_animation(session: Any) -> None:
    motion = session.service("ALMotion")
    names, times, keys = [], [], []
    names.append("HeadPitch")
    times.append([0.4, 0.8])
    keys.append(
        [[-0.3, [3, -0.13, 0], [3, 0.13, 0]], [0.05, [3, -0.13, 0], [3, 0, 0]]],
    )
    names.append("LShoulderPitch")
    times.append([0.6])
    keys.append([[1.2, [3, -0.2, 0.0], [3, 0.0, 0.0]]])
    motion.angleInterpolationBezier(names, times, keys)
    near(motion.getAngles(names, False), [0.05, 1.2])
    motion.angleInterpolationBezier(["HeadYaw"], [[0.3]], [[20 * DEGREES]])
    near(motion.getAngles("HeadYaw", False), [20 * DEGREES])


@script
def sets_stiffness_in_every_form(session: Any) -> None:
    motion = session.service("ALMotion")
    motion.stiffnessInterpolation(["LArm", "RArm"], 0.5, 0.2)
    near(motion.getStiffnesses("Arms"), [0.5] * 12, 1e-6)
    motion.stiffnessInterpolation("Head", [0.2, 1.0], [0.1, 0.2])
    motion.setStiffnesses("Body", 1)
    motion.setStiffnesses(["HeadYaw", "HeadPitch"], [1.0, 1.0])
    near(motion.getStiffnesses(["Body"]), [1.0] * 26, 1e-6)


@script
def opens_and_closes_hands(session: Any) -> None:
    motion = session.service("ALMotion")
    both = [motion.openHand(hand, _async=True) for hand in ("LHand", "RHand")]
    assert [call.value() for call in both] == [None, None]
    near(motion.getAngles(["LHand", "RHand"], False), [1.0, 1.0])
    motion.closeHand("LHand")
    near(motion.getAngles("LHand", True), [0.0])


@script
def walks_to_places(session: Any) -> None:
    motion = session.service("ALMotion")
    motion.moveInit()
    x, y, theta = motion.getRobotPosition(False)
    motion.moveTo(0.1, 0, 0)
    motion.moveTo(0, 0, 90 * DEGREES, [["MaxStepTheta", 0.5], ["StepHeight", 0.03]])
    motion.moveTo([[0.05, 0.0, 0.0], [0.0, 0.05, 0.0]], [["MaxStepFrequency", 1.0]])
    motion.walkTo(0.02, 0.0, 0.0, motion.getFootGaitConfig("Default"))
    goal = theta + math.pi / 2.0
    near([math.remainder(motion.getRobotPosition(True)[2] - goal, 2 * math.pi)], [0.0])
    traveled = math.dist(motion.getRobotPosition(True)[:2], (x, y))
    near([traveled], [math.hypot(0.1 - 0.05, 0.07)], 0.01)


@script
def walks_like_a_joystick(session: Any) -> None:
    motion = session.service("ALMotion")
    motion.setMoveArmsEnabled(False, False)
    motion.setMotionConfig([["ENABLE_FOOT_CONTACT_PROTECTION", True]])
    for x, theta, frequency in ((0.8, 0.0, 1.0), (0.5, -0.3, 0.2), (-0.2, 0.1, 0)):
        motion.moveToward(x, 0.0, theta, [["Frequency", frequency]])
        motion.setAngles("HeadYaw", theta, 0.6)
        time.sleep(0.2)
        assert motion.moveIsActive()
    motion.stopMove()
    motion.waitUntilMoveIsFinished()
    assert motion.getRobotVelocity() == [0.0, 0.0, 0.0]
    motion.setMoveArmsEnabled(True, True)


@script
def walks_with_the_names_of_1_14(session: Any) -> None:
    motion = session.service("ALMotion")
    motion.setWalkArmsEnabled(True, True)
    assert motion.getWalkArmsEnabled() == [True, True]
    motion.walkInit()
    motion.setWalkTargetVelocity(0.9, 0.0, 0.1, 1.0, motion.getMoveConfig("Max"))
    time.sleep(0.2)
    assert motion.walkIsActive()
    gaits = [motion.getMoveConfig(name) for name in ("Default", "Min")]
    motion.setWalkTargetVelocity(0.5, 0, 0, 0, *gaits)
    motion.stopWalk()
    motion.waitUntilWalkIsFinished()
    assert not motion.walkIsActive()


@script
def dances_with_foot_steps(session: Any) -> None:
    motion = session.service("ALMotion")
    motion.setFootStepsWithSpeed(["LLeg"], [[0.06, 0.1, 0.0]], [1.0], False)
    motion.setFootStepsWithSpeed(["RLeg"], [[0.0, -0.1, 0.0]], [1], True)
    motion.setFootSteps(["LLeg", "RLeg"], [[0.02, 0.1, 0], [0, -0.1, 0]], [0.6, 1.2], False)
    left, right = motion.getFootSteps()[0]
    assert len(left) == len(right) == 3
    motion.waitUntilMoveIsFinished()
    assert motion.getFootSteps()[1:] == [[], []]


@script
def reads_keys(session: Any) -> None:
    memory = session.service("ALMemory")
    head = f"Device/SubDeviceList/HeadYaw/Position/{'Sensor'}/Value"
    assert isinstance(memory.getData(head), float)
    assert memory.getData("MiddleTactilTouched", 0) == 0.0
    touch = [f"Device/SubDeviceList/Head/Touch/{p}/Sensor/Value" for p in ("Front", "Rear")]
    assert sum(memory.getListData(touch)) == 0
    assert memory.getData("footContact") == 1.0
    assert memory.getData("robotHasFallen") is None
    try:
        memory.getData("visitors")
    except RuntimeError:
        memory.insertData("visitors", ["Ada", 3])
    assert memory.getData("visitors") == ["Ada", 3]


@script
def reacts_to_touch_by_a_signal(session: Any) -> None:
    memory, seen = session.service("ALMemory"), []
    front = memory.subscriber("FrontTactilTouched")
    changed = memory.subscriber("TouchChanged")
    link = front.signal.connect(lambda value: seen.append(value))
    changed.signal.connect(lambda parts: seen.extend(parts))
    memory.insertData("FrontTactilTouched", 1.0)
    wait_for(lambda: len(seen) == 2)
    assert sorted(map(str, seen)) == ["1.0", "['Head/Touch/Front', True]"]
    front.signal.disconnect(link)
    memory.insertData("FrontTactilTouched", 0.0)
    wait_for(lambda: len(seen) == 3)
    assert seen[-1] == ["Head/Touch/Front", False]


class Reactor:
    """A module as the older SDK's, whose methods ALMemory calls."""

    def __init__(self) -> None:
        self.calls: list[Any] = []

    def on_bumper(self, key: str, value: Any, message: Any) -> None:
        self.calls.append((key, value, message))

    def on_ours(self, key: str, value: Any) -> None:
        self.calls.append((key, value))


@script
def reacts_to_events_by_a_module(session: Any) -> None:
    memory, reactor = session.service("ALMemory"), Reactor()
    number = session.registerService("Reactor", reactor)
    memory.subscribeToEvent("RightBumperPressed", "Reactor", "on_bumper")
    memory.subscribeToEvent("Ours/Event", "Reactor", "on_ours")
    memory.raiseEvent("RightBumperPressed", 1.0)
    memory.raiseEvent("Ours/Event", {"left": 1})
    wait_for(lambda: len(reactor.calls) == 2)
    assert ("RightBumperPressed", 1.0, "") in reactor.calls
    assert ("Ours/Event", {"left": 1}) in reactor.calls
    memory.unsubscribeToEvent("RightBumperPressed", "Reactor")
    session.unregisterService(number)
    memory.raiseEvent("Ours/Event", 2)  # the module is gone, and the robot goes on
    assert memory.getData("Ours/Event") == 2


@script
def waits_for_events_of_the_robot(session: Any) -> None:
    memory, motion = session.service("ALMemory"), session.service("ALMotion")
    seen: list[Any] = []
    subscribers = [
        memory.subscriber(name)
        for name in ("ALMotion/Stiffness/restFinished", "robotIsWakeUp", "PostureFamilyChanged")
    ]
    for subscriber in subscribers:
        subscriber.signal.connect(seen.append)
    motion.rest()
    wait_for(lambda: True in seen and False in seen and "Crouching" in seen)
    motion.wakeUp()
    wait_for(lambda: seen.count(True) == 2 and seen[-1] == "Standing")


@script
def talks_while_moving(session: Any) -> None:
    tts, motion = session.service("ALTextToSpeech"), session.service("ALMotion")
    tts.setLanguage("German")
    tts.setVolume(0.8)
    tts.setParameter("pitchShift", 1.1)
    spoken = tts.say("Guten Tag", _async=True)
    motion.setAngles("Head", (0.2, -0.1), 0.3)
    assert spoken.value() is None
    tts.say("Hello", "English")
    assert tts.getLanguage() == "German"


@script
def blinks(session: Any) -> None:
    leds = session.service("ALLeds")
    leds.fadeRGB("FaceLeds", "red", 0.1)
    leds.fadeRGB("ChestLeds", int("0xffff00", 0), 0)
    leds.fadeRGB("RightFaceLeds", 0.0, 1.0, 0.5, 0.1)
    leds.fadeListRGB("FaceLeds", [0x00FF0000, 0x000000FF], [0.1, 0.2])
    leds.rotateEyes(0x00FF00, 0.1, 0.2)
    leds.randomEyes(0.1)
    assert leds.getIntensity("ChestLedsRed")[0][1] == 1.0


@script
def moves_a_hand_in_space(session: Any) -> None:
    motion = session.service("ALMotion")
    session.service("ALRobotPosture").goToPosture("StandInit", 0.9)
    start = motion.getPosition("LArm", 0, False)
    path = [[x + d for x, d in zip(start, (0.02, 0, 0.02, 0, 0, 0), strict=True)], start]
    motion.positionInterpolation("LArm", 0, path, 7, [0.4, 0.8], True)
    motion.positionInterpolations(["LArm", "RArm"], 0, [[[0, 0, 0.02, 0, 0, 0]]] * 2, [7, 7],
                                  [[0.4]] * 2, False)  # fmt: skip
    near([motion.getPosition("LArm", 0, False)[2]], [start[2] + 0.02], 0.005)
    there = motion.getTransform("LArm", 0, False)
    motion.setTransform("LArm", 0, there[:12], 0.5, 7)
    motion.changePosition("LArm", 0, [0.0, 0.0, -0.02, 0.0, 0.0, 0.0], 0.9, 7)
    wait_for(lambda: abs(motion.getPosition("LArm", 0, False)[2] - start[2]) < 0.005)


@script
def balances(session: Any) -> None:
    motion = session.service("ALMotion")
    motion.wbEnable(True)
    motion.wbFootState("Fixed", "Legs")
    motion.wbEnableBalanceConstraint(True, "Legs")
    assert motion.wbGoToBalance("LLeg", 0.6)
    assert motion.wbGoToBalanceWithSpeed("Legs", 1.0)
    motion.wbEnableEffectorOptimization("RLeg", False)
    motion.wbEnable(False)
    motion.wbEnableEffectorControl("Head", True)
    motion.wbSetEffectorControl("Head", [0.0, 20 * DEGREES, 0.0])
    motion.wbEnableEffectorControl("Head", False)


@script
def asks_for_the_state_of_everything(session: Any) -> None:
    motion = session.service("ALMotion")
    assert motion.getBodyNames("Body") == motion.getJointNames("Body")
    assert len(motion.getLimits("Body")) == 26
    assert motion.isCollision("Arms") == "none"
    for name in ("FallManager", "SmartStiffness", "PushRecovery", "DiagnosisEffect"):
        getattr(motion, f"set{name}Enabled")(True)
        assert getattr(motion, f"get{name}Enabled")()
    motion.setExternalCollisionProtectionEnabled("All", False)
    motion.setCollisionProtectionEnabled("Arms", True)
    motion.setBreathEnabled("Body", False)
    motion.setIdlePostureEnabled("Arms", 0)
    assert session.service("ALBattery").getBatteryCharge() == 80
    session.service("ALSensors").subscribe("me")
    session.service("ALSonar").subscribe("me", 100, 0.5)
    assert "SitRelax" in session.service("ALRobotPosture").getPostureList()
    print(motion.getSummary())


@script
def stops_everything_at_the_end(session: Any) -> None:
    motion = session.service("ALMotion")
    walk = motion.post("moveTo", 1.0, 0.0, 0.0)
    assert motion.isRunning(walk)
    motion.killMove()
    assert not motion.wait(walk, 5000)
    motion.rest("Head")
    motion.killAll()
    motion.rest()
    assert not motion.robotIsWakeUp()


def main(url: str) -> None:
    """Run all scripts with an Application, as scripts from the command line do."""
    application = qi.Application(["scripts", f"--qi-url={url}"])
    application.start()
    results = {}
    for function in SCRIPTS:
        try:
            function(application.session)
            results[function.__name__] = ""
        except Exception:
            results[function.__name__] = traceback.format_exc()
    print(json.dumps(results), flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
    os._exit(0)  # libqi's threads would end the process by a signal
