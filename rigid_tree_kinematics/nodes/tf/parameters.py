"""Parameters of tree_state_publisher."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from rigid_tree_kinematics.errors import ConfigurationError
from rigid_tree_kinematics.model.transforms import matrix_quaternion, rpy_matrix
from rigid_tree_kinematics.nodes.common.process import Parameters, at_start, parameter
from rigid_tree_kinematics.nodes.common.requests import SECOND


@dataclass(frozen=True)
class PublisherSettings(Parameters):
    """The node's parameters, besides those that name its robot."""

    publish_frequency: float = parameter(
        0.0,
        "Highest rate of a joint's frames on /tf, by the stamps of the joint states. 0: every "
        "joint state is published.",
        low=0.1,
        high=100_000.0,
        or_zero=True,
        unit="Hz",
    )
    frame_prefix: str = parameter("", "Prefix of every frame name, such as 'left/'.")
    parent_frame: str = at_start(
        "",
        "Parent frame of the robot's base, such as 'world'; it has no prefix. Empty: none.",
    )
    base_pose: tuple[float, ...] = at_start(
        (0.0, 0.0, 0.0, 0.0, 0.0, 0.0),
        "Pose of the base in parent_frame: x, y, z in m, roll, pitch, yaw in rad.",
    )
    meshes: str = at_start(
        "simple",
        "Shapes to draw. real: the maker's meshes of the bundled Panda or UR5 that parameter "
        "robot names, from the Python package example-robot-data.",
        choices=("simple", "real"),
    )
    ignore_timestamp: bool = parameter(
        False,
        "Publish every joint state, also one whose stamp is older than the last one's or follows "
        "sooner than publish_frequency allows.",
    )
    await_joint_states: bool = parameter(
        False,
        "Whether a source of joint states is also starting: warn only after its first message.",
    )
    stamp_jump: float = parameter(
        1.0,
        "A joint state whose stamp is older than the last one's by more than this is not late: a "
        "clock was set back. It is published.",
        low=0.0,
        high=3600.0,
        unit="s",
    )

    @cached_property
    def interval(self) -> int:
        """The minimum time between two published stamps, ns."""
        return round(SECOND / self.publish_frequency) if self.publish_frequency else 0

    @cached_property
    def base(self) -> NDArray[np.float64]:
        """The pose of the base in its parent: x y z qx qy qz qw."""
        turn = matrix_quaternion(rpy_matrix(*self.base_pose[3:]))
        return np.array([*self.base_pose[:3], *turn])

    def check(self) -> None:
        """Raise ConfigurationError for a pose that has not six numbers."""
        if len(self.base_pose) != 6:
            count = len(self.base_pose)
            raise ConfigurationError(f"parameter 'base_pose' has 6 numbers, not {count}")
