"""Checks that the motion of a call has happened.

NAOqi's methods return when a motion has ended: at its goal, because another client killed it, or
at once if the joints have no stiffness. Each function here returns why the call failed, or an
empty string.
"""

import math
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rigid_tree_kinematics.model.transforms import inverse
from rigid_tree_nao.model import place_of, places_along, planar, pose_of
from rigid_tree_nao.nodes.robot import NaoRobot

NEAR_PLACE, NEAR_PART = 0.05, 0.1  # of a walk's goal: m, and fraction of the distance
NEAR_HEADING = 0.2  # rad
NEAR_ANGLE = 0.1  # rad: loaded joints of a real robot sag
NEAR_POSITION = 0.02  # m, for the same reason
NEAR_STIFFNESS = 0.05
EARLY = 0.1  # s by which a motion may end before its last time
LISTED = 4  # joints in a message


@dataclass(frozen=True)
class Done:
    """A completed call."""

    arguments: Sequence[Any]  # of the method, as they were sent
    value: Any  # that the robot returned
    start: float  # s, of time.monotonic, when the call was sent
    start_place: Sequence[float] | None  # x, y (m), theta (rad) of FRAME_ROBOT in the world then


Outcome = Callable[[NaoRobot, Done], Awaitable[str]]


async def returned(robot: NaoRobot, done: Done) -> str:
    """Accept every reply."""
    return ""


async def arrived(robot: NaoRobot, done: Done) -> str:
    """Compare the place that a walk has reached with its (last) goal."""
    first = done.arguments[0]
    moves = first if isinstance(first, list) else [done.arguments[:3]]
    x_goal, y_goal, theta_goal = places_along(moves)[-1]
    if done.start_place is None:
        return "" if done.value is not False else "the robot did not arrive"
    here = await robot.query("ALMotion.getRobotPosition", True)
    x, y, theta = place_of(inverse(planar(*done.start_place)) @ planar(*map(float, here)))
    missed = math.hypot(x_goal - x, y_goal - y)
    turned = abs(math.remainder(theta_goal - theta, 2.0 * math.pi))
    allowed = max(NEAR_PLACE, NEAR_PART * math.hypot(x_goal, y_goal))
    if missed <= allowed and turned <= NEAR_HEADING and done.value is not False:
        return ""
    return (
        f"the robot did not arrive: after x {x:.3f} m, y {y:.3f} m, theta {theta:.3f} rad it "
        f"stands {missed:.3f} m and {turned:.3f} rad from the goal"
    )


async def posture_taken(robot: NaoRobot, done: Done) -> str:
    """Accept the robot's report; without one, compare its posture."""
    if done.value:
        return ""
    posture = await robot.query("ALRobotPosture.getPosture")
    if done.value is None and posture == done.arguments[0]:
        return ""
    return f"{done.arguments[0]} was not reached: the posture is {posture}"


async def angles_reached(robot: NaoRobot, done: Done) -> str:
    """Compare the joints with their goals."""
    names, angles, _ = done.arguments
    return await _angles(robot, dict(zip(names, angles, strict=True)))


async def lists_followed(robot: NaoRobot, done: Done) -> str:
    """Check time and end of an interpolation of angles."""
    names, angles, times, is_absolute = done.arguments
    if early := _early(done, times):
        return early
    if not is_absolute:
        return await _at_commands(robot, names)
    return await _angles(robot, {name: row[-1] for name, row in zip(names, angles, strict=True)})


async def curves_followed(robot: NaoRobot, done: Done) -> str:
    """Check time and end of an interpolation by Bezier curves."""
    names, times, curves = done.arguments
    goals = {name: curve[-1][0] for name, curve in zip(names, curves, strict=True)}
    return _early(done, times) or await _angles(robot, goals)


async def paths_followed(robot: NaoRobot, done: Done) -> str:
    """Check time and end of a Cartesian interpolation of one effector or of several."""
    names, space, paths, masks, times, *absolute = done.arguments
    if isinstance(names, str):
        names, paths, masks, times = [names], [paths], [masks], [times]
    joints = robot.body.joints(["Legs" if name == "Torso" else name for name in names])
    if failure := _early(done, times) or await _at_commands(robot, joints):
        return failure
    if absolute == [False]:
        return ""
    for name, path, mask in zip(names, paths, masks, strict=True):
        here = await robot.query("ALMotion.getPosition", name, space, True)
        axes = [axis for axis in range(3) if mask & 1 << axis]
        gap = np.array(here[:3], dtype=float) - pose_of(path[-1])[:3, 3]
        missed = float(np.linalg.norm(gap[axes]))
        if missed > NEAR_POSITION:
            return f"{name} is {missed:.3f} m from the end of the path"
    return ""


async def in_balance(robot: NaoRobot, done: Done) -> str:
    """Check that the legs have reached their commands, in the time given."""
    early = _early(done, [[done.arguments[1]]])
    return early or await _at_commands(robot, robot.body.joints("Legs"))


async def hand_is_stiff(robot: NaoRobot, done: Done) -> str:
    """Check the hand's stiffness only: a stiff hand that did not close may hold an object."""
    return robot.stiffness_warning(done.arguments[0])


async def stiffness_reached(robot: NaoRobot, done: Done) -> str:
    """Check time and end of an interpolation of stiffness."""
    names, stiffnesses, times = done.arguments
    if early := _early(done, times):
        return early
    values = await robot.query("ALMotion.getStiffnesses", names)
    goals = [min(max(row[-1], 0.0), 1.0) for row in stiffnesses]
    return _listed(
        [
            f"the stiffness of {joint} is {value:.3g}, not {goal:.3g}"
            for joint, value, goal in zip(names, values, goals, strict=True)
            if abs(value - goal) > NEAR_STIFFNESS
        ]
    )


def _wakes(wanted: bool, failure: str) -> Outcome:
    async def outcome(robot: NaoRobot, done: Done) -> str:
        return "" if bool(await robot.query("ALMotion.robotIsWakeUp")) is wanted else failure

    return outcome


awake = _wakes(True, "the robot did not wake up")
resting = _wakes(False, "the robot is still awake")


async def not_false(robot: NaoRobot, done: Done) -> str:
    """Accept the robot's report."""
    if done.value is False:
        return "the motion did not end: it was stopped, or the joints have no stiffness"
    return ""


def _early(done: Done, times: Sequence[Sequence[float]]) -> str:
    """Return an error if a motion with these lists of times (s) was killed: it ended early."""
    seconds, end = time.monotonic() - done.start, max((row[-1] for row in times), default=0.0)
    if seconds < end - EARLY:
        return f"ended after {seconds:.2f} s of {end:.2f} s: it was killed"
    return ""


async def _at_commands(robot: NaoRobot, joints: Sequence[str]) -> str:
    """Compare joints with their commanded angles."""
    commanded = await robot.query("ALMotion.getAngles", list(joints), False)
    return await _angles(robot, dict(zip(joints, commanded, strict=True)))


async def _angles(robot: NaoRobot, wanted: dict[str, float]) -> str:
    """Compare joints with angles (rad). Hands may hold an object."""
    goals = {joint: goal for joint, goal in wanted.items() if joint not in robot.body.hands}
    if not goals:
        return robot.stiffness_warning(list(wanted))
    sensed = await robot.query("ALMotion.getAngles", list(goals), True)
    return _listed(
        [
            f"{joint} is at {angle:.3f} rad, not at {goal:.3f}"
            for (joint, goal), angle in zip(goals.items(), sensed, strict=True)
            if abs(angle - goal) > NEAR_ANGLE
        ]
    )


def _listed(failures: list[str]) -> str:
    more = len(failures) - LISTED
    return ", ".join(failures[:LISTED]) + (f" and {more} more joints" if more > 0 else "")
