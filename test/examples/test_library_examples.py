"""The examples without nodes work as documented."""

import re
from pathlib import Path

from harness.start.examples import run_example

EXAMPLES = Path(__file__).parents[2] / "examples"


def number(output, words):
    """Return the number that follows some words."""
    return float(re.search(rf"{words} ([-\d.]+)", output)[1])


def test_the_flange_follows_the_circle(tmp_path):
    output = run_example(EXAMPLES / "follow_circle.py", tmp_path)
    assert number(output, "largest distance from the circle:") < 1.0  # micrometers
    assert number(output, "largest step of a joint:") < 0.1  # rad: no other branch
    assert (tmp_path / "circle.png").stat().st_size > 10_000
    assert (tmp_path / "circle_joints.png").stat().st_size > 10_000


def test_the_moving_ball_is_avoided(tmp_path):
    output = run_example(EXAMPLES / "avoid_moving_ball.py", tmp_path)
    assert number(output, "s and") >= 2  # plans: the first way is blocked by the ball
    assert number(output, "smallest clearance:") > 0.0


def test_the_reach_map_shows_what_a_ur5_reaches(tmp_path):
    output = run_example(EXAMPLES / "reach_map.py", tmp_path)
    reached, total = map(int, re.search(r"(\d+) of (\d+) poses", output).groups())
    assert 0.3 < reached / total < 0.6  # a disc of the arm's length fills half of the picture
    assert number(output, "best position:") == 100.0
    assert (tmp_path / "reach_map.png").stat().st_size > 10_000


def test_the_stick_changes_hands(tmp_path):
    output = run_example(EXAMPLES / "hand_over.py", tmp_path)
    x, y, _ = map(float, re.search(r"\[([-\d. ]+)\] m, in the right hand", output)[1].split())
    assert x > 0.55, output  # on the side of the right arm
    assert abs(y) < 0.1


def test_two_arms_carry_a_stick_around_a_ball(tmp_path):
    output = run_example(EXAMPLES / "carry_together.py", tmp_path)
    assert "'stick' near 'ball'" in output
    assert number(output, "smallest distance") > 15.0  # mm; the arms start at 20.6 mm
    assert number(output, "grasp within") < 0.1  # mm
