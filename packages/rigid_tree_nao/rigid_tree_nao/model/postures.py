"""NAO's named postures: joint angles (rad; hands 0 closed to 1 open) and families.

StandInit: Aldebaran's documentation. The others: recorded from robots in qiBullet (SoftBank
Robotics, Apache 2.0), rounded, with both sides equal where intended. These are the simulated
robot's; a real robot has its own postures.
"""

from collections.abc import Sequence

import numpy as np

from rigid_tree_kinematics.arrays import Array
from rigid_tree_nao.errors import unknown_name
from rigid_tree_nao.model.body import ARM, LEG, NaoBody

FAMILIES = {
    **dict.fromkeys(("StandInit", "StandZero", "Stand"), "Standing"),
    **{"Crouch": "Crouching", "Sit": "Sitting", "SitRelax": "SittingOnBack"},
    **{"LyingBelly": "LyingBelly", "LyingBack": "LyingBack"},
}
# Head; left arm and leg in the order of ARM and LEG; then right ones unless they are mirrored.
_ANGLES: dict[str, tuple[list[float], ...]] = {
    "StandInit": ([0, 0], [1.4, 0.3, -1.39, -1.01, 0, 0.25], [0, 0, -0.45, 0.7, -0.35, 0]),
    "StandZero": ([0, 0], [0, 0.0087, 0, -0.0349, 0, 0], [0, 0, 0, 0, 0, 0]),
    "Stand": (
        [0, -0.17],
        [1.4426, 0.2245, -1.2023, -0.4173, 0.1, 0.3],
        [-0.17, 0.1191, 0.1274, -0.0923, 0.0874, -0.1108],
    ),
    "Crouch": (
        [0, 0.1],
        [1.3969, 0.1596, -0.7917, -1.0737, 0.15, 0],
        [-0.25, -0.08, -0.7, 2.11, -1.18, 0.077],
    ),
    "Sit": (
        [0, -0.04],
        [0.91, 0.289, -0.49, -1.211, 0, 0.29],
        [-0.6074, 0.266, -1.534, 1.396, 0.844, 0],
    ),
    "SitRelax": (
        [0, 0.018],
        [2.0857, 0.121, -2.0785, -0.121, -0.95, 0.139],
        [-0.5215, 0.176, -1.0876, -0.0667, 0.922, 0],
    ),
    "LyingBelly": (
        [-0.688, -0.3073],
        [-1.1655, 0.1338, -0.1669, -1.0827, -1.5939, 0.0124],
        [-0.0214, 0.0798, 0.2992, -0.0923, 0.7424, -0.0122],
        [-0.672, -0.4223, 0.7064, 1.5084, 1.626, 0.1716],
        [-0.0214, -0.1656, 0.1242, -0.0905, 0.922, 0],
    ),
    "LyingBack": (
        [-0.0031, 0.1534],
        [1.6778, 0.2149, -0.8804, -1.5316, 0.2469, 0.3032],
        [-0.5108, 0.112, 0.3759, -0.0923, 0.8636, -0.0383],
        [1.6933, -0.2433, 0.879, 1.5446, 0.1794, 0.3608],
        [-0.5108, -0.0828, -0.4004, 1.7381, 0.6459, -0.2822],
    ),
}
POSTURES = tuple(sorted(_ANGLES))
# Angles about x and z change their sign from one side to the other; those about y do not.
_MIRRORED = ("Roll", "ElbowYaw", "WristYaw")
NEAR = 0.15  # rad: largest deviation of a joint at which a posture is recognized


def posture_angles(body: NaoBody, name: str) -> dict[str, float]:
    """Return joint -> angle (rad) of a posture, for the joints that the body has.

    The case of the name does not matter. Raises NaoError for an unknown posture.
    """
    matches = [posture for posture in POSTURES if posture.lower() == name.lower()]
    if not matches:
        raise unknown_name("posture", name, POSTURES)
    head, arm, leg, *right = _ANGLES[matches[0]]
    angles = dict(zip(("HeadYaw", "HeadPitch"), head, strict=True))
    left = dict(zip((*ARM, *LEG), (*arm, *leg), strict=True))
    if right:
        other = dict(zip((*ARM, *LEG), (*right[0], *right[1]), strict=True))
    else:
        other = {name: -v if name.endswith(_MIRRORED) else v for name, v in left.items()}
    angles |= {f"L{joint}": angle for joint, angle in left.items()}
    angles |= {f"R{joint}": angle for joint, angle in other.items()}
    return {joint: float(angle) for joint, angle in angles.items() if joint in body.index}


def posture_at(body: NaoBody, angles: Array, joints: Sequence[str] = ()) -> str:
    """Return the posture at angles (rad, order of "Body"), or "Unknown".

    Only ``joints`` are compared, by default all but the hands.
    """
    joints = joints or [name for name in body.joint_names if name not in body.hands]
    present = angles[body.places(joints)]

    def distance(name: str) -> float:
        wanted = posture_angles(body, name)
        return float(np.max(np.abs(present - [wanted[joint] for joint in joints])))

    nearest = min(POSTURES, key=distance)
    return nearest if distance(nearest) < NEAR else "Unknown"
