"""NAO's versions, joints, chains, effectors and sensors with ALMotion's names.

Sources: Aldebaran, NAOqi 1.14 and 2.8 documentation, "Effector and chain definitions" and
"Joint control API"; the numbers are in robots/nao.yaml.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.description import load_robot
from rigid_tree_kinematics.errors import UnknownNameError
from rigid_tree_kinematics.kinematics import body_transforms
from rigid_tree_kinematics.model import RigidBodyTree
from rigid_tree_kinematics.model.transforms import inverse
from rigid_tree_nao.errors import NaoError, unknown_name

# Version -> bundled robot. V5 and V6 differ in their electronics only.
VERSIONS = {
    "V6": "nao_v6",
    "V5": "nao_v5",
    "V50": "nao_v5",
    "V4": "nao_v4",
    "V40": "nao_v4",
    "V33": "nao_v33",
    "V3.3": "nao_v33",
    "V32": "nao_v32",
    "V3.2": "nao_v32",
}
BODY_TYPES = ("H25", "H21")  # H21 has neither wrists nor hands; there is no V6 of it

ARM = ("ShoulderPitch", "ShoulderRoll", "ElbowYaw", "ElbowRoll", "WristYaw", "Hand")
LEG = ("HipYawPitch", "HipRoll", "HipPitch", "KneePitch", "AnklePitch", "AnkleRoll")
FEET = ("LLeg", "RLeg")
# In the order of "Body".
CHAINS = {
    "Head": ("HeadYaw", "HeadPitch"),
    "LArm": tuple(f"L{joint}" for joint in ARM),
    "LLeg": tuple(f"L{joint}" for joint in LEG),
    "RLeg": tuple(f"R{joint}" for joint in LEG),
    "RArm": tuple(f"R{joint}" for joint in ARM),
}
GROUPS = ("Body", "Joints", "Actuators", "JointActuators", "Arms", "Legs")
SENSORS = (
    "CameraTop",
    "CameraBottom",
    *(f"Micro{place}" for place in ("Front", "Rear", "Left", "Right")),
    "Accelerometer",
    "Gyrometer",
    *(f"{side}Fsr{place}" for side in "LR" for place in ("FL", "FR", "RL", "RR")),
)
LEFT_HIP, RIGHT_HIP = "LHipYawPitch", "RHipYawPitch"  # one motor; the left one's command wins


@dataclass(frozen=True, eq=False)
class Placement:
    """Poses of the bodies at joint angles; the arrays are shared and must not be modified."""

    angles: bytes
    frames: Array  # (n, 4, 4), of all bodies in the base
    T_torso_base: Array
    soles: dict[str, Array]  # foot -> T_torso_sole


class NaoBody:
    """The joints of one version of NAO, with their limits, and its kinematic tree.

    Vectors are in the order of ALMotion's "Body", as ``joint_names``: ``lower`` and ``upper``
    limits (rad; hands: 0 closed, 1 open), ``velocity`` (rad/s) and ``torque`` (N m). Raises
    UnknownNameError for an unknown version or body type.
    """

    def __init__(self, version: str = "V6", body_type: str = "H25") -> None:
        if version not in VERSIONS:
            raise UnknownNameError("version", version, VERSIONS, "NAO")
        body_types = BODY_TYPES[:1] if version == "V6" else BODY_TYPES
        if body_type not in body_types:
            raise UnknownNameError("body type", body_type, body_types, f"NAO {version}")
        self.version = version
        self.body_type = body_type
        self.robot_name = robot_name(version, body_type)
        self.tree = load_robot(self.robot_name)
        present = {joint.name for joint in self.tree.joints if joint.type != "fixed"}
        self.chains = {
            chain: tuple(joint for joint in joints if joint in present)
            for chain, joints in CHAINS.items()
        }
        self.joint_names = tuple(joint for joints in self.chains.values() for joint in joints)
        self.index = {name: place for place, name in enumerate(self.joint_names)}
        joints = [self.tree.get_joint(name) for name in self.joint_names]
        self.lower: Array = np.array([joint.position_limits[0] for joint in joints], dtype=float)
        self.upper: Array = np.array([joint.position_limits[1] for joint in joints], dtype=float)
        self.velocity: Array = np.array([joint.velocity_limit for joint in joints])
        self.torque: Array = np.array([joint.effort_limit for joint in joints])

    @cached_property
    def free_tree(self) -> RigidBodyTree:
        """The tree with independent HipYawPitch joints, whose two sensors can differ."""
        tree = self.tree.copy()
        tree.get_joint(RIGHT_HIP).mimic = None
        return tree

    def placement(self, angles: Array) -> Placement:
        """Return the poses of all bodies of ``free_tree`` at angles (rad, order of "Body")."""
        index_of = self.free_tree.compiled().index_of
        frames = body_transforms(self.free_tree, self.configuration(angles))
        T_torso_base = inverse(frames[index_of("torso")])
        soles = {foot: T_torso_base @ frames[index_of(self.bodies[foot])] for foot in FEET}
        return Placement(angles.tobytes(), frames, T_torso_base, soles)

    @cached_property
    def hands(self) -> tuple[str, ...]:
        """The joints that ALMotion calls actuators; none on an H21."""
        return tuple(name for name in ("LHand", "RHand") if name in self.index)

    def names_of(self, group: str) -> tuple[str, ...]:
        """Return the joints of a name: a joint, a chain, or a group such as "Body" or "Arms".

        Raises NaoError for an unknown name.
        """
        if group in self.index:
            return (group,)
        if group in self.chains:
            return self.chains[group]
        if group in ("Body", "JointActuators"):
            return self.joint_names
        if group == "Joints":
            return tuple(name for name in self.joint_names if name not in self.hands)
        if group == "Actuators":
            return self.hands
        if group in ("Arms", "Legs"):
            return tuple(j for side in "LR" for j in self.chains[side + group[:-1]])
        if any(group in joints for joints in CHAINS.values()):
            raise NaoError(f"an {self.body_type} has no joint '{group}'")
        # Groups and chains first: the message ends before the last joints.
        known = (*GROUPS, *self.chains, *self.joint_names)
        raise unknown_name("joint or chain name", group, known)

    def joints(self, names: str | Sequence[str]) -> tuple[str, ...]:
        """Return the joints of one name or of several, in order.

        Raises NaoError for an unknown name, for a joint that is named twice, and for no name.
        """
        listed = [names] if isinstance(names, str) else list(names)
        if not listed:
            raise NaoError("no joint was given")
        found = tuple(joint for name in listed for joint in self.names_of(name))
        if len(set(found)) < len(found):
            twice = next(joint for joint in found if found.count(joint) > 1)
            raise NaoError(f"joint '{twice}' is given twice")
        return found

    def places(self, names: Iterable[str]) -> list[int]:
        """Return the indices of these joints in "Body". Raises KeyError for an unknown joint."""
        return [self.index[name] for name in names]

    def configuration(self, angles: Array) -> Array:
        """Return the configuration of ``free_tree`` (n,) at angles (n,) in the order of "Body"."""
        return np.asarray(angles, dtype=float)[self._tree_order]

    @cached_property
    def _tree_order(self) -> list[int]:
        return self.places(self.free_tree.joint_names)

    @cached_property
    def bodies(self) -> dict[str, str]:
        """Name of an effector, joint or sensor -> the tree's body with its frame."""
        frames = {name: name for name in (*CHAINS, *SENSORS)}
        frames["Torso"] = "torso"
        for body in self.tree.bodies:
            if body.joint.name in self.index:
                frames[body.joint.name] = body.name
        return frames


def robot_name(version: str, body_type: str = "H25") -> str:
    """Return the name of the bundled robot. Raises KeyError for an unknown version."""
    return VERSIONS[version] + ("_h21" if body_type == "H21" else "")


def known_version(text: str) -> str:
    """Return the version that a robot reports, such as "V6" for "V6.0"; empty if unknown."""
    short = text.upper().replace(".", "")
    return next((name for name in (short, short.rstrip("0")) if name in VERSIONS), "")


def per_joint(joints: Sequence[str], values: float | Sequence[float], what: str) -> list[float]:
    """Return one number for each of n joints, from one number for all or n of them.

    Raises NaoError for a wrong count; ``what`` names the numbers in the message.
    """
    listed = [values] * len(joints) if isinstance(values, (int, float)) else list(values)
    if len(listed) == 1:
        listed = listed * len(joints)
    if len(listed) != len(joints):
        raise NaoError(f"{len(listed)} {what}s for {len(joints)} joints")
    return [float(value) for value in listed]
