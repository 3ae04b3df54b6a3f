"""The simulated NAO: drives, walk, tasks and self-collision."""

from rigid_tree_nao.simulated.robot.curves import (
    Curve,
    bezier_curve,
    checked_times,
    smooth_curve,
)
from rigid_tree_nao.simulated.robot.robot import (
    CYCLE,
    WALK,
    SimulatedRobot,
    stiffness_of,
)
from rigid_tree_nao.simulated.robot.self_collision import SelfCollision
from rigid_tree_nao.simulated.robot.tasks import Late, Step, Task
from rigid_tree_nao.simulated.robot.walk import (
    GAIT,
    PREFERRED,
    STEP_PERIOD,
    WalkTrajectory,
    highest_velocity,
    move_config,
    seconds_for,
)
