"""The table of joint types with their positions and velocities.

CompiledTree lays the table out for a whole robot. CONTRIBUTING.md describes how to add a type.
"""

import math
from dataclasses import dataclass

# Kinds of motion in the kernels. A rotation about a coordinate axis takes a fraction of the time
# of the general case. The axis' sign goes into the multiplier.
FIXED, REVOLUTE_X, REVOLUTE_Y, REVOLUTE_Z, REVOLUTE, PRISMATIC, PLANAR, FLOATING = range(8)

# Kinds of positions: a number on an interval (possibly infinite), an angle on a circle, and
# the four entries of a unit quaternion: x is QUATERNION, and y, z and w are QUATERNION_REST.
INTERVAL, CIRCLE, QUATERNION, QUATERNION_REST = range(4)


@dataclass(frozen=True)
class Position:
    """One entry of a joint's position.

    ``velocity`` is the entry of the joint's velocity that belongs to it, None for a quaternion's
    w; ``suffix`` follows the joint's name if the joint has several positions, as in MoveIt
    ("joint/x").
    """

    kind: int  # INTERVAL, CIRCLE, QUATERNION or QUATERNION_REST
    velocity: int | None
    suffix: str = ""
    is_angle: bool = False  # rad, not m
    home: float = 0.0  # where the limits allow it


@dataclass(frozen=True)
class JointType:
    """A type of joint.

    ``has_scalar_positions``: every position changes at the rate of its own velocity. The velocity
    of a floating joint is along the axes of its moved frame instead.
    """

    name: str  # as in URDF
    motion: int  # kind of motion; REVOLUTE and PLANAR for any axis
    positions: tuple[Position, ...]
    velocity_count: int
    default_limits: tuple[float, float] = (-math.inf, math.inf)
    may_have_limits: bool = True  # of its positions
    has_axis: bool = True
    has_scalar_positions: bool = True

    @property
    def position_count(self) -> int:
        """Number of entries of a position."""
        return len(self.positions)

    @property
    def quaternion(self) -> slice:
        """The slice of the unit quaternion (x, y, z, w) in the position; empty if none."""
        for start, position in enumerate(self.positions):
            if position.kind == QUATERNION:
                return slice(start, start + 4)
        return slice(0)


JOINT_TYPES = {
    joint_type.name: joint_type
    for joint_type in (
        JointType("fixed", FIXED, (), 0, has_axis=False),
        # The defaults of MathWorks' rigidBodyJoint: -pi to pi, and -0.5 to 0.5 m.
        JointType(
            "revolute",
            REVOLUTE,
            (Position(INTERVAL, 0, is_angle=True),),
            1,
            default_limits=(-math.pi, math.pi),
        ),
        JointType(
            "continuous", REVOLUTE, (Position(CIRCLE, 0, is_angle=True),), 1, may_have_limits=False
        ),
        JointType("prismatic", PRISMATIC, (Position(INTERVAL, 0),), 1, default_limits=(-0.5, 0.5)),
        # In the plane normal to the axis; velocities are the rates of the positions.
        JointType(
            "planar",
            PLANAR,
            (
                Position(INTERVAL, 0, "x"),
                Position(INTERVAL, 1, "y"),
                Position(CIRCLE, 2, "theta", is_angle=True),
            ),
            3,
        ),
        # Velocities are linear and angular along the axes of the moved joint frame.
        JointType(
            "floating",
            FLOATING,
            (
                Position(INTERVAL, 0, "trans_x"),
                Position(INTERVAL, 1, "trans_y"),
                Position(INTERVAL, 2, "trans_z"),
                Position(QUATERNION, 3, "rot_x"),
                Position(QUATERNION_REST, 4, "rot_y"),
                Position(QUATERNION_REST, 5, "rot_z"),
                Position(QUATERNION_REST, None, "rot_w", home=1.0),
            ),
            6,
            has_axis=False,
            has_scalar_positions=False,
        ),
    )
}

_BY_MOTION = {joint_type.motion: joint_type for joint_type in JOINT_TYPES.values()}
_OF_MOTIONS = [_BY_MOTION.get(motion, JOINT_TYPES["revolute"]) for motion in range(FLOATING + 1)]
# Numbers of positions and velocities of a joint, by kind of motion.
POSITION_COUNTS = tuple(joint_type.position_count for joint_type in _OF_MOTIONS)
VELOCITY_COUNTS = tuple(joint_type.velocity_count for joint_type in _OF_MOTIONS)
