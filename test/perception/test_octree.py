"""Cells in OctoMap's format: files of OctoMap 1.10, and round trips."""

import numpy as np
import pytest

from rigid_tree_kinematics.perception import octree_data

# What octomap::OcTree::writeBinaryData of liboctomap 1.10.0 wrote, and readBinaryData read.
WRITTEN = (
    ([[0, 0, 0]], "00c0" + 14 * "0300" + "0200"),
    (
        [[5, 2, -2], [25, 25, 25], [-16, 0, 100]],
        "c0f0000300030003000300030003000300030003000300030003000c003008000c000c000c000c000c00"
        "0c000c000c00000c000c0c000300000303000200030003000300030003000300030003000300030000c000c0030003000080",
    ),
)


def read(data: bytes) -> list[list[int]]:
    """Return the occupied cells of an octree's bytes, of those without larger leaves."""
    words = iter(np.frombuffer(data, dtype="<u2").tolist())
    cells = []

    def node(depth: int, corner: tuple[int, ...]) -> None:
        word = next(words)
        half = 1 << (15 - depth)
        for child in range(8):
            what = word >> (2 * child) & 3
            at = tuple(c + half * (child >> axis & 1) for axis, c in enumerate(corner))
            if what == 3:
                node(depth + 1, at)
            elif what:
                assert (what, depth) == (2, 15)
                cells.append([c - 32768 for c in at])

    if data:
        node(0, (0, 0, 0))
    assert next(words, None) is None
    return sorted(cells)


@pytest.mark.parametrize(("cells", "written"), WRITTEN)
def test_bytes_are_octomaps(cells, written):
    data = octree_data(np.array(cells))
    assert data.hex() == written
    assert read(data) == sorted(cells)


@pytest.mark.parametrize("reach", [2, 40, 32_767])
def test_any_cells_are_read_back(reach):
    rng = np.random.default_rng(reach)
    cells = np.unique(rng.integers(-reach - 1, reach + 1, (300, 3)), axis=0)
    assert read(octree_data(rng.permutation(cells))) == cells.tolist()


def test_no_cells_and_cells_beyond_an_octree():
    assert octree_data(np.empty((0, 3), dtype=np.int64)) == b""
    cells = np.array([[32_768, 0, 0], [0, -32_769, 0], [1, 2, 3]])
    assert read(octree_data(cells)) == [[1, 2, 3]]
