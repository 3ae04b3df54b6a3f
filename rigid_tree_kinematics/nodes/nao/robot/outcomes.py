"""What became of a call that returned: whether the motion that was asked for has happened.

NAOqi's methods return when a motion has ended, be it at its goal, killed by another client, or
without any motion because the joints are limp. Each function here returns why the call failed, or
an empty string, given the robot, the request, the value that the robot returned, and ``Begin``.
"""

from __future__ import annotations

import math
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rigid_tree_kinematics.model.transforms import inverse
from rigid_tree_kinematics.nao.model import place_of, planar

if TYPE_CHECKING:
    from rigid_tree_kinematics.nodes.nao.robot.robot import NaoRobot

NEAR_PLACE, NEAR_PART = 0.05, 0.1  # m, and part of the way, by which a walk may miss its goal
NEAR_HEADING = 0.2  # rad
NEAR_ANGLE = 0.1  # rad: loaded joints of a real robot sag
NEAR_STIFFNESS = 0.05
EARLY = 0.1  # s by which a motion may end before its last time
LISTED = 4  # joints in a message


@dataclass(frozen=True)
class Begin:
    """What was known when the call was sent."""

    time: float  # s, of time.monotonic
    place: Sequence[float] | None  # x, y (m), theta (rad) of FRAME_ROBOT in the world


Outcome = Callable[["NaoRobot", Any, Any, Begin], Awaitable[str]]


async def as_replied(robot: NaoRobot, request: Any, value: Any, begin: Begin) -> str:
    """Accept every reply of the robot that is no error."""
    return ""


async def arrived(robot: NaoRobot, request: Any, value: Any, begin: Begin) -> str:
    """Compare the place that a walk has reached with the one it was sent to."""
    return await _arrived_at(robot, (request.x, request.y, request.theta), value, begin)


async def arrived_at_last(robot: NaoRobot, request: Any, value: Any, begin: Begin) -> str:
    """Do the same with the last of several places."""
    last = request.places[-1]
    return await _arrived_at(robot, (last.x, last.y, last.theta), value, begin)


async def _arrived_at(robot: NaoRobot, goal: Sequence[float], value: Any, begin: Begin) -> str:
    if begin.place is None:
        return "" if value is not False else "the robot did not arrive"
    here = await robot.asked("ALMotion", "getRobotPosition", True)
    moved = inverse(planar(*begin.place)) @ planar(*map(float, here))
    x, y, turn = place_of(moved)
    distance = math.hypot(*goal[:2])
    missed = math.hypot(goal[0] - x, goal[1] - y)
    turned = abs(math.remainder(goal[2] - turn, 2.0 * math.pi))
    is_near = missed <= max(NEAR_PLACE, NEAR_PART * distance) and turned <= NEAR_HEADING
    if is_near and value is not False:
        return ""
    return (
        f"the robot did not arrive: after x {x:.3f} m, y {y:.3f} m, theta {turn:.3f} rad it "
        f"stands {missed:.3f} m and {turned:.3f} rad from the goal"
    )


async def posture_taken(robot: NaoRobot, request: Any, value: Any, begin: Begin) -> str:
    """Believe the robot's word; where it has none, ask which posture it is in."""
    if value:
        return ""
    posture = await robot.asked("ALRobotPosture", "getPosture")
    if value is None and posture == request.posture_name:
        return ""
    return f"{request.posture_name} was not reached: the posture is {posture}"


async def angles_reached(robot: NaoRobot, request: Any, value: Any, begin: Begin) -> str:
    """Compare the joints with the angles they were sent to."""
    joints = robot.body.joints(request.names)
    return await _angles(robot, dict(zip(joints, request.angles, strict=True)))


async def lists_followed(robot: NaoRobot, request: Any, value: Any, begin: Begin) -> str:
    """Check time and end of an interpolation of angles."""
    early = _early(begin, [item.values[-1] for item in request.time_lists])
    joints = robot.body.joints(request.names)
    if request.is_absolute:
        rows = zip(joints, request.angle_lists, strict=True)
        return early or await _angles(robot, {joint: row.values[-1] for joint, row in rows})
    return early or await _follows(robot, joints)


async def curves_followed(robot: NaoRobot, request: Any, value: Any, begin: Begin) -> str:
    """Check time and end of an interpolation by curves."""
    early = _early(begin, [item.values[-1] for item in request.time_lists])
    rows = zip(robot.body.joints(request.names), request.control_points, strict=True)
    return early or await _angles(robot, {joint: row.points[-1].angle for joint, row in rows})


async def path_followed(robot: NaoRobot, request: Any, value: Any, begin: Begin) -> str:
    """Check the time of a Cartesian interpolation, and that the joints are not limp."""
    if hasattr(request, "time_lists"):
        names, times = request.names, [row.values[-1] for row in request.time_lists]
    else:
        names, times = [request.name], request.times[-1:]
    names = ["Legs" if name == "Torso" else name for name in names]
    return _early(begin, times) or await _follows(robot, robot.body.joints(names))


async def in_balance(robot: NaoRobot, request: Any, value: Any, begin: Begin) -> str:
    """Check that the legs have followed, and had the time for it."""
    early = _early(begin, [request.duration])
    return early or await _follows(robot, robot.body.joints(["Legs"]))


async def hand_opened(robot: NaoRobot, request: Any, value: Any, begin: Begin) -> str:
    """Refuse a limp hand. A stiff one that stays open may hold something."""
    return robot.limp([request.name])


async def stiffness_reached(robot: NaoRobot, request: Any, value: Any, begin: Begin) -> str:
    """Check time and end of an interpolation of stiffness."""
    early = _early(begin, [item.values[-1] for item in request.time_lists])
    if early:
        return early
    joints = robot.body.joints(request.names)
    values = await robot.asked("ALMotion", "getStiffnesses", list(joints))
    wanted = [min(max(item.values[-1], 0.0), 1.0) for item in request.stiffness_lists]
    return _told(
        [
            f"the stiffness of {joint} is {value:.3g}, not {goal:.3g}"
            for joint, value, goal in zip(joints, values, wanted, strict=True)
            if abs(value - goal) > NEAR_STIFFNESS
        ]
    )


async def awake(robot: NaoRobot, request: Any, value: Any, begin: Begin) -> str:
    """Ask whether the robot is awake."""
    is_awake = await robot.asked("ALMotion", "robotIsWakeUp")
    return "" if is_awake else "the robot did not wake up"


async def resting(robot: NaoRobot, request: Any, value: Any, begin: Begin) -> str:
    """Ask whether the robot is still awake."""
    is_awake = await robot.asked("ALMotion", "robotIsWakeUp")
    return "the robot is still awake" if is_awake else ""


async def not_false(robot: NaoRobot, request: Any, value: Any, begin: Begin) -> str:
    """Believe the robot's word."""
    return "the motion did not end: it was stopped, or the joints are limp" * (value is False)


def _early(begin: Begin, ends: Sequence[float]) -> str:
    """Return that a motion with these last times (s) was killed, if it ended too early."""
    seconds, end = time.monotonic() - begin.time, max(ends, default=0.0)
    return f"ended after {seconds:.2f} s of {end:.2f} s: it was killed" * (seconds < end - EARLY)


async def _follows(robot: NaoRobot, joints: Sequence[str]) -> str:
    """Compare joints with where they are commanded to be."""
    commanded = await robot.asked("ALMotion", "getAngles", list(joints), False)
    return await _angles(robot, dict(zip(joints, commanded, strict=True)))


async def _angles(robot: NaoRobot, wanted: dict[str, float]) -> str:
    """Compare joints with angles (rad). Hands may hold something."""
    goals = {joint: goal for joint, goal in wanted.items() if joint not in robot.body.hands}
    if not goals:
        return robot.limp(list(wanted))
    sensed = await robot.asked("ALMotion", "getAngles", list(goals), True)
    return _told(
        [
            f"{joint} is at {angle:.3f} rad, not at {goal:.3f}"
            for (joint, goal), angle in zip(goals.items(), sensed, strict=True)
            if abs(angle - goal) > NEAR_ANGLE
        ]
    )


def _told(failures: list[str]) -> str:
    more = len(failures) - LISTED
    return ", ".join(failures[:LISTED]) + (f" and {more} more joints" if more > 0 else "")
