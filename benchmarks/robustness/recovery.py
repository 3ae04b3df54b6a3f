"""Time until a robot's nodes work together again after one of them was killed.

Each node of a simulated Panda is killed by SIGKILL and restarted. The time is from the new
process's first response about its parameters until all of these are observed: frames of a later
joint state, a pose from ik_server, a plan from the current position, and a completed motion that
the planner monitors.
"""

import time
from collections.abc import Callable
from typing import Any

import psutil
from control_msgs.action import FollowJointTrajectory
from rcl_interfaces.srv import ListParameters
from rclpy.action import ActionClient
from rclpy.task import Future
from rigid_tree_interfaces.msg import PlanRequest
from rigid_tree_interfaces.srv import ComputeFK, PlanMotion
from sensor_msgs.msg import JointState
from tf2_msgs.msg import TFMessage

from benchmarks.frame import Report, main, spread
from benchmarks.nodes.network import PATIENCE, Asker, network, started, stop
from rigid_tree_kinematics.description import load_robot

ROBOT = ("-p", "robot:=panda")
OPTIONS = {
    "tree_state_publisher": ROBOT,
    "robot_simulator": ROBOT,
    "ik_server": (),
    "rrt_planner": ("-p", "scene:=panda_pillars"),
}
GOAL = [0.4, -0.785, 0.0, -2.356, 0.0, 1.571, 0.785]  # next to the home configuration
RETRY_PERIOD = 0.2  # s, between repeated requests


class Client:
    """Uses all nodes."""

    def __init__(self, asker: Asker) -> None:
        self._asker = asker
        self._frames = 0
        asker.node.create_subscription(TFMessage, "/tf", self._on_frames, 100)
        self._motions: Any = ActionClient(
            asker.node, FollowJointTrajectory, "follow_watched_trajectory"
        )
        joints = load_robot("panda").joint_names
        goal = JointState(name=list(joints), position=GOAL)
        self._request = PlanRequest(goal_states=[goal])

    def _on_frames(self, message: TFMessage) -> None:
        self._frames += len(message.transforms) > 1

    def reply(self, kind: Any, service: str, accepts: Callable[[Any], bool], **fields: Any) -> Any:
        """Repeat a request; return the first accepted response."""
        end = time.monotonic() + PATIENCE
        asked: list[Future[Any]] = []
        while time.monotonic() < end:
            asked.append(self._asker.send(kind, service, **fields))
            self._asker.until(lambda: any(future.done() for future in asked), RETRY_PERIOD)
            for future in [future for future in asked if future.done()]:
                asked.remove(future)
                if accepts(future.result()):
                    return future.result()
        raise SystemExit(f"no response of {service} within {PATIENCE:g} s")

    def returned(self, name: str) -> None:
        """Wait until a node responds about its parameters."""
        self.reply(ListParameters, f"{name}/list_parameters", lambda reply: True)

    def all_work(self) -> None:
        """Use every node once."""
        self._frames = 0
        self.reply(
            ComputeFK, "forward_kinematics", lambda reply: reply.success, bodies=["panda_link8"]
        )
        self._asker.expect(lambda: self._frames, "frames")
        while not self._moved():
            pass

    def _moved(self) -> bool:
        """Plan and execute; return whether the motion was completed."""
        plan = self.reply(
            PlanMotion, "plan_motion", lambda reply: reply.reply.success, request=self._request
        )
        # Only to the current positions, where the next plan starts as well.
        trajectory = plan.reply.trajectory
        trajectory.points = trajectory.points[:1]
        sent = self._motions.send_goal_async(FollowJointTrajectory.Goal(trajectory=trajectory))
        if not self._asker.until(sent.done, 1.0) or not sent.result().accepted:
            return False
        result = sent.result().get_result_async()
        return self._asker.until(result.done, 5.0) and result.result().result.error_code == 0


def start(name: str) -> psutil.Popen:
    """Start a node."""
    return started(name, "--ros-args", *OPTIONS[name])


def run(options: Any, report: Report) -> None:
    """Kill and restart each node in every round."""
    seconds: dict[str, list[float]] = {name: [] for name in OPTIONS}
    with network("recovery") as asker:
        running = {name: start(name) for name in OPTIONS}
        try:
            client = Client(asker)
            client.all_work()
            for name in [*OPTIONS] * options.rounds:
                running[name].kill()
                running[name].wait()
                running[name] = start(name)
                client.returned(name)
                begin = time.monotonic()
                client.all_work()
                seconds[name].append(time.monotonic() - begin)
        finally:
            stop(running.values())
    for name, own in seconds.items():
        report.row("killed node", name, spread(own, (50, 100), "s"))


if __name__ == "__main__":
    main(run, rounds=5)
