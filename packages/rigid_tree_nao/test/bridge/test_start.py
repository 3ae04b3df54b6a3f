"""Bad parameters stop the bridge with one line that names the error; all are described."""

from importlib.util import find_spec

import pytest

from harness.start.parameters import check_descriptions

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
    assert words in network.rejected("nao_bridge", given)


def test_every_parameter_has_a_description_and_every_number_a_range(network):
    check_descriptions(network, {"nao_bridge": {}})
