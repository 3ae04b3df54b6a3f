"""ALMotion's read-only methods, computed from the model without a robot."""

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.errors import ConfigurationError
from rigid_tree_kinematics.model.transforms import inverse
from rigid_tree_nao.errors import NaoError, unknown_name
from rigid_tree_nao.model import pose as poses
from rigid_tree_nao.model.body import (
    CHAINS,
    FEET,
    LEFT_HIP,
    RIGHT_HIP,
    SENSORS,
    NaoBody,
    Placement,
    per_joint,
)
from rigid_tree_nao.model.joint_limits import couple_hips

SPACES = {poses.SPACE_TORSO: "torso", poses.SPACE_WORLD: "world", poses.SPACE_ROBOT: "robot"}
WHOLE = ("Body", "Joints", "Com")  # names of the robot's total mass
FOOT_CORNERS = ("FL", "FR", "RL", "RR")
IN_CONTACT = 5e-3  # m above the ground, up to which a foot is in contact


class NaoMotionModel:
    """NAO's body with commanded and sensed joint angles, with ALMotion's method names.

    Methods have ALMotion's names in PEP 8 spelling and its order of arguments; names are
    those of joints, chains ("LArm"), groups ("Body", "Joints", "Actuators", "JointActuators",
    "Arms", "Legs") or lists of these. Angles are in rad (hands: 0 closed, 1 open), lengths in m,
    spaces 0 (torso), 1 (world) and 2 (robot: between the feet, z upwards). The world's origin is
    the initial place of the robot; the support foot is flat on the ground.

    The model is pure geometry and takes any finite angle; ``get_limits`` returns the limits, which
    the robot enforces.

    Args:
        version: "V6", "V5", "V4", "V33" or "V32".
        body_type: "H25", or "H21" without wrists and hands.

    Raises UnknownNameError for an unknown version or body type. Methods raise NaoError for names
    and spaces that do not exist, and ConfigurationError for angles that are not finite.

    Example:
        >>> nao = NaoMotionModel("V6")
        >>> nao.set_angles(["LShoulderPitch", "LElbowRoll"], [0.5, -1.0])
        >>> np.round(nao.get_position("LArm", 0, False)[:3], 3).tolist()  # m, from the torso
        [0.187, 0.134, 0.102]
    """

    def __init__(self, version: str = "V4", body_type: str = "H25") -> None:
        self.body = NaoBody(version, body_type)
        tree = self.body.tree
        home = tree.configuration_by_name(tree.home_configuration())
        home[RIGHT_HIP] = home[LEFT_HIP]
        self.commands: Array = np.array([home[name] for name in self.body.joint_names])
        self.sensors: Array = self.commands.copy()
        self.stiffnesses: Array = np.zeros(len(self.commands))
        self.velocity = [0.0, 0.0, 0.0]  # of the walk: m/s, m/s, rad/s
        self.next_position: list[float] | None = None  # of a walk
        self._compiled = self.body.free_tree.compiled()
        self._known: dict[bool, Placement] = {}  # by use_sensors
        self._stance_of: tuple[Placement, Array] | None = None  # and the place of the robot
        self._stance = poses.Stance(self._placement(False).soles)

    def get_body_names(self, name: str = "Body") -> list[str]:
        """Return the joints of a group or a chain; for "Chains" the chains."""
        return list(CHAINS) if name == "Chains" else list(self.body.names_of(name))

    get_joint_names = get_body_names  # the older name

    def get_sensor_names(self) -> list[str]:
        """Return the sensors that ``get_position`` accepts."""
        return list(SENSORS)

    def get_angles(self, names: str | Sequence[str], use_sensors: bool = False) -> list[float]:
        """Return the sensed or the commanded angles (rad), one for each joint."""
        places = self.body.places(self.body.joints(names))
        angles = self.sensors if use_sensors else self.commands
        return [float(angle) for angle in angles[places]]

    def set_angles(
        self,
        names: str | Sequence[str],
        angles: float | Sequence[float],
        fraction_max_speed: float = 1.0,
    ) -> None:
        """Set the commanded angles (rad), one for all joints or one each, and the sensed ones.

        One motor moves both HipYawPitch joints: if their angles differ, the left one's is used.
        ``fraction_max_speed`` has no effect in a model without time.
        """
        commands = couple_hips(self.body, self._by_joint(names, angles))
        for name, angle in commands.items():
            place = self.body.index[name]
            self.commands[place] = self.sensors[place] = angle
        self.update_stance()

    def set_sensor_angles(
        self, names: str | Sequence[str], angles: float | Sequence[float]
    ) -> None:
        """Set the sensed angles (rad), one for all joints or one each, but not the commands."""
        for name, angle in self._by_joint(names, angles).items():
            self.sensors[self.body.index[name]] = angle
        self.update_stance()

    def get_stiffnesses(self, names: str | Sequence[str]) -> list[float]:
        """Return the stiffness of each joint, from 0 to 1."""
        places = self.body.places(self.body.joints(names))
        return [float(value) for value in self.stiffnesses[places]]

    def get_limits(self, name: str) -> list[list[float]]:
        """Return [minimum (rad), maximum (rad), speed (rad/s), torque (N m)] for each joint."""
        body = self.body
        rows = np.stack((body.lower, body.upper, body.velocity, body.torque), axis=1)
        return [[float(v) for v in rows[place]] for place in body.places(body.names_of(name))]

    def get_position(self, name: str, space: int, use_sensors: bool = False) -> list[float]:
        """Return x, y, z (m), wx, wy, wz (rad) of an effector, joint or sensor."""
        return poses.position6d(self.pose(name, space, use_sensors))

    def get_transform(self, name: str, space: int, use_sensors: bool = False) -> list[float]:
        """Return the pose (4x4) of an effector, joint or sensor: 16 numbers, row by row."""
        return [float(value) for value in self.pose(name, space, use_sensors).ravel()]

    def get_robot_position(self, use_sensors: bool = False) -> list[float]:
        """Return x, y (m), theta (rad) of FRAME_ROBOT in the world."""
        return poses.place_of(self._stance.robot(self._placement(use_sensors).soles))

    def get_next_robot_position(self) -> list[float]:
        """Return x, y (m), theta (rad) after the next steps; the current place without a walk."""
        return list(self.next_position or self.get_robot_position(False))

    def get_robot_velocity(self) -> list[float]:
        """Return the walk's velocity in FRAME_ROBOT: m/s, m/s, rad/s."""
        return list(self.velocity)

    def pose(self, name: str, space: int, use_sensors: bool) -> Array:
        """Return the pose (4x4) of an effector, joint or sensor in a space."""
        if name not in self.body.bodies:
            raise unknown_name("effector, joint or sensor name", name, self.body.bodies)
        now = self._placement(use_sensors)
        frame = now.frames[self._compiled.index_of(self.body.bodies[name])]
        return np.asarray(self._from_torso(space, use_sensors) @ (now.T_torso_base @ frame))

    def place_robot(self, x: float, y: float, theta: float) -> None:
        """Place the robot at x, y (m), theta (rad) in the world without moving its joints."""
        self._stance.place(self._placement(False).soles, x, y, theta)

    def update_stance(self) -> None:
        """Choose the support foot after changes of ``commands`` or ``sensors``."""
        now, stance = self._placement(False), self._stance
        if self._stance_of is None or not (
            self._stance_of[0] is now and self._stance_of[1] is stance.T_world_support
        ):
            stance.update(now.soles)
            self._stance_of = now, stance.T_world_support

    def get_mass(self, name: str) -> float:
        """Return the mass (kg) of "Body", a chain, a joint's link or "Torso".

        "Joints" and "Com" are other names of "Body" here and in ``get_com``, as in ALMotion.
        """
        return float(self._compiled.mass[self._rows(name)].sum())

    def get_com(self, name: str, space: int, use_sensors: bool = False) -> list[float]:
        """Return the center of mass (m) of "Body", a chain, a joint's link or "Torso"."""
        rows = self._rows(name)
        masses = self._compiled.mass[rows]
        if masses.sum() <= 0.0:
            raise NaoError(f"'{name}' has no mass of its own")
        frames = self._placement(use_sensors).frames[rows]
        centers = frames[:, :3, :3] @ self._compiled.center_of_mass[rows][..., None]
        points = centers[..., 0] + frames[:, :3, 3]
        center = np.append(masses @ points / masses.sum(), 1.0)
        return [float(value) for value in (self._from_torso(space, use_sensors) @ center)[:3]]

    def get_support_polygon(self, space: int, use_sensors: bool = False) -> list[list[float]]:
        """Return the corners [x, y] (m) of the support polygon, counter-clockwise.

        It contains the four pressure sensors of each foot in contact.
        """
        to_space = self._from_torso(space, use_sensors) @ inverse(
            self._from_torso(poses.SPACE_WORLD, use_sensors)
        )
        corners = []
        for foot in FEET:
            points = [
                self.pose(f"{foot[0]}Fsr{corner}", poses.SPACE_WORLD, use_sensors)[:3, 3]
                for corner in FOOT_CORNERS
            ]
            if foot == self._stance.support or max(point[2] for point in points) < IN_CONTACT:
                corners += points
        ground = np.array(corners) @ to_space[:3, :3].T + to_space[:3, 3]
        from scipy.spatial import ConvexHull  # here, since other methods do not need SciPy

        hull = ConvexHull(ground[:, :2])
        return [list(corner) for corner in ground[hull.vertices, :2].tolist()]

    def get_summary(self) -> str:
        """Return a table of all joints: stiffness, command and sensor."""
        lines = [f"{'joint':>16}{'stiffness':>12}{'command':>12}{'sensor':>12}"]
        columns = (self.stiffnesses, self.commands, self.sensors)
        for name, *values in zip(self.body.joint_names, *columns, strict=True):
            lines.append(f"{name:>16}" + "".join(f"{value:12.6f}" for value in values))
        return "\n".join(lines)

    def _by_joint(
        self, names: str | Sequence[str], angles: float | Sequence[float]
    ) -> dict[str, float]:
        joints = self.body.joints(names)
        values = per_joint(joints, angles, "angle")
        if not np.isfinite(values).all():
            raise ConfigurationError(f"angles must be finite numbers: {values}")
        return dict(zip(joints, values, strict=True))

    def _placement(self, use_sensors: bool) -> Placement:
        """Return the poses of all bodies; the same object until a joint moves."""
        angles = self.sensors if use_sensors else self.commands
        known = self._known.get(use_sensors)
        if known is None or known.angles != angles.tobytes():
            known = self._known[use_sensors] = self.body.placement(angles)
        return known

    def _from_torso(self, space: int, use_sensors: bool) -> Array:
        """Return T_space_torso."""
        if space not in SPACES:
            known = ", ".join(f"{number} ({name})" for number, name in SPACES.items())
            raise NaoError(f"unknown space {space}; known: {known}")
        if space == poses.SPACE_TORSO:
            return np.eye(4)
        soles = self._placement(use_sensors).soles
        T_world_torso = self._stance.torso(soles)
        if space == poses.SPACE_WORLD:
            return T_world_torso
        return inverse(self._stance.robot(soles)) @ T_world_torso

    def _rows(self, name: str) -> list[int]:
        """Return the indices of the bodies whose masses belong to a name."""
        if name in WHOLE:
            return list(range(len(self._compiled.body_names)))
        if name == "Torso":
            return [self._compiled.index_of("torso")]
        moved = {self.body.bodies[joint] for joint in self.body.names_of(name)}
        return [row for row, carrier in enumerate(self._carriers) if carrier in moved]

    @cached_property
    def _carriers(self) -> list[str]:
        """Return for each body its nearest ancestor, or itself, that is moved by a joint."""
        carriers: list[str] = []
        moving = {self.body.bodies[joint] for joint in self.body.joint_names}
        for row, name in enumerate(self._compiled.body_names):
            parent = int(self._compiled.parents[row])
            carriers.append(name if name in moving or parent < 0 else carriers[parent])
        return carriers
