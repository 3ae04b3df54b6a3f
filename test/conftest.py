"""Settings of all tests."""

import os

from harness.domains import LOCALHOST

os.environ.update(LOCALHOST)
