"""The kernel that transforms the pieces of obstacles to their poses."""

from rigid_tree_kinematics.arrays import Array, Integers
from rigid_tree_kinematics.collision.world.arrays import INVERSE, OBSTACLE_HULL, OBSTACLE_SPHERE
from rigid_tree_kinematics.kernels import BATCH, MATRIX, kernel, types
from rigid_tree_kinematics.kinematics.motion import read_transform
from rigid_tree_kinematics.kinematics.vectors import transformed, vector

SPHERE = 6  # of a row of bounds: low and high corner of a box, then a sphere
BOUND_COLUMNS = 10


@kernel(
    types.void(types.int64[::1], BATCH, MATRIX, MATRIX, MATRIX, MATRIX, MATRIX), allocates=False
)
def place_pieces(
    rows: Integers,
    poses: Array,
    shapes: Array,
    corners: Array,
    obstacles: Array,
    bounds: Array,
    placed: Array,
) -> None:
    """Write the values of some rows that depend on the poses (W, 4, 4).

    ``shapes`` and ``bounds`` (W, BOUND_COLUMNS) hold boxes and spheres in the frames of the shapes
    and in the base frame, ``corners`` and ``placed`` (D, 3) the hulls' corners likewise.
    ``obstacles`` is that of ``ConservativeModel``.
    """
    for k in range(rows.shape[0]):
        row = rows[k]
        pose = poses[row]
        for i in range(3):
            shift = 0.0
            half, middle = 0.0, pose[i, 3]
            for j in range(3):
                obstacles[row, INVERSE + 4 * i + j] = pose[j, i]
                shift -= pose[j, i] * pose[j, 3]
                half += abs(pose[i, j]) * 0.5 * (shapes[row, 3 + j] - shapes[row, j])
                middle += pose[i, j] * 0.5 * (shapes[row, 3 + j] + shapes[row, j])
            obstacles[row, INVERSE + 4 * i + 3] = shift
            bounds[row, i], bounds[row, 3 + i] = middle - half, middle + half
        m = read_transform(poses, row)
        x, y, z = transformed(m, vector(shapes, row, SPHERE))
        bounds[row, SPHERE], bounds[row, SPHERE + 1], bounds[row, SPHERE + 2] = x, y, z
        bounds[row, SPHERE + 3] = shapes[row, SPHERE + 3]
        for c in range(4):
            obstacles[row, OBSTACLE_SPHERE + c] = bounds[row, SPHERE + c]
        first, last = int(obstacles[row, OBSTACLE_HULL]), int(obstacles[row, OBSTACLE_HULL + 1])
        for at in range(first, last):
            placed[at, 0], placed[at, 1], placed[at, 2] = transformed(m, vector(corners, at, 0))
