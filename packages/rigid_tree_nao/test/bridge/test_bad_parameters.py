"""Bad parameters stop the bridge at startup with one line that names the error."""

from importlib.util import find_spec

import pytest

CASES = [
    ({"version": "V9"}, "V6"),
    ({"version": "V6", "body_type": "H21"}, "H25"),
    ({"nao_port": 0}, "nao_port"),
    ({"rate": -1.0}, "rate"),
    ({"cmd_vel_timeout": 0.0}, "cmd_vel_timeout"),
]


@pytest.mark.parametrize(("given", "words"), CASES)
def test_bad_parameters_end_the_start_with_one_line(network, given, words):
    if find_spec("qi") is None:  # not imported: it crashes beside coal
        pytest.skip("libqi: pip install qi (Python 3.8 to 3.12)")
    assert words in network.refused("nao_bridge", given)
