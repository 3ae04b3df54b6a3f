"""A recording gives back what was seen when; it keeps no more than its time."""

import numpy as np
import pytest

from rigid_tree_kinematics.viewer.panels.recording import Recording


def filled(seconds, *times):
    recording = Recording(2, seconds)
    for time in times:
        recording.add(time, np.array([time, -time]))
    return recording


def test_it_gives_back_what_was_seen():
    recording = filled(60.0, 100.0, 100.5, 101.0)
    assert recording.duration == 1.0
    np.testing.assert_array_equal(recording.times, [0.0, 0.5, 1.0])
    np.testing.assert_array_equal(recording.positions[:, 0], [100.0, 100.5, 101.0])
    for time, seen in ((-1.0, 100.0), (0.0, 100.0), (0.49, 100.0), (0.5, 100.5), (9.0, 101.0)):
        np.testing.assert_array_equal(recording.at(time), [seen, -seen])


def test_what_is_old_goes_and_time_does_not_run_backwards():
    recording = filled(1.0, 0.0, 0.5, 1.2, 1.1, 1.2, 2.0)
    np.testing.assert_allclose(recording.times, [0.0, 0.8])
    np.testing.assert_allclose(recording.at(0.0), [1.2, -1.2])


def test_nothing_recorded():
    recording = filled(1.0, 3.0)
    recording.clear()
    assert recording.duration == 0.0
    assert recording.positions.shape == (0, 2)
    assert len(recording.times) == 0
    with pytest.raises(IndexError):
        recording.at(0.0)
