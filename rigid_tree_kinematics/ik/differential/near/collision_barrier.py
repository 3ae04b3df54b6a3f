"""The barrier of bodies."""

from rigid_tree_kinematics.collision import CollisionChecker
from rigid_tree_kinematics.errors import ModelError
from rigid_tree_kinematics.ik.chain import positive

DECAY_RATE = 20.0  # 1/s


class CollisionBarrier:
    """Keeps the robot's bodies from each other and from the scene.

    The pairs are those of the checker; distances are those of its convex hulls and spheres, which
    contain the shapes. A concave mesh or a point cloud is avoided only where it is nearest to a
    body; its distance can be a few millimeters less for a moment. Each step and the stop after it
    are also checked as a whole: if a new contact is possible in spite of the barrier, exact
    distances are added, also of bodies whose hulls overlap; if that is not enough, the robot
    brakes.

    Args:
        checker: of the same robot, in its scene, whose changes are followed.
        minimum_distance: m, one for all, or two: of the robot's bodies to each other, and to the
            scene. Bodies of the robot that start nearer keep their distance.
        within: m; nearer bodies have a barrier.
        decay_rate: 1/s; a distance shrinks at most by this share of what is above the minimum.

    Example:
        >>> from rigid_tree_kinematics.collision import CollisionChecker
        >>> robot = load_robot("panda")
        >>> turns, barrier = JointVelocityTask(), CollisionBarrier(CollisionChecker(robot))
        >>> ik = DifferentialIK(robot, [turns], barriers=[barrier])
        >>> turns.set_target([0.0, 0.0, 0.0, -0.5, 0.0, 0.0, 0.0])
        >>> print([ik.step(0.01) for _ in range(200)][-1].message)
        Followed. Active: 'panda_link2' near 'panda_link4'.
    """

    def __init__(
        self,
        checker: CollisionChecker,
        minimum_distance: float | tuple[float, float] = 0.02,
        *,
        within: float = 0.15,
        decay_rate: float = DECAY_RATE,
    ) -> None:
        self.checker = checker
        given = (
            minimum_distance if isinstance(minimum_distance, tuple) else (minimum_distance,) * 2
        )
        own, scene = (positive(distance, "minimum_distance") for distance in given)
        self.minimum_distances = own, scene
        self.within = positive(within, "within")
        self.decay_rate = positive(decay_rate, "decay_rate")
        if within <= max(own, scene):
            raise ModelError(f"within ({within} m) must exceed the minimum distance")
