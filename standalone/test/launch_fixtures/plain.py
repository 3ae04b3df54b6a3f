"""Not a launch test: the function is not marked."""


def generate_test_description():
    raise AssertionError("must not be called")


def test_plain():
    pass
