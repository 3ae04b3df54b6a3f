"""Every block of code in the README and the manual works as it stands.

Pages without ROS here; those that start nodes are in test_blocks_with_nodes.py.
"""

import pytest

from harness.documents import blocks_of, follow_page, needs_ros, pages


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


def test_a_block_that_is_not_run_says_why(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("```python no-test:\nx = 1\n```\n")
    with pytest.raises(AssertionError):
        blocks_of(page)
