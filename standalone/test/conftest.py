"""A separate ROS domain for each test file."""

from collections.abc import Iterator

import pytest

from harness.start.domains import Domain


@pytest.fixture(scope="module", autouse=True)
def own_domain() -> Iterator[None]:
    domain = Domain()
    with pytest.MonkeyPatch.context() as patch:
        for name, value in domain.environment.items():
            patch.setenv(name, value)
        yield
    domain.close()
