"""The columns of ``CompiledTree.table``; kernels import only these and joint_types.py."""

# Columns of ``table``: one row a body, row 0 the base. One float64 table, whole numbers included,
# because each further array argument adds a tenth of a microsecond to a kernel call.
FIXED_TRANSFORM = 0  # 12 numbers: parent body -> joint frame, rows 0-2 of the 4x4, row-major
CHILD_TRANSFORM = 12  # 12 numbers: joint frame -> child body
AXIS = 24  # 3 numbers: the axis in the joint frame
MULTIPLIER = 27  # position of the joint = multiplier * q[POSITION] + offset
OFFSET = 28
PARENT = 29  # row of the parent body, -1 for the base
KIND = 30  # the kind of motion, see joint_types.py
POSITION = 31  # first entry in q and in v, of the source for a mimic joint; -1 if fixed
VELOCITY = 32
MOVED_CHILD = 33  # 1 where the child transform is not the identity
TABLE_COLUMNS = 34
