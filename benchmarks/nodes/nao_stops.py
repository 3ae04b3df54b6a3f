"""Time until a walking NAO stops after its commanding process fails.

For each walking command and each fault, a bridge to a simulated robot is started, the robot walks,
and the fault is injected. A separate libqi client in this process polls the robot. Each cell has
two times since the fault in seconds: until the robot's velocity starts its final decrease, and
until moveIsActive is false.
"""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import nao_motion_interfaces.srv as srv
import psutil
import qi
from geometry_msgs.msg import Pose2D, PoseStamped, Twist
from nao_motion_interfaces.action import MoveTo
from nao_motion_interfaces.msg import FootStep
from rclpy.action import ActionClient

from benchmarks.frame import Report, main
from benchmarks.nodes.network import (
    SIMULATED_NAO,
    Asker,
    free_port,
    network,
    started,
    stop,
)

LONGEST = 15.0  # s, of observation after the fault
POLL = 0.004  # s
WINDOW = 10  # readings; together longer than the robot's cycle
WALKED = 1.2  # s, of walking before the fault
REPEAT = 0.1  # s, between two messages of a topic
FAR = 0.8  # m: a walk of 13 s with a slow start


class Stage:
    """A simulated robot, a bridge, and a client of each."""

    def __init__(self, asker: Asker) -> None:
        port = free_port()
        self.robot = started(SIMULATED_NAO, "--port", str(port), stdout=subprocess.PIPE)
        self.robot.stdout.readline()
        self._bridge = ("nao_bridge", "--ros-args", "-p", f"nao_port:={port}")
        self.bridges = 0
        self.session = qi.Session()
        self.session.connect(f"tcp://127.0.0.1:{port}")
        self.motion = self.session.service("ALMotion")
        self.motion.wakeUp()
        self.asker = asker
        self.publishers: dict[str, Any] = {}

    def start_bridge(self) -> None:
        """Start a bridge with a new name: the last one may still be discovered."""
        self.bridges += 1
        self.name = f"nao_{self.bridges}"
        self.publishers.clear()
        self.bridge = started(*self._bridge, "-r", f"__ns:=/{self.name}", start_new_session=True)
        self.asker.expect(lambda: self.call(srv.GetFlag, "move_is_active").success, "robot")

    def end_bridge(self) -> None:
        if self.bridge.poll() is None:
            self.bridge.send_signal(signal.SIGCONT)
        stop([self.bridge])
        self.motion.stopMove()

    def call(self, kind: Any, name: str, **fields: Any) -> Any:
        return self.asker.call(kind, f"/{self.name}/{name}", **fields)

    def send(self, kind: Any, name: str, **fields: Any) -> Any:
        return self.asker.send(kind, f"/{self.name}/{name}", **fields)

    def publish(self, kind: Any, topic: str, message: Any) -> None:
        if topic not in self.publishers:
            place = f"/{self.name}/{topic}"
            self.publishers[topic] = self.asker.node.create_publisher(kind, place, 10)
            self.asker.expect(self.publishers[topic].get_subscription_count, topic)
        self.publishers[topic].publish(message)

    def guards(self) -> list[psutil.Process]:
        """Return the guard processes: their command lines contain the bridge's process id."""
        text = f"guard_process {self.bridge.pid} "
        running = psutil.process_iter(["cmdline"])
        return [p for p in running if text in " ".join([*(p.info["cmdline"] or ()), ""])]

    def speed(self) -> float:
        x, y, theta = self.motion.getRobotVelocity()
        return float(abs(x) + abs(y) + 0.1 * abs(theta))

    def close(self) -> None:
        self.robot.terminate()
        self.robot.wait(20.0)
        self.session.close()


def _steps() -> list[FootStep]:
    return [
        FootStep(leg_name=leg, x=0.04, y=y, time=0.6 * (k + 1))
        for k, (leg, y) in enumerate((("LLeg", 0.1), ("RLeg", -0.1)) * 20)
    ]


def _replaced(stage: Stage) -> None:
    answer = stage.send(srv.Move, "move_to", x=FAR)
    stage.asker.expect(stage.motion.moveIsActive, "first walk")
    stage.call(srv.Move, "move", x=0.05)
    stage.asker.expect(answer.done, "end of the walk that was replaced")


def _goal(stage: Stage) -> None:
    message = PoseStamped()
    message.header.frame_id = "base_footprint"
    message.pose.position.x, message.pose.orientation.w = FAR, 1.0
    stage.publish(PoseStamped, "move_base_simple/goal", message)


def _action(stage: Stage) -> None:
    client: Any = ActionClient(stage.asker.node, MoveTo, f"/{stage.name}/move_to")
    stage.asker.expect(client.server_is_ready, "action")
    goal = client.send_goal_async(MoveTo.Goal(x=FAR))
    stage.asker.expect(goal.done, "response to the goal")


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
    "move_to": lambda stage: stage.send(srv.Move, "move_to", x=FAR),
    "move_to, action": _action,
    "walk_to": lambda stage: stage.send(srv.Move, "walk_to", x=FAR),
    "set_foot_steps": lambda stage: stage.call(
        srv.SetFootSteps, "set_foot_steps", foot_steps=_steps()
    ),
    "set_foot_steps_with_speed": lambda stage: stage.send(
        srv.SetFootStepsWithSpeed,
        "set_foot_steps_with_speed",
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
    return lambda stage: stage.bridge.send_signal(number)


def _group(stage: Stage) -> None:
    os.killpg(stage.bridge.pid, signal.SIGKILL)


def _with_guard(stage: Stage) -> None:
    stage.guards()[0].kill()
    stage.bridge.kill()


def _with_all_guards(stage: Stage) -> None:
    for process in (stage.bridge, *stage.guards()):
        process.kill()


def _guard_then_bridge(stage: Stage) -> None:
    before = stage.guards()
    for guard in before:
        guard.kill()
    stage.asker.expect(lambda: len(set(stage.guards()) - set(before)) == len(before), "new guards")
    time.sleep(0.5)
    stage.bridge.kill()


FAULTS: dict[str, Send] = {
    "Ctrl-C": _signal(signal.SIGINT),
    "SIGTERM": _signal(signal.SIGTERM),
    "SIGKILL": _signal(signal.SIGKILL),
    "SIGKILL to the group": _group,
    "guards killed, then bridge": _guard_then_bridge,
    "bridge and one guard": _with_guard,
    "bridge and both guards": _with_all_guards,
    "SIGSTOP": _signal(signal.SIGSTOP),
}


def measured(stage: Stage, walk: str, fault: str) -> str:
    """Return the times from a fault until the robot slows down and until it stands."""
    stage.start_bridge()
    try:
        WALKS[walk](stage)
        begin = time.monotonic()
        while time.monotonic() < begin + WALKED:
            stage.asker.executor.spin_once(timeout_sec=REPEAT)
            if walk == "cmd_vel":
                _cmd_vel(stage)
        if stage.speed() < 0.005:
            raise SystemExit(f"{walk}: the robot does not walk")
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
        return f"{falls - at:.2f} / {stands:.2f}"
    finally:
        stage.end_bridge()


def run(options: Any, report: Report) -> None:
    """Inject each fault into each walk."""
    with network("nao_stops") as asker:
        stage = Stage(asker)
        for walk in options.walks:
            report.row("walk", walk, {f: measured(stage, walk, f) for f in options.faults})
        stage.close()


if __name__ == "__main__":
    main(run, walks=list(WALKS), faults=list(FAULTS))
    sys.stdout.flush()
    os._exit(0)  # libqi's threads outlive the interpreter
