"""Jobs that write rows as files of a Parquet data set."""

from __future__ import annotations

import io
from abc import abstractmethod
from typing import Any

from rigid_tree_kinematics.batch.job import BatchError, Files, Job, Work
from rigid_tree_kinematics.batch.run import described
from rigid_tree_kinematics.batch.zarr_files import as_json
from rigid_tree_kinematics.needed_packages import needs

MOST_ROWS = 10**12


class Rows(Work):
    """A prepared job of ``count`` rows or groups of rows, ``at_once`` of them in a chunk."""

    description_file = "_job.json"  # readers of data sets ignore names with an underscore

    def __init__(self, job: Job, count: int, at_once: int) -> None:
        if not (isinstance(count, int) and 1 <= count <= MOST_ROWS):
            raise BatchError(f"count must be a whole number from 1 to {MOST_ROWS}, not {count!r}")
        with needs("pyarrow", "writing Parquet files"):
            import pyarrow  # noqa: F401  # for the rows
        self._job, self._count, self._at_once = job, count, at_once
        self.chunk_count = -(-count // at_once)

    @abstractmethod
    def rows(self, chunk: int, numbers: range) -> list[tuple[Any, ...]]:
        """Return the rows with some numbers, in the order of the schema."""

    @abstractmethod
    def schema(self) -> Any:
        """Return pyarrow's schema."""

    def header(self) -> Files:
        """Return the description."""
        return {self.description_file: as_json({"job": described(self._job)})}

    def last_file(self, chunk: int) -> str:
        """Return the file of a chunk."""
        return f"part-{chunk:08d}.parquet"

    def compute(self, chunk: int) -> Files:
        """Return the file of a chunk."""
        import pyarrow as pa
        from pyarrow import parquet

        first = chunk * self._at_once
        numbers = range(first, min(first + self._at_once, self._count))
        columns = map(list, zip(*self.rows(chunk, numbers), strict=True))
        schema = self.schema()
        table = pa.table(dict(zip(schema.names, columns, strict=True)), schema=schema)
        content = io.BytesIO()
        parquet.write_table(table, content)
        return {self.last_file(chunk): content.getvalue()}
