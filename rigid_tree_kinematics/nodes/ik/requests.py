"""The parameters and the robot of ik_server, and service requests and replies."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import TYPE_CHECKING

from rclpy.time import Time
from rigid_tree_interfaces.srv import ComputeFK, SolveIK
from sensor_msgs.msg import JointState

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.deadline import Deadline
from rigid_tree_kinematics.errors import ConfigurationError
from rigid_tree_kinematics.ik import IKResult, IKStatus, InverseKinematics, free_solutions
from rigid_tree_kinematics.kinematics import body_transforms
from rigid_tree_kinematics.model import RigidBodyTree
from rigid_tree_kinematics.model.transforms import inverse
from rigid_tree_kinematics.nodes.common.process import LARGEST_INTEGER, Parameters, parameter
from rigid_tree_kinematics.nodes.common.requests import seconds_of
from rigid_tree_kinematics.nodes.common.robot import Robot, RobotDescription
from rigid_tree_kinematics.nodes.tf import Target, pose_message, read_target
from rigid_tree_kinematics.text import told_apart

if TYPE_CHECKING:
    from rigid_tree_kinematics.collision import CollisionChecker


LONGEST_TIMEOUT = 600.0  # s
SOLVERS_CACHED = 64  # limits the memory for requests with many different problems
MOST_BODIES = 10_000  # of a request for forward kinematics, which takes about a second
CODES = {
    IKStatus.CONVERGED: SolveIK.Response.SUCCESS,
    IKStatus.UNREACHABLE: SolveIK.Response.UNREACHABLE,
    IKStatus.NOT_CONVERGED: SolveIK.Response.UNREACHABLE,
    IKStatus.OUT_OF_TIME: SolveIK.Response.OUT_OF_TIME,
}

Solvers = Callable[..., InverseKinematics]


@dataclass(frozen=True)
class IkSettings(Parameters):
    """The values of the parameters."""

    timeout: float = parameter(
        0.1,
        "Default timeout of requests, including waiting for TF, on a steady clock.",
        low=0.001,
        high=60.0,
        unit="s",
    )
    position_tolerance: float = parameter(
        1e-6, "Default position tolerance of requests.", 1e-9, 0.1, unit="m"
    )
    orientation_tolerance: float = parameter(
        1e-6, "Default orientation tolerance of requests.", 1e-9, 0.5, unit="rad"
    )
    max_restarts: int = parameter(
        100,
        "Number of random seeds tried after the request's seed before a target is unreachable.",
        low=0,
        high=100_000,
    )
    random_seed: int = parameter(
        0, "Random seed: equal requests get equal answers.", 0, LARGEST_INTEGER
    )
    frame_prefix: str = parameter("", "Prefix of the robot's frame names in TF, such as 'left/'.")
    tracked_body: str = parameter("", "The link that follows topic ik_target. Empty: none.")
    tracked_base: str = parameter(
        "", "The link that the target is relative to. Empty: the robot's root."
    )
    tracking_rate: float = parameter(
        100.0,
        "How often ik_joint_states is published while targets are recent.",
        low=1.0,
        high=1000.0,
        unit="Hz",
    )
    tracking_timeout: float = parameter(
        0.5, "Age of the last target at which the robot is stopped.", 0.01, 60.0, unit="s"
    )
    threads: int = parameter(
        4,
        "Number of callbacks, including requests, that run in parallel.",
        low=2,
        high=64,
        start_only=True,
    )


def cached_solvers(tree: RigidBodyTree, settings: IkSettings) -> Solvers:
    """Return a function that makes a solver from the arguments of its problem, or reuses one."""
    make = partial(
        InverseKinematics,
        tree,
        max_restarts=settings.max_restarts,
        random_seed=settings.random_seed,
    )
    return lru_cache(SOLVERS_CACHED)(make)


class IkRobot(Robot):
    """A robot with solvers for the problems of requests."""

    def __init__(self, description: RobotDescription, settings: IkSettings) -> None:
        super().__init__(description)
        self.apply(settings)

    def apply(self, settings: IkSettings) -> None:
        """Make solvers with these settings from now on."""
        self.solver = cached_solvers(self.tree, settings)


@dataclass(frozen=True, eq=False)
class Query:
    """A checked request of SolveIK."""

    solver: InverseKinematics
    target: Target
    start: Array  # configuration at the start of the search
    timeout: float  # s
    max_solutions: int


def read_query(request: SolveIK.Request, robot: IkRobot, settings: IkSettings) -> Query:
    """Return a checked request; RigidTreeError if it is invalid."""
    tree, tolerances = robot.tree, ("position_tolerance", "orientation_tolerance")
    timeout = seconds_of(request.timeout)
    if timeout > LONGEST_TIMEOUT:
        most, given = told_apart(LONGEST_TIMEOUT, timeout)
        raise ConfigurationError(f"timeout must be at most {most} s, not {given} s")
    solver = robot.solver(
        tree.get_body(request.body).name,
        tree.get_body(request.base).name if request.base else None,
        weights=_weights(request),
        locked=tuple(sorted(set(request.locked_joints))),
        **{k: _or_default(k, getattr(request, k), getattr(settings, k)) for k in tolerances},
    )
    return Query(
        solver=solver,
        target=read_target(request.target),
        start=robot.configuration("seed", request.seed.name, request.seed.position),
        timeout=_or_default("timeout", timeout, settings.timeout),
        max_solutions=max(1, request.max_solutions),
    )


def _weights(request: SolveIK.Request) -> tuple[float, ...]:
    weights = tuple(float(weight) for weight in request.weights)
    if not all(math.isfinite(weight) and weight >= 0.0 for weight in weights):
        raise ConfigurationError(f"weights must be zero or positive numbers, not {list(weights)}")
    return weights if any(weights) else (1.0,) * 6


def _or_default(field: str, value: float, default: float) -> float:
    if not (math.isfinite(value) and value >= 0.0):
        raise ConfigurationError(f"{field} must be zero or a positive number, not {value:g}")
    return value if value > 0.0 else default


def joint_state(tree: RigidBodyTree, configuration: Array, stamp: Time) -> JointState:
    """Return a configuration as a message with a position for every independent joint."""
    message = JointState(name=tree.position_names, position=configuration.tolist())
    message.header.stamp = stamp.to_msg()
    return message


def solve(
    solver: InverseKinematics,
    T_base_target: Array,
    start: Array,
    deadline: Deadline,
    checker: CollisionChecker | None,
    most: int = 1,
) -> tuple[list[IKResult], str]:
    """Return up to ``most`` solutions, or the best attempt; with a checker only free ones.

    Without results, all solutions found are in collision; the text describes the first one.
    Raises ModelError for an invalid target, ConfigurationError for an invalid start, and
    OutOfTimeError if no solution was found to be free in time.
    """
    if checker is not None:
        return free_solutions(solver, checker, T_base_target, start, most=most, timeout=deadline)
    results = [solver.solve(T_base_target, start, timeout=deadline)]
    if most > 1 and results[0].success:
        results = solver.solve_all(T_base_target, start, most=most, timeout=deadline) or results
    return results, ""


def fill_solutions(
    response: SolveIK.Response, found: tuple[list[IKResult], str], robot: IkRobot, stamp: Time
) -> None:
    """Write what ``solve`` has returned into a reply."""
    results, blocked = found
    if not results:
        response.code = SolveIK.Response.ALL_BLOCKED
        response.message = f"every solution found is in collision: {blocked}"
        return
    response.code = CODES[results[0].status]
    response.solutions = [joint_state(robot.tree, r.configuration, stamp) for r in results]
    measures = "position_error orientation_error iterations restarts seconds"
    for name in ("success", "message", *measures.split()):
        setattr(response, name, getattr(results[0], name))


def answer_fk(
    request: ComputeFK.Request, robot: IkRobot, prefix: str, response: ComputeFK.Response
) -> None:
    """Fill in a reply of ComputeFK; RigidTreeError if the request is invalid."""
    compiled = robot.tree.compiled()
    if len(request.bodies) > MOST_BODIES:
        reason = f"{len(request.bodies):,} names; at most {MOST_BODIES:,} are answered"
        raise ConfigurationError(f"bodies has {reason}")
    names = list(request.bodies) or list(compiled.body_names)
    rows = [compiled.index_of(name) for name in names]
    base = request.base or compiled.body_names[0]
    base_row = compiled.index_of(base)
    state = request.joint_state
    configuration = robot.configuration("joint_state", state.name, state.position)
    frames = body_transforms(compiled, configuration)
    T_base_root = inverse(frames[base_row])
    response.bodies = names
    for row in rows:
        pose = pose_message(T_base_root @ frames[row], prefix + base)
        pose.header.stamp = state.header.stamp
        response.poses.append(pose)
    response.success = True
    response.message = f"{len(names)} bodies in the frame of {base}"
