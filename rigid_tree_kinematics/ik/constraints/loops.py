"""Constraints that keep a robot's loops closed."""

from rigid_tree_kinematics.ik.constraints.bounds import DirectionBounds
from rigid_tree_kinematics.ik.constraints.constraints import Constraint, PoseTarget, PositionTarget
from rigid_tree_kinematics.model import RigidBodyTree
from rigid_tree_kinematics.model.transforms import transform

ORIGIN, Z = (0.0, 0.0, 0.0), (0.0, 0.0, 1.0)


def loop_constraints(tree: RigidBodyTree) -> list[Constraint]:
    """Return constraints, for inverse kinematics and planning, that close ``tree.loops``.

    Example:
        >>> from rigid_tree_kinematics import load_robot
        >>> from rigid_tree_kinematics.model import Loop
        >>> robot = load_robot("panda")
        >>> robot.loops = [Loop("grip", "panda_link8", "panda_link0", "ball")]
        >>> loop_constraints(robot)[0].reference
        'panda_link0'
    """
    constraints: list[Constraint] = []
    for loop in tree.loops:
        if loop.type == "fixed":
            constraints.append(PoseTarget(loop.frame, transform(), loop.other))
        else:
            constraints.append(PositionTarget(loop.frame, ORIGIN, loop.other))
        if loop.type == "revolute":
            constraints.append(DirectionBounds(loop.frame, Z, 0.0, reference=loop.other))
    return constraints
