"""How long a walking NAO keeps walking after what commanded it has gone.

    python -m benchmarks.nodes.nao_stops [--walks move move_to ...] [--faults SIGKILL ...]

For every way of walking and every fault, a bridge to a simulated robot is started, the robot
walks, and the fault happens. An independent client of libqi, in this process, polls the robot:
"stop" is when its velocity begins to fall for good, "stands" when moveIsActive is false, both in
seconds since the fault.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import nao_motion_interfaces.srv as srv
import qi
import rclpy
from geometry_msgs.msg import Pose2D, PoseStamped, Twist
from nao_motion_interfaces.action import MoveTo
from nao_motion_interfaces.msg import FootStep
from rclpy.action import ActionClient
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node

DOMAIN = 88
PATIENCE = 60.0  # s
LONGEST = 15.0  # s that a walk is followed after the fault
POLL = 0.004  # s
WINDOW = 10  # readings, longer than the robot's cycle
WALKED = 1.2  # s before the fault
REPEAT = 0.1  # s between two messages of a topic
FAR = 0.8  # m: a walk of 13 s, which begins slowly


@dataclass(frozen=True)
class Stop:
    """What became of one walk."""

    walk: str
    fault: str
    speed: float  # m/s at the fault
    stop: float  # s
    stands: float  # s


class Stage:
    """A simulated robot, a bridge, and a client of each."""

    def __init__(self) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        run = "rigid_tree_kinematics"
        self.robot = subprocess.Popen(
            [sys.executable, "-m", f"{run}.nao.simulated.server", "--port", str(port)],
            stdout=subprocess.PIPE,
        )
        assert self.robot.stdout is not None
        self.robot.stdout.readline()
        self._bridge_command = [
            *(sys.executable, "-m", f"{run}.nodes.nao_bridge", "--ros-args"),
            *("-p", f"nao_port:={port}"),
        ]
        self.bridges = 0
        self.session = qi.Session()
        self.session.connect(f"tcp://127.0.0.1:{port}")
        self.motion = self.session.service("ALMotion")
        self.node = Node("nao_stops")
        self.executor = SingleThreadedExecutor()
        self.executor.add_node(self.node)
        self.publishers: dict[str, Any] = {}

    def start_bridge(self) -> None:
        """Start a bridge under another name than the one before, which may be still on the air."""
        self.bridges += 1
        self.name = f"nao_{self.bridges}"
        self.publishers.clear()
        self.bridge = subprocess.Popen(
            [*self._bridge_command, "-r", f"__ns:=/{self.name}"],
            start_new_session=True,
            stderr=subprocess.DEVNULL,
        )

    def end_bridge(self) -> None:
        self.bridge.send_signal(signal.SIGCONT)
        self.bridge.terminate()
        self.bridge.wait(20.0)
        self.motion.stopMove()

    def call(self, kind: Any, name: str, wait: bool = True, **fields: Any) -> Any:
        client: Any = self.node.create_client(kind, f"/{self.name}/{name}")
        self.until(client.service_is_ready, name)
        answer = client.call_async(kind.Request(**fields))
        if not wait:
            return answer
        self.until(answer.done, f"reply of {name}")
        return answer.result()

    def publish(self, kind: Any, topic: str, message: Any) -> None:
        if topic not in self.publishers:
            place = f"/{self.name}/{topic}"
            self.publishers[topic] = self.node.create_publisher(kind, place, 10)
            self.until(self.publishers[topic].get_subscription_count, topic)
        self.publishers[topic].publish(message)

    def until(self, condition: Callable[[], Any], what: str) -> None:
        deadline = time.monotonic() + PATIENCE
        while not condition():
            self.executor.spin_once(timeout_sec=0.02)
            if time.monotonic() > deadline:
                raise TimeoutError(f"no {what}")

    def guards(self) -> list[int]:
        """Return the guards' process numbers."""
        found = []
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                command = (folder / "cmdline").read_bytes()
                if f"guard_process\0{self.bridge.pid}\0".encode() in command:
                    found.append(int(folder.name))
            except OSError:
                continue
        return sorted(found)

    def speed(self) -> float:
        x, y, theta = self.motion.getRobotVelocity()
        return float(abs(x) + abs(y) + 0.1 * abs(theta))

    def close(self) -> None:
        self.robot.terminate()
        self.robot.wait(20.0)
        self.session.close()
        self.executor.remove_node(self.node)
        self.node.destroy_node()


def _steps() -> list[FootStep]:
    return [
        FootStep(leg_name=leg, x=0.04, y=y, time=0.6 * (k + 1))
        for k, (leg, y) in enumerate((("LLeg", 0.1), ("RLeg", -0.1)) * 20)
    ]


def _replaced(stage: Stage) -> None:
    answer = stage.call(srv.Move, "move_to", wait=False, x=FAR)
    stage.until(stage.motion.moveIsActive, "first walk")
    stage.call(srv.Move, "move", x=0.05)
    stage.until(answer.done, "end of the walk that was replaced")


def _goal(stage: Stage) -> None:
    message = PoseStamped()
    message.header.frame_id = "base_footprint"
    message.pose.position.x, message.pose.orientation.w = FAR, 1.0
    stage.publish(PoseStamped, "move_base_simple/goal", message)


def _action(stage: Stage) -> None:
    client: Any = ActionClient(stage.node, MoveTo, f"/{stage.name}/move_to")
    stage.until(client.server_is_ready, "action")
    goal = client.send_goal_async(MoveTo.Goal(x=FAR))
    stage.until(goal.done, "answer to the goal")


def _cmd_vel(stage: Stage) -> None:
    message = Twist()
    message.linear.x = 0.05
    stage.publish(Twist, "cmd_vel", message)


WALKS: dict[str, Callable[[Stage], Any]] = {
    "move": lambda stage: stage.call(srv.Move, "move", x=0.05),
    "move, full speed": lambda stage: stage.call(srv.Move, "move", x=1.0),
    "move_toward": lambda stage: stage.call(srv.Move, "move_toward", x=0.5),
    "set_walk_target_velocity": lambda stage: stage.call(
        srv.SetWalkTargetVelocity, "set_walk_target_velocity", x=0.5, frequency=1.0
    ),
    "move_to": lambda stage: stage.call(srv.Move, "move_to", wait=False, x=FAR),
    "move_to, action": _action,
    "walk_to": lambda stage: stage.call(srv.Move, "walk_to", wait=False, x=FAR),
    "set_foot_steps": lambda stage: stage.call(
        srv.SetFootSteps, "set_foot_steps", foot_steps=_steps()
    ),
    "set_foot_steps_with_speed": lambda stage: stage.call(
        srv.SetFootStepsWithSpeed,
        "set_foot_steps_with_speed",
        wait=False,
        foot_steps=_steps(),
        fraction_max_speed=[0.7] * 40,
    ),
    "cmd_vel": _cmd_vel,
    "cmd_pose": lambda stage: stage.publish(Pose2D, "cmd_pose", Pose2D(x=FAR)),
    "move_base_simple/goal": _goal,
    "move_to, then move": _replaced,
}
Send = Callable[[Stage], None]


def _signal(number: signal.Signals) -> Send:
    return lambda stage: os.kill(stage.bridge.pid, number)


def _group(stage: Stage) -> None:
    os.killpg(stage.bridge.pid, signal.SIGKILL)


def _with_guard(stage: Stage) -> None:
    os.kill(stage.guards()[0], signal.SIGKILL)
    os.kill(stage.bridge.pid, signal.SIGKILL)


def _with_all_guards(stage: Stage) -> None:
    for number in (stage.bridge.pid, *stage.guards()):
        os.kill(number, signal.SIGKILL)


def _guard_then_bridge(stage: Stage) -> None:
    before = stage.guards()
    for guard in before:
        os.kill(guard, signal.SIGKILL)
    stage.until(lambda: len(set(stage.guards()) - set(before)) == len(before), "new guards")
    time.sleep(0.5)
    os.kill(stage.bridge.pid, signal.SIGKILL)


FAULTS: dict[str, Send] = {
    "Ctrl-C": _signal(signal.SIGINT),
    "SIGTERM": _signal(signal.SIGTERM),
    "SIGKILL": _signal(signal.SIGKILL),
    "SIGKILL to the group": _group,
    "guards killed, then bridge": _guard_then_bridge,
    "bridge and guard at once": _with_guard,
    "bridge and both guards at once": _with_all_guards,
    "SIGSTOP": _signal(signal.SIGSTOP),
}


def measured(stage: Stage, walk: str, fault: str) -> Stop:
    """Return what became of one walk after one fault."""
    stage.start_bridge()
    try:
        stage.until(lambda: stage.call(srv.GetFlag, "move_is_active").success, "robot")
        WALKS[walk](stage)
        begin = time.monotonic()
        while time.monotonic() < begin + WALKED:
            stage.executor.spin_once(timeout_sec=REPEAT)
            if walk == "cmd_vel":
                _cmd_vel(stage)
        speed = stage.speed()
        assert speed > 0.005, f"{walk}: it does not walk"
        FAULTS[fault](stage)
        at = falls = time.monotonic()
        speeds = [stage.speed()]
        stands = float("nan")
        while time.monotonic() < at + LONGEST:
            speeds.append(stage.speed())
            if speeds[-1] and speeds[-1] >= speeds[-WINDOW:][0]:
                falls = time.monotonic()
            if not stage.motion.moveIsActive():
                stands = time.monotonic() - at
                break
            time.sleep(POLL)
        return Stop(walk, fault, round(speed, 3), round(falls - at, 3), round(stands, 3))
    finally:
        stage.end_bridge()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--walks", nargs="+", default=list(WALKS), choices=list(WALKS))
    parser.add_argument("--faults", nargs="+", default=list(FAULTS), choices=list(FAULTS))
    options = parser.parse_args()
    os.environ["ROS_DOMAIN_ID"] = str(DOMAIN)
    rclpy.init()
    stage = Stage()
    stage.motion.wakeUp()
    stops = []
    for walk in options.walks:
        for fault in options.faults:
            stops.append(measured(stage, walk, fault))
            print(stops[-1], flush=True)
            if options.json:
                options.json.write_text(json.dumps([asdict(stop) for stop in stops], indent=1))
    stage.close()
    sys.stdout.flush()
    os._exit(0)  # libqi's threads outlive the interpreter


if __name__ == "__main__":
    main()
