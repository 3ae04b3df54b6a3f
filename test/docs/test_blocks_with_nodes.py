"""Every code block of the pages that start nodes works, from top to bottom."""

import pytest

from harness.documents import follow_page, needs_ros, pages


@pytest.mark.parametrize("page", filter(needs_ros, pages()), ids=lambda page: page.stem)
def test_blocks(page, tmp_path):
    follow_page(page, tmp_path)
