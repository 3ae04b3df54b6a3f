"""pick_and_place.launch.py: the example carries the box to the other side, and exits."""

from pathlib import Path

from harness.processes import free_port
from harness.start.launching import launched

TIMEOUT = 400.0  # s
SENTENCES = ("to the box", "around the pillar", "down", "the box is on the other side")


def test_the_box_is_carried_around_the_pillar(tmp_path: Path) -> None:
    arguments = {"once": "true", "web_port": free_port()}
    with launched("pick_and_place.launch.py", tmp_path / "log", **arguments) as demo:
        code = demo.wait(TIMEOUT)
    assert code == 0, demo.output
    places = [demo.output.find(words) for words in SENTENCES]
    assert -1 not in places, demo.output
    assert places == sorted(places)
