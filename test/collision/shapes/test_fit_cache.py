"""Fits on disk: only where nobody else can have written them."""

import logging

import numpy as np

from rigid_tree_kinematics.collision.shapes.fit_cache import cache_folder, kept


def test_a_fit_that_others_may_have_planted_is_made_again(monkeypatch, tmp_path, caplog):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    right, wrong = np.ones((1, 4)), np.zeros((1, 4))
    kept("planted", lambda: wrong)
    assert np.all(kept("planted", lambda: right) == wrong)  # it is on disk
    (tmp_path / "rigid_tree_kinematics").rename(tmp_path / "moved")
    (tmp_path / "rigid_tree_kinematics").symlink_to(tmp_path / "moved")
    (tmp_path / "moved" / "fits").chmod(0o777)
    with caplog.at_level(logging.WARNING):
        assert np.all(kept("planted", lambda: right) == right)
        assert np.all(kept("planted", lambda: right) == right)
    (record,) = caplog.records
    assert f"chmod go-w '{cache_folder().resolve()}'" in record.getMessage()
