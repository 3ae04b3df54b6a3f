"""Every code block of the README and the manual works.

Pages without ROS here; those that start nodes are in test_blocks_with_nodes.py.
"""

import pytest

from harness.documents import blocks_of, follow_page, is_output, needs_ros, pages


@pytest.mark.parametrize(
    "page", [page for page in pages() if not needs_ros(page)], ids=lambda page: page.stem
)
def test_blocks(page, tmp_path):
    follow_page(page, tmp_path)


def test_a_wrong_block_is_noticed(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("```python\nx = 1\n```\ntext\n```python\nassert x == 2, 'wrong'\n```\n")
    (tmp_path / "folder").mkdir()
    with pytest.raises(AssertionError, match=r"(?s)page.md:5.*line 6.*wrong"):
        follow_page(page, tmp_path / "folder")


def test_skipped_block_has_a_reason(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("```python no-test:\nx = 1\n```\n")
    with pytest.raises(AssertionError):
        blocks_of(page)


def test_a_wrong_output_is_noticed(tmp_path):
    shown = "[[ 1.  -0.5]\n ...]\nbody_1: ... within 2.5 mm"
    for printed, right in (
        ("[[1. -0.5004]\n [2. 3.]]\nbody_1: done within 2.5 mm\n", True),
        ("[[1. -0.6]\n [2. 3.]]\nbody_1: done within 2.5 mm\n", False),
        ("[[1. -0.5]\n [2. 3.]]\nbody_2: done within 2.5 mm\n", False),
        ("[[1. -0.5]\n [2. 3.]]\n", False),
    ):
        assert is_output(shown, printed) is right, printed
    page = tmp_path / "page.md"
    page.write_text("```python\nprint(1)\n```\n\n```text\n2\n```\n")
    (tmp_path / "folder").mkdir()
    with pytest.raises(AssertionError, match=r"page.md:1 shows"):
        follow_page(page, tmp_path / "folder")
