"""The example of differential inverse kinematics with NAO works as documented."""

import re
from pathlib import Path

from harness.start.examples import run_example

EXAMPLE = Path(__file__).parents[2] / "examples/nao_reach.py"


def test_nao_reaches_while_its_feet_stay(tmp_path):
    output = run_example(EXAMPLE, tmp_path)
    hand, feet, center = map(float, re.findall(r"([\d.]+) mm", output))
    assert hand < 1.0
    assert feet < 0.1
    assert center < 0.1
