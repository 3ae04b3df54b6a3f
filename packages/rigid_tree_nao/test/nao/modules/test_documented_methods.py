"""Every documented method of NAOqi's modules is simulated, or rejected with a reason.

Sources: Aldebaran, NAOqi 1.14.5 and 2.1.3 documentation, "... API" pages; for 2.1 also Aldebaran's
Java client jnaoqi, whose classes were generated from that release.
"""

import json
import sys
from pathlib import Path

import pytest
from nao_harness.simulated import SimulatedNao

from harness.processes import TIMEOUT, free_port, run
from rigid_tree_nao.errors import NaoError
from rigid_tree_nao.simulated.absent import ABSENT

BOTH, OLD, NEW = ("1.14", "2.1"), ("1.14",), ("2.1",)
# Module -> the releases that document methods -> the methods.
DOCUMENTED: dict[str, dict[tuple[str, ...], str]] = {
    "ALMotion": {
        BOTH: """
            angleInterpolation angleInterpolationBezier angleInterpolationWithSpeed
            areResourcesAvailable changeAngles changePosition changeTransform closeHand
            getAngles getBodyNames getCOM getCollisionProtectionEnabled getFallManagerEnabled
            getFootGaitConfig getFootSteps getJointNames getLimits getMass getMotionCycleTime
            getMoveConfig getNextRobotPosition getPosition getRobotConfig getRobotPosition
            getRobotVelocity getSensorNames getSmartStiffnessEnabled getStiffnesses getSummary
            getTaskList getTransform getWalkArmsEnabled isCollision killAll killMove killTask
            killTasksUsingResources killWalk move moveInit moveIsActive moveTo moveToward
            openHand positionInterpolation positionInterpolations rest setAngles
            setCollisionProtectionEnabled setFallManagerEnabled setFootSteps
            setFootStepsWithSpeed setMotionConfig setPosition setSmartStiffnessEnabled
            setStiffnesses setTransform setWalkArmsEnabled setWalkTargetVelocity
            stiffnessInterpolation stopMove stopWalk transformInterpolation
            transformInterpolations updateTrackerTarget waitUntilMoveIsFinished
            waitUntilWalkIsFinished wakeUp walkInit walkIsActive walkTo wbEnable
            wbEnableBalanceConstraint wbEnableEffectorControl wbEnableEffectorOptimization
            wbFootState wbGoToBalance wbSetEffectorControl
        """,
        NEW: """
            animation areNotificationsEnabled getBreathConfig getBreathEnabled
            getChainClosestObstaclePosition getDiagnosisEffectEnabled
            getExternalCollisionProtectionEnabled getIdlePostureEnabled getMoveArmsEnabled
            getOrthogonalSecurityDistance getPushRecoveryEnabled getSupportPolygon
            getTangentialSecurityDistance robotIsWakeUp setBreathConfig setBreathEnabled
            setDiagnosisEffectEnabled setEnableNotifications
            setExternalCollisionProtectionEnabled setIdlePostureEnabled setMoveArmsEnabled
            setOrthogonalSecurityDistance setPositions setPushRecoveryEnabled
            setTangentialSecurityDistance setTransforms wbGoToBalanceWithSpeed
        """,
    },
    "ALRobotPosture": {
        BOTH: """
            applyPosture getPostureFamily getPostureFamilyList getPostureList goToPosture
            setMaxTryNumber stopMove
        """,
        NEW: "getPosture",
    },
    "ALMemory": {
        BOTH: """
            declareEvent getData getDataList getDataListName getDataOnChange getDataPtr
            getDescriptionList getEventHistory getEventList getExtractorEvent getListData
            getMicroEventList getSubscribers getType insertData insertListData raiseEvent
            raiseMicroEvent removeData removeMicroEvent setDescription subscribeToEvent
            subscribeToMicroEvent unregisterModuleReference unsubscribeToEvent
            unsubscribeToMicroEvent
        """,
        NEW: "addMapping getTimestamp removeEvent subscriber",
    },
    "ALTextToSpeech": {
        BOTH: """
            disableNotifications enableNotifications getAvailableLanguages getAvailableVoices
            getLanguage getParameter getVoice getVolume loadVoicePreference say sayToFile
            sayToFileAndPlay setLanguage setLanguageDefaultVoice setParameter setVoice
            setVolume stopAll
        """,
        NEW: """
            addToDictionary deleteFromDictionary getLanguageEncoding getSupportedLanguages
            locale reset resetSpeed showDictionary
        """,
    },
    "ALLeds": {
        BOTH: """
            createGroup earLedsSetAngle fade fadeListRGB fadeRGB getIntensity listGroup
            listGroups listLED listLEDs off on randomEyes rasta rotateEyes setIntensity
        """,
        NEW: "reset",
    },
    "ALAutonomousLife": {
        NEW: """
            focusedActivity getActivityContextPermissionViolations getActivityNature
            getActivityStatistics getAutonomousAbilityEnabled getAutonomousActivityStatistics
            getEnabledLaunchpadPlugins getFocusContext getFocusHistory
            getLaunchpadPluginsForGroup getLifeTime getRobotOffsetFromFloor getState
            getStateHistory isMonitoringLaunchpadConditions isSafeguardEnabled onReady
            setAutonomousAbilityEnabled setLaunchpadPluginEnabled setRobotOffsetFromFloor
            setSafeguardEnabled setState startMonitoringLaunchpadConditions stopAll stopFocus
            stopMonitoringLaunchpadConditions switchFocus
        """,
    },
    "ALBattery": {
        NEW: "enablePowerMonitoring getBatteryCharge",
    },
    "ALSensors": {
        BOTH: """
            getCurrentPeriod getCurrentPrecision getMyPeriod getMyPrecision getOutputNames
            getSubscribersInfo run subscribe unsubscribe updatePeriod updatePrecision
        """,
        NEW: "getEventList getMemoryKeyList",
    },
    "ALSonar": {
        BOTH: "subscribe unsubscribe",
        NEW: """
            getCurrentPeriod getCurrentPrecision getEventList getFilteredValues
            getMemoryKeyList getMyPeriod getMyPrecision getOutputNames getSubscribersInfo
            updatePeriod updatePrecision
        """,
    },
}
INHERITED = """
    exit getBrokerName getMethodHelp getMethodList getModuleHelp getUsage isRunning ping stop
    version wait
"""
PAGE = (Path(__file__).parents[5] / "docs" / "nao.md").read_text()
PROGRAM = """
import json, os, sys
import qi
session = qi.Session()
session.connect(sys.argv[1])
names = json.loads(sys.argv[2])
print(json.dumps({name: dir(session.service(name)) for name in names}), flush=True)
os._exit(0)
"""


def documented(module):
    return {name for names in DOCUMENTED[module].values() for name in names.split()}


def test_every_documented_method_is_served(tmp_path):
    port = free_port()
    robot = SimulatedNao(port, tmp_path)
    words = (f"tcp://127.0.0.1:{port}", json.dumps(list(DOCUMENTED)))
    done = run(sys.executable, "-c", PROGRAM, *words, timeout=TIMEOUT, check=True)
    served = json.loads(done.stdout.splitlines()[-1])
    assert robot.end() == 0
    for module in DOCUMENTED:
        missing = {*documented(module), *INHERITED.split()} - set(served[module])
        assert not missing, module


def test_a_method_that_is_not_simulated_says_why_and_what_to_use(nao):
    for module, methods in ABSENT.items():
        assert set(methods) <= documented(module)
        for method, reason in methods.items():
            with pytest.raises(NaoError, match=r"not simulated: .*: "):
                nao.services[module][method](1, 2)
            assert reason
            assert f"`{module}.{method}`" in PAGE, f"docs/nao.md does not list {method}"
