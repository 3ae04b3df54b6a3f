"""Error messages are one line of printable text, whatever names they contain."""

import math
import random

from rigid_tree_kinematics.errors import (
    DescriptionError,
    RigidTreeError,
    UnknownNameError,
)
from rigid_tree_kinematics.text import LONGEST_TEXT, plain, told_apart

LETTERS = "ab \n\r\t\v\x1b\x00\x85\u2028\u202e\u200b\ufeff\U0001f916\udcff\u00e9"


def test_any_text_becomes_one_printable_line():
    rng = random.Random(0)
    for _ in range(500):
        text = "".join(rng.choices(LETTERS, k=rng.randrange(40)))
        line = plain(text)
        assert line.isprintable()
        assert len(line.splitlines()) <= 1
        assert plain(line) == line


def test_plain_text_stays_as_it_is():
    for text in ("", "joint 'é' has 3 °, 100 % 日本", "x" * LONGEST_TEXT):
        assert plain(text) == text


def test_long_texts_are_cut_in_the_middle():
    line = plain("begin " + "x" * 10**6 + " end")
    assert line.startswith("begin x")
    assert line.endswith("x end")
    assert "(998010 characters)" in line
    assert len(line) < LONGEST_TEXT + 50


def test_every_error_of_the_package_is_plain():
    forged = "a\n[INFO] all is well\u202e"
    unknown = UnknownNameError("joint", forged, [forged, "y" * 10**6], forged)
    for error in (RigidTreeError(forged), DescriptionError(forged, forged, 3), unknown):
        assert str(error).isprintable()
        assert len(str(error)) < LONGEST_TEXT + 50


def test_numbers_that_differ_look_different():
    assert told_apart(2.8973, -2.8973, 2.8973) == ("2.8973", "-2.8973", "2.8973")
    assert told_apart(2.8973001, -2.8973, 2.8973) == ("2.8973001", "-2.8973", "2.8973")
    assert told_apart(0.1 + 0.2, 0.3) == ("0.30000000000000004", "0.29999999999999999")
    assert told_apart(0.0, -0.0, math.inf) == ("0", "-0", "inf")
    assert told_apart(math.nan, 1.23456789, digits=3) == ("nan", "1.23")
