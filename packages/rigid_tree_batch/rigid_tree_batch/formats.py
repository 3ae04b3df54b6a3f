"""Files of results: of the Zarr format, version 2, and of a Parquet dataset.

Zarr files are written here because chunks must be written atomically.
"""

import io
import json
import zlib
from abc import abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigid_tree_batch.job import Files, Job, Work, require_whole
from rigid_tree_batch.run import described
from rigid_tree_kinematics.needed_packages import needs

LEVEL = 1  # of the compression


def group(attributes: dict[str, Any]) -> dict[str, bytes]:
    """Return the files of a group."""
    return {".zgroup": as_json({"zarr_format": 2}), ".zattrs": as_json(attributes)}


def array(
    name: str, shape: tuple[int, ...], chunks: tuple[int, ...], dtype: str, axes: tuple[str, ...]
) -> dict[str, bytes]:
    """Return the metadata files of an array; ``axes`` are xarray's dimension names."""
    description = {
        "zarr_format": 2,
        "shape": shape,
        "chunks": chunks,
        "dtype": np.dtype(dtype).str,
        "compressor": {"id": "zlib", "level": LEVEL},
        "fill_value": 0,
        "order": "C",
        "filters": None,
        "dimension_separator": ".",
    }
    return {
        f"{name}/.zarray": as_json(description),
        f"{name}/.zattrs": as_json({"_ARRAY_DIMENSIONS": axes}),
    }


def whole(name: str, values: NDArray[Any], axes: tuple[str, ...]) -> dict[str, bytes]:
    """Return the files of a small array of one chunk."""
    files = array(name, values.shape, values.shape, values.dtype.str, axes)
    return files | {chunk_name(name, (0,) * values.ndim): chunk(values)}


def chunk_name(name: str, place: tuple[int, ...]) -> str:
    """Return the file of an array's chunk."""
    return f"{name}/{'.'.join(map(str, place))}"


def chunk(values: NDArray[Any]) -> bytes:
    """Return the content of a chunk; chunks at the end of an array are padded."""
    return zlib.compress(np.ascontiguousarray(values).tobytes(), LEVEL)


def as_json(value: Any) -> bytes:
    """Return a value as JSON."""
    return (json.dumps(value, indent=1, sort_keys=True) + "\n").encode()


class Rows(Work):
    """A prepared job of ``count`` rows or groups of rows, ``at_once`` of them in a chunk."""

    description_file = "_job.json"  # readers of datasets ignore names with an underscore

    def __init__(self, job: Job, count: int, at_once: int) -> None:
        require_whole("count", count)
        with needs("pyarrow", "writing Parquet files"):
            import pyarrow  # noqa: F401  # for the rows
        self._job, self._count, self._at_once = job, count, at_once
        self.chunk_count = -(-count // at_once)

    @abstractmethod
    def rows(self, chunk: int, numbers: range) -> list[tuple[Any, ...]]:
        """Return the rows with these numbers, with columns in the order of the schema."""

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
