"""The example works as documented."""

import re
from pathlib import Path

from harness.start.examples import run_example

EXAMPLE = Path(__file__).parents[2] / "examples" / "place_base.py"


def test_a_base_that_reaches_all_objects_is_found(tmp_path):
    output = run_example(EXAMPLE, tmp_path)
    rows = re.findall(r"(\d) tasks by the map, (\d) by a solver", output)
    assert {by_map for by_map, _ in rows} == {"9"}
    assert rows[-1][1] == "9"
    assert (tmp_path / "reachability.png").stat().st_size > 10_000
