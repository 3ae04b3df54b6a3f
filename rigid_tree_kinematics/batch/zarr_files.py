"""Files in Zarr format 2.

They are written here because a chunk must be a file that exists whole or not at all.
"""

from __future__ import annotations

import json
import zlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

LEVEL = 1  # of the compression


def group(attributes: dict[str, Any]) -> dict[str, bytes]:
    """Return the files of a group."""
    return {".zgroup": as_json({"zarr_format": 2}), ".zattrs": as_json(attributes)}


def array(
    name: str,
    shape: tuple[int, ...],
    chunks: tuple[int, ...],
    dtype: str,
    axes: tuple[str, ...],
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
