"""ALMemory's events on the simulated robot, against NAOqi's documentation."""

import pytest

from rigid_tree_nao.errors import NaoError
from rigid_tree_nao.simulated.events import RAISED, SILENT, TOUCH_DEVICES

DEVICE = "Device/SubDeviceList"


@pytest.fixture
def memory(nao):
    return nao.services["ALMemory"]


@pytest.fixture
def heard(nao):
    """Listen to all events that the robot raises; return the list of (event, value)."""
    rows = []
    for events in RAISED.values():
        for event in events:
            nao.memory.listen(
                event, "test", lambda value, event=event: rows.append((event, value))
            )
    return rows


@pytest.mark.parametrize("event", TOUCH_DEVICES)
def test_a_touch_raises_its_event_and_sets_its_sensors(memory, heard, event):
    devices = TOUCH_DEVICES[event]
    keys = [f"{DEVICE}/{device}/Sensor/Value" for device in devices]
    assert memory["getListData"]([event, *keys]) == [0.0] * (1 + len(keys))
    for way, value in (("insertData", 1), ("raiseEvent", 0.0)):
        memory[way](event, value)
        assert memory["getListData"]([event, *keys]) == [float(value)] * (1 + len(keys))
    memory["insertData"](keys[0], 1.0)
    assert heard == [
        row
        for value in (1.0, 0.0, 1.0)
        for row in (
            (event, value),
            ("TouchChanged", [[device, bool(value)] for device in devices]),
        )
    ]


def test_the_robot_raises_events_when_its_state_changes(nao, heard):
    nao.finish(nao.rest())
    nao.advance(0.1)
    assert [row for row in heard if row[0] in RAISED["ALMotion"]] == [
        ("ALMotion/Stiffness/restStarted", True),
        ("ALMotion/Stiffness/restFinished", True),
        ("robotIsWakeUp", False),
    ]
    assert [value for event, value in heard if event == "BodyStiffnessChanged"] == [1, 0]
    families = [value for event, value in heard if event == "PostureFamilyChanged"]
    assert families[-1] == nao.posture["getPostureFamily"]() == "Crouching"
    assert [value for event, value in heard if event == "PostureChanged"][-1] == "Crouch"
    heard.clear()
    nao.advance(1.0)
    assert heard == []
    task = nao.wakeUp()
    nao.advance(0.3)
    nao.killAll()
    nao.advance(0.1)
    started, finished = (f"ALMotion/Stiffness/wakeUp{word}" for word in ("Started", "Finished"))
    assert task.done()
    assert (started, True) in heard
    assert (finished, True) not in heard


@pytest.mark.parametrize("walk", ["move", "moveTo"])
def test_a_walk_without_stiff_legs_raises_move_failed(nao, heard, walk):
    getattr(nao, walk)(0.5, 0.0, 0.0)
    nao.advance(0.5)
    assert heard == []
    nao.setStiffnesses("LAnkleRoll", 0.0)
    nao.advance(1.0)
    assert [row for row in heard if row[0] == "ALMotion/MoveFailed"] == [
        ("ALMotion/MoveFailed", ["Internal stop", 1, None])
    ]
    assert not nao.moveIsActive()
    heard.clear()
    getattr(nao, walk)(0.5, 0.0, 0.0)  # it does not even start
    nao.advance(0.1)
    assert [row for row in heard if row[0] == "ALMotion/MoveFailed"] == [
        ("ALMotion/MoveFailed", ["Internal stop", 0, None])
    ]


@pytest.mark.parametrize("walk", ["move", "moveTo"])
def test_a_lifted_robot_has_no_foot_contact_and_does_not_walk(nao, memory, heard, walk):
    keys = ["footContact", "leftFootContact", "rightFootContact", "leftFootTotalWeight"]
    weight = memory["getData"]("leftFootTotalWeight")
    done = getattr(nao, walk)(0.5, 0.0, 0.0)
    nao.advance(0.5)
    assert heard == []
    for _ in range(2):  # the second one changes nothing
        memory["insertData"]("footContact", 0.0)
    assert memory["getListData"](keys) == [0.0] * 4
    nao.advance(1.0)
    assert heard == [
        ("footContactChanged", False),
        ("ALMotion/MoveFailed", ["Internal stop", 1, None]),
    ]
    assert not nao.moveIsActive()
    assert done is None or done.result() is False
    heard.clear()
    memory["raiseEvent"]("footContactChanged", True)  # as documented: a boolean
    assert heard == [("footContactChanged", True)]
    assert memory["getListData"](keys) == [1.0, 1.0, 1.0, weight]
    nao.finish(nao.moveTo(0.1, 0.0, 0.0))
    assert len(heard) == 1


def test_a_sonar_and_the_battery_raise_their_events(memory, heard):
    left, right = (f"{DEVICE}/US/{side}/Sensor/Value" for side in ("Left", "Right"))
    memory["insertListData"]([[left, 0.3], [right, 1.2]])
    memory["insertData"](f"{DEVICE}/Battery/Charge/Sensor/Value", 0.25)
    assert heard == [
        ("SonarLeftDetected", 0.3),
        ("SonarRightNothingDetected", 0.0),
        ("BatteryChargeChanged", 25),
    ]


def test_clients_declare_raise_and_remove_their_own_events(nao, memory):
    memory["declareEvent"]("Ours/Started")
    memory["declareEvent"]("Ours/Ended", "OurModule")
    assert memory["getData"]("Ours/Started") is None
    memory["raiseEvent"]("Ours/New", [1, "two"])
    memory["raiseEvent"]("Ours/New", 3.0)
    memory["raiseMicroEvent"]("Ours/Micro", True)
    assert {"Ours/Started", "Ours/Ended", "Ours/New"} <= set(memory["getEventList"]())
    assert memory["getExtractorEvent"]("OurModule") == ["Ours/Ended"]
    assert memory["getMicroEventList"]() == ["Ours/Micro"]
    types = [memory["getType"](key) for key in ("Ours/New", "Ours/Micro", "RobotConfig/Body/Type")]
    assert types == ["Event", "MicroEvent", "Data"]
    assert [row[0] for row in memory["getEventHistory"]("Ours/New")] == [[1, "two"], 3.0]
    assert memory["getTimestamp"]("Ours/New") == memory["getEventHistory"]("Ours/New")[-1]
    memory["setDescription"]("Ours/New", "what we made")
    assert memory["getDescriptionList"](["Ours/New"]) == [["Ours/New", "Event", "what we made"]]
    assert memory["getDataList"]("Ours/N") == ["Ours/New"]
    memory["removeEvent"]("Ours/New")
    memory["insertData"]("note", 1)
    memory["removeData"]("note")
    for key in ("Ours/New", "note"):
        with pytest.raises(NaoError, match="not found"):
            memory["getData"](key)


def test_a_module_is_called_until_it_unsubscribes(nao, memory):
    calls = []
    nao.memory.call_module = lambda *arguments: calls.append(arguments)
    memory["subscribeToEvent"]("RightBumperPressed", "Ours", "onBumper")
    memory["subscribeToMicroEvent"]("Ours/Micro", "Ours", "a message", "onMicro")
    assert memory["getSubscribers"]("RightBumperPressed") == ["Ours"]
    memory["insertData"]("RightBumperPressed", 1.0)
    memory["raiseMicroEvent"]("Ours/Micro", 2)
    wanted = [
        ("Ours", "onBumper", "RightBumperPressed", 1.0, ""),
        ("Ours", "onMicro", "Ours/Micro", 2, "a message"),
    ]
    assert calls == wanted
    memory["unsubscribeToEvent"]("RightBumperPressed", "Ours")
    memory["unregisterModuleReference"]("Ours")
    memory["insertData"]("RightBumperPressed", 0.0)
    memory["raiseMicroEvent"]("Ours/Micro", 3)
    assert calls == wanted
    with pytest.raises(NaoError, match="method"):
        memory["subscribeToEvent"]("RightBumperPressed", "Ours")


def test_every_event_is_listed_and_has_a_value_or_none(memory):
    for table in (RAISED, SILENT):
        for module, events in table.items():
            assert set(events) <= set(memory["getExtractorEvent"](module))
            for event in events:
                memory["getData"](event)
