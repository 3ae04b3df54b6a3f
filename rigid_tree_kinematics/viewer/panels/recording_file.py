"""Recordings as files: CSV, which spreadsheets open too."""

from __future__ import annotations

import csv
import io

import numpy as np

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.errors import DescriptionError
from rigid_tree_kinematics.model import CompiledTree
from rigid_tree_kinematics.viewer.panels.recording import Recording

TIME = "time"
MOST_ROWS = 100_000


def csv_bytes(recording: Recording, compiled: CompiledTree) -> bytes:
    """Return a recording as CSV: the time (s), then positions, velocities and accelerations.

    Their columns are named ``joint``, ``joint/velocity`` and ``joint/acceleration`` (rad, m, s).
    """
    names, scalars = compiled.position_names, np.flatnonzero(compiled.is_scalar)
    columns = {TIME: recording.times}
    columns |= {name: recording.positions[:, slot] for slot, name in enumerate(names)}
    for kind, values in (
        ("velocity", recording.velocities),
        ("acceleration", recording.accelerations),
    ):
        columns |= {f"{names[slot]}/{kind}": values[:, slot] for slot in scalars}
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(columns)
    rows = np.column_stack(list(columns.values()))
    writer.writerows([f"{value:.9g}" for value in row] for row in rows.tolist())
    return text.getvalue().encode()


def read_csv(text: str, compiled: CompiledTree, source: str) -> tuple[Array, Array]:
    """Return the times (n,) and configurations (n, nq) of a recording.

    Positions without a column are at home; other columns are ignored. Raises DescriptionError with
    the line for a text that is no recording of this robot.
    """
    rows = csv.reader(io.StringIO(text))
    try:
        head = next(rows, [])
        slots = {name: slot for slot, name in enumerate(compiled.position_names)}
        columns = {place: slots[name] for place, name in enumerate(head) if name in slots}
        if TIME not in head or not columns:
            raise DescriptionError(
                f"the first line must name a column '{TIME}' and joints of '{compiled.name}', "
                f"such as '{compiled.position_names[0]}'",
                source,
                1,
            )
        place = head.index(TIME)
        times: list[float] = []
        configurations: list[Array] = []
        for row in rows:
            if len(times) >= MOST_ROWS:
                raise DescriptionError(f"more than {MOST_ROWS} lines", source, rows.line_num)
            numbers = _numbers(row, len(head), source, rows.line_num)
            if times and numbers[place] <= times[-1]:
                raise DescriptionError("the time must increase", source, rows.line_num)
            q = compiled.home.copy()
            q[list(columns.values())] = numbers[list(columns)]
            times.append(float(numbers[place]))
            configurations.append(q)
    except csv.Error as error:
        raise DescriptionError(str(error), source, rows.line_num) from error
    if len(times) < 2:
        raise DescriptionError("a recording has two lines or more", source, 1)
    return np.array(times), np.array(configurations)


def _numbers(row: list[str], count: int, source: str, line: int) -> Array:
    try:
        numbers = np.array(row, dtype=np.float64)
    except ValueError:
        numbers = np.full(len(row), np.nan)
    if len(numbers) != count or not np.isfinite(numbers).all():
        raise DescriptionError(f"a line has {count} finite numbers", source, line)
    return numbers
