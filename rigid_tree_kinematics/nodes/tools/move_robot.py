"""Program: plans and executes a motion of the robot.

    ros2 run rigid_tree_kinematics move_robot panda_joint1=-1.0 panda_joint2=0.3
    ros2 run rigid_tree_kinematics move_robot --body panda_link8 --pose 0.4 0.1 0.5 3.14159 0 0

It exits with code 0 when the robot has reached the goal, with code 1 and a message otherwise.
"""

import argparse
import sys
from collections.abc import Sequence

from geometry_msgs.msg import PoseStamped
from rclpy.utilities import remove_ros_args
from rigid_tree_interfaces.msg import PlanRequest
from sensor_msgs.msg import JointState

from rigid_tree_kinematics.model.transforms import transform_from_xyz_rpy
from rigid_tree_kinematics.nodes.common.process import run_node
from rigid_tree_kinematics.nodes.motion import MotionNode
from rigid_tree_kinematics.nodes.tf import pose_message

NAME = "move_robot"


def joint_position(text: str) -> tuple[str, float]:
    """Return the parts of ``joint=position``; raise ValueError for others."""
    joint, _, position = text.partition("=")
    return joint, float(position)


def read_arguments(arguments: Sequence[str]) -> tuple[PlanRequest, float, int]:
    """Return the request for the planner, the timeout for other nodes (s), and --replans."""
    parser = argparse.ArgumentParser(
        prog=NAME, description="Plan and execute a motion of the robot."
    )
    parser.add_argument(
        "joints",
        nargs="*",
        type=joint_position,
        metavar="joint=position",
        help="goal, rad or m; the other joints keep their current positions",
    )
    parser.add_argument("--body", default="", help="link of --pose")
    parser.add_argument(
        "--pose",
        nargs=6,
        type=float,
        metavar=("X", "Y", "Z", "ROLL", "PITCH", "YAW"),
        help="goal pose of the link, m and rad",
    )
    parser.add_argument("--frame", default="", help="TF frame of the pose; default: the root")
    parser.add_argument("--speed", type=float, default=1.0, help="fraction of the joint limits")
    parser.add_argument("--timeout", type=float, default=30.0, help="timeout for other nodes, s")
    parser.add_argument(
        "--replans",
        type=int,
        default=0,
        metavar="N",
        help="maximum number of replans if the path is blocked",
    )
    chosen = parser.parse_args(arguments)
    if bool(chosen.joints) == bool(chosen.pose):
        parser.error("give either joint=position pairs or --body with --pose")
    if chosen.pose and not chosen.body:
        parser.error("--pose needs --body")
    if not 0.0 < chosen.speed <= 1.0:
        parser.error("--speed must be between 0 and 1")
    if not chosen.timeout > 0.0 or chosen.replans < 0:
        parser.error("--timeout must be positive, and --replans must not be negative")
    request = PlanRequest(velocity_scale=chosen.speed, acceleration_scale=chosen.speed)
    if chosen.joints:
        names, positions = zip(*chosen.joints, strict=True)
        request.goal_states = [JointState(name=names, position=positions)]
    else:
        request.body = chosen.body
        target: PoseStamped = pose_message(
            transform_from_xyz_rpy(chosen.pose[:3], chosen.pose[3:]), chosen.frame
        )
        request.goal_poses = [target]
    return request, chosen.timeout, chosen.replans


class MoveRobot(MotionNode):
    """The node; ``finished`` gets the exit code."""

    def __init__(self, request: PlanRequest, timeout: float, replans: int) -> None:
        super().__init__(NAME)
        self._request = request
        self._replans = replans
        self._heard = False
        self.create_subscription(JointState, "joint_states", self._on_joint_state, 10)
        self.set_timeout(timeout)

    def _on_joint_state(self, message: JointState) -> None:
        self._heard = True

    async def play(self) -> None:
        """Plan and move."""
        await self.until(lambda: self._heard, "no publisher on joint_states")
        await self.move(self._request, self._replans)


def main() -> int:
    """Run the node; return the exit code of the process."""
    chosen = read_arguments(remove_ros_args(sys.argv)[1:])
    return run_node(NAME, lambda: MoveRobot(*chosen))
