"""A cached kernel does not outlive a change of what is inlined into it."""

import os
from pathlib import Path

from rigid_tree_kinematics.kernel_cache import discard_stale_kernels


def test_kernels_older_than_any_source_of_kernels_go(tmp_path: Path) -> None:
    room, cache = tmp_path / "room", tmp_path / "room" / "__pycache__"
    cache.mkdir(parents=True)
    part, plain = room / "part.py", room / "plain.py"
    part.write_text("from numba import njit\n")
    plain.write_text("pass\n")
    old, new = cache / "a.nbi", cache / "b.nbi"
    for path, time in ((old, 100), (part, 200), (new, 300), (plain, 400)):
        path.touch()
        os.utime(path, (time, time))
    assert discard_stale_kernels(tmp_path) == 1
    assert not old.exists()
    assert new.exists()
    assert discard_stale_kernels(tmp_path) == 0
