"""The simulated robot's smaller modules, against NAOqi's documentation."""

import time

import pytest
from nao_harness.clockless import LONGEST

from rigid_tree_nao.errors import NaoError

DEVICE = "Device/SubDeviceList"


def lit(nao, name):
    """Return the intensities of an LED or a group."""
    return [intensity for _, intensity in nao.services["ALLeds"]["getIntensity"](name)]


@pytest.mark.parametrize(
    ("color", "wanted"),
    [
        ((0xFF0000,), [1.0, 0.0, 0.0]),
        (("green",), [0.0, 1.0, 0.0]),
        ((0.0, 0.5, 1.0), [0.0, 0.5, 1.0]),
        ((0x00336699,), [0.2, 0.4, 0.6]),
    ],
)
def test_every_form_of_a_color_is_shown(nao, color, wanted):
    leds, read = nao.services["ALLeds"], nao.services["ALMemory"]["getData"]
    leds["fadeRGB"]("LeftFaceLed1", *color, 0.0)
    assert lit(nao, "LeftFaceLed1") == pytest.approx(wanted)
    key = f"{DEVICE}/Face/Led/Blue/Left/0Deg/Actuator/Value"
    assert read(key) == pytest.approx(wanted[2])


def test_groups_have_the_documented_leds(nao):
    leds = nao.services["ALLeds"]
    sizes = {"FaceLeds": 48, "EarLeds": 20, "BrainLeds": 12, "FeetLeds": 6, "ChestLeds": 3}
    for group, count in sizes.items():
        assert len(leds["listGroup"](group)) == count, group
    assert len(leds["listGroup"]("AllLeds")) == sum(sizes.values())
    # Groups count symmetrically, short names by the angle.
    for group, short in (("FaceLedRight0", "RightFaceLed8"), ("FaceLedLeft7", "LeftFaceLed8")):
        assert leds["listGroup"](group) == leds["listLED"](short)
    leds["createGroup"]("Mine", ["Brain0", "Ears/Led/Right/0Deg/Actuator/Value"])
    leds["off"]("AllLeds")
    leds["on"]("Mine")
    assert lit(nao, "Brain0") == lit(nao, "RightEarLed1") == [1.0]
    assert sum(lit(nao, "AllLeds")) == 2.0
    with pytest.raises(NaoError, match="did you mean 'FaceLeds'"):
        leds["on"]("FaceLed")


def test_a_fade_and_a_sentence_take_their_time(nao):
    start = time.monotonic()
    fade = nao.services["ALLeds"]["fade"]("EarLeds", 0.5, 0.3)
    said = nao.services["ALTextToSpeech"]["say"]("Hello", "English")
    assert not fade.done()
    fade.result(LONGEST)
    said.result(LONGEST)
    assert time.monotonic() - start > 0.29
    assert lit(nao, "EarLeds") == [0.5] * 20


def test_a_sentence_raises_its_events(nao, capsys):
    rows = []
    for event in ("TextStarted", "CurrentSentence", "TextDone"):
        name = f"ALTextToSpeech/{event}"
        nao.memory.listen(name, "test", lambda value, event=event: rows.append((event, value)))
    nao.services["ALTextToSpeech"]["say"]("Hi").result(LONGEST)
    assert rows == [("TextStarted", True), ("CurrentSentence", "Hi"), ("TextDone", True)]
    assert capsys.readouterr().out == "NAO says: Hi\n"
    nao.memory.listen("ALTextToSpeech/Status", "test", rows.append)
    nao.memory.listen("ALTextToSpeech/TextInterrupted", "test", rows.append)
    rows.clear()
    said = nao.services["ALTextToSpeech"]["say"]("Not for long")
    nao.services["ALTextToSpeech"]["stopAll"]()
    assert said.done()
    assert [row for row in rows if row not in ([2, "started"],)][:1] == [[2, "enqueued"]]
    assert rows[-2:] == [True, [2, "stopped"]]


def test_settings_are_kept_and_wrong_ones_rejected(nao):
    tts, life = nao.services["ALTextToSpeech"], nao.services["ALAutonomousLife"]
    tts["setVolume"](1)
    tts["setParameter"]("speed", 80)
    tts["setLanguage"]("Japanese")
    assert [tts["getVolume"](), tts["getParameter"]("speed")] == [1.0, 80.0]
    assert tts["getLanguage"]() == "Japanese"
    assert tts["addToDictionary"]("NAO", "now")
    assert tts["deleteFromDictionary"]("NAO")
    assert not tts["deleteFromDictionary"]("NAO")
    life["setState"]("interactive")
    life["setAutonomousAbilityEnabled"]("BasicAwareness", True)
    assert life["getAutonomousAbilityEnabled"]("BasicAwareness")
    assert nao.services["ALMemory"]["getData"]("AutonomousLife/State") == "interactive"
    for call, words in (
        (lambda: tts["setLanguage"]("Klingon"), "unknown language"),
        (lambda: tts["setParameter"]("sped", 1.0), "did you mean 'speed'"),
        (lambda: life["setState"]("disable"), "did you mean 'disabled'"),
        (lambda: life["setAutonomousAbilityEnabled"]("Awareness", True), "known: Autonomous"),
        (lambda: nao.posture["setMaxTryNumber"](0), "positive integer"),
        (lambda: nao.setMotionConfig([["ENABLE_FOOT_CONTACT", True]]), "FOOT_CONTACT_PROTECTION"),
    ):
        with pytest.raises(NaoError, match=words):
            call()


def test_the_battery_and_the_subscriptions_of_sensors_are_told(nao):
    memory, sonar = nao.services["ALMemory"], nao.services["ALSonar"]
    assert nao.services["ALBattery"]["getBatteryCharge"]() == 80
    sonar["subscribe"]("mine", 100, 0.5)
    sonar["subscribe"]("yours")
    sonar["updatePeriod"]("mine", 20)
    assert sonar["getSubscribersInfo"]()[0] == ["mine", 20, 0.5]
    assert sonar["getCurrentPeriod"]() == 20
    keys = sonar["getMemoryKeyList"]()
    memory["insertListData"]([[key, 0.7] for key in keys])
    assert sonar["getFilteredValues"]() == [0.7, 0.7]
    sonar["unsubscribe"]("mine")
    with pytest.raises(NaoError, match="unknown subscriber"):
        sonar["getMyPeriod"]("mine")
    assert "FrontTactilTouched" in nao.services["ALSensors"]["getEventList"]()
    assert set(memory["getListData"](nao.services["ALSensors"]["getOutputNames"]())) == {0.0}
