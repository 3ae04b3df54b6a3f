"""Every code block of the README and the manual works.

Pages without ROS here; those that start nodes are in test_blocks_with_nodes.py.
"""

from pathlib import Path
from tempfile import mkdtemp

import pytest

from harness.documents import follow_page, is_output, needs_ros, pages


@pytest.mark.parametrize(
    "page", [page for page in pages() if not needs_ros(page)], ids=lambda page: page.stem
)
def test_blocks(page, tmp_path):
    follow_page(page, tmp_path)


def test_a_wrong_block_or_output_is_noticed(tmp_path):
    shown = "[[ 1.  -0.5]\n ...]\nbody_1: ... within 2.5 mm"
    for printed, right in (
        ("[[1. -0.5004]\n [2. 3.]]\nbody_1: done within 2.5 mm\n", True),
        ("[[1. -0.6]\n [2. 3.]]\nbody_1: done within 2.5 mm\n", False),
        ("[[1. -0.5]\n [2. 3.]]\nbody_2: done within 2.5 mm\n", False),
        ("[[1. -0.5]\n [2. 3.]]\n", False),
    ):
        assert is_output(shown, printed) is right, printed
    page = tmp_path / "page.md"
    for text, words in (
        (
            "```python\nx = 1\n```\n```python\nassert x == 2, 'wrong'\n```\n",
            "page.md:4.*line 5.*wrong",
        ),
        ("```python\nprint(1)\n```\n\n```text\n2\n```\n", "page.md:1 shows"),
        ("```python no-test:\nx = 1\n```\n", "no-test needs a reason"),
    ):
        page.write_text(text)
        with pytest.raises(AssertionError, match=rf"(?s){words}"):
            follow_page(page, Path(mkdtemp(dir=tmp_path)))
