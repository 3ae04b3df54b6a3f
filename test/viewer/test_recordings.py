"""Recordings: times and positions, also as CSV, with the line of errors."""

import numpy as np
import pytest

from harness.cases import case
from rigid_tree_kinematics import load_robot
from rigid_tree_kinematics.errors import DescriptionError
from rigid_tree_kinematics.viewer.panels.recording import Recording, csv_bytes, read_csv


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


def test_old_cells_expire_and_time_does_not_run_backwards():
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


COMPILED = load_robot("ur5").compiled()


def test_a_written_recording_is_read_again():
    recording = Recording(6, 60.0)
    times = np.linspace(0.0, 2.0, 41)
    for time in times:
        recording.add(time, np.sin(time) * np.arange(6))
    text = csv_bytes(recording, COMPILED).decode()
    read, positions = read_csv(text, COMPILED, "a.csv")
    np.testing.assert_allclose(read, times, atol=1e-8)
    np.testing.assert_allclose(positions, recording.positions, atol=1e-8)
    # The rates are those of the sine, but for the ends.
    rate = recording.velocities[2:-2, 5]
    np.testing.assert_allclose(rate, 5 * np.cos(times[2:-2]), atol=3e-3)
    second = recording.accelerations[3:-3, 5]
    np.testing.assert_allclose(second, -5 * np.sin(times[3:-3]), atol=1e-2)


def test_what_is_wrong_has_its_line():
    for text, message in (
        ("", "a.csv:1: the first line"),
        ("time,elbow\n0,0\n1,0\n", "a.csv:1: the first line"),
        ("time,elbow_joint\n0,0\n", "two lines"),
        ("time,elbow_joint\n0,0\n0,1\n", "a.csv:3: the time must increase"),
        ("time,elbow_joint\n0,0\n1,nan\n", "a.csv:3: a line has 2 finite numbers"),
        ("time,elbow_joint\n0,0\n1\n", "a.csv:3: a line has 2 finite numbers"),
        ("time,elbow_joint\n0,0\n1,word\n", "a.csv:3: a line has 2 finite numbers"),
    ):
        with case(text), pytest.raises(DescriptionError, match=message):
            read_csv(text, COMPILED, "a.csv")


def test_joints_without_a_column_are_at_home():
    _, positions = read_csv("time,elbow_joint\n0,1\n1,2\n", COMPILED, "a.csv")
    elbow = COMPILED.position_names.index("elbow_joint")
    np.testing.assert_array_equal(positions[:, elbow], [1.0, 2.0])
    others = np.delete(positions, elbow, axis=1)
    np.testing.assert_array_equal(others, np.tile(np.delete(COMPILED.home, elbow), (2, 1)))
