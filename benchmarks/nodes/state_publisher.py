"""State publishers at 1 kHz: latency to TF, processor time, lost messages.

The publisher runs in its own process. This process publishes joint states and receives TF as
serialized bytes, which adds little time. ``--compare`` also measures robot_state_publisher, if it
is installed.
"""

import json
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import psutil
from rclpy.node import Node
from rclpy.qos import QoSProfile
from rclpy.serialization import serialize_message
from sensor_msgs.msg import JointState
from tf2_msgs.msg import TFMessage

from benchmarks.frame import Report, main, spread
from benchmarks.nodes.network import Asker, core_share, network, resident, stop
from rigid_tree_kinematics.description import load_robot, write_urdf
from rigid_tree_kinematics.model import Joint, RigidBody, RigidBodyTree
from rigid_tree_kinematics.nodes.tf.raw_subscription import RawSubscription

START_TIMEOUT = 20.0  # s
DRAIN = 1.0  # s, to wait for TF after the last joint state
STAMP = struct.Struct("=iI")
FIRST_STAMP = 8  # in a serialized TFMessage: CDR header, number of transforms, stamp


def sixty_links() -> RigidBodyTree:
    """Return a robot of 60 bodies in four limbs: 48 moving joints and 11 fixed ones."""
    tree = RigidBodyTree("sixty_links", "link_0")
    ends = ["link_0"] * 4
    for index in range(1, 60):
        fixed = index % 5 == 0
        joint = Joint(f"joint_{index}", "fixed" if fixed else "revolute", limits=None)
        offset = np.eye(4)
        offset[:3, 3] = 0.1, 0.0, 0.05
        joint.set_fixed_transform(offset)
        tree.add_body(RigidBody(f"link_{index}", joint), ends[index % 4])
        ends[index % 4] = f"link_{index}"
    return tree


class Arrivals:
    """Records when the first frames of each joint state arrive."""

    def __init__(self, node: Node) -> None:
        self.times: dict[int, int] = {}
        self._listener = RawSubscription(
            node, TFMessage, "/tf", self._take, QoSProfile(depth=1000)
        )
        self._listener.start()

    def _take(self, data: bytes) -> None:
        now = time.time_ns()
        sec, nanosec = STAMP.unpack_from(data, FIRST_STAMP)
        self.times.setdefault(sec * 1_000_000_000 + nanosec, now)

    def close(self) -> None:
        """Stop the subscription."""
        self._listener.stop()


def measure(
    asker: Asker, command: list[str], tree: RigidBodyTree, rate: float, seconds: float
) -> dict[str, Any]:
    """Run a publisher process under load; return its cost and latency."""
    publisher = asker.node.create_publisher(JointState, "joint_states", QoSProfile(depth=1000))
    arrivals = Arrivals(asker.node)
    process = psutil.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        template = bytearray(joint_state_bytes(tree))
        deadline = time.monotonic() + START_TIMEOUT
        while not arrivals.times:
            if process.poll() is not None or time.monotonic() > deadline:
                raise SystemExit(f"{command[0]} published no frames")
            publish(publisher, template)
            time.sleep(0.1)
        arrivals.times.clear()
        with core_share([process]) as share:
            sent = publish_steadily(publisher, template, rate, 0.1 * seconds)
            memory_before = resident(process)
            sent += publish_steadily(publisher, template, rate, 0.9 * seconds)
        time.sleep(DRAIN)
        memory = resident(process)
    finally:
        stop([process])
        arrivals.close()
        asker.node.destroy_publisher(publisher)
    found = arrivals.times
    latency = [1e-6 * (found[stamp] - stamp) for stamp in sent if stamp in found]
    return {
        "sent": len(sent),
        "lost": len(sent) - len(latency),
        **spread(latency, (50, 99, 100)),
        **share,
        "MB after 10 %": memory_before,
        "MB": memory,
    }


def joint_state_bytes(tree: RigidBodyTree) -> bytes:
    names = list(tree.position_names)
    positions = tree.home_configuration().tolist()
    return bytes(serialize_message(JointState(name=names, position=positions)))


def publish(publisher: Any, template: bytearray) -> int:
    """Publish the joint state with the current time; return its stamp."""
    now = time.time_ns()
    STAMP.pack_into(template, 4, now // 1_000_000_000, now % 1_000_000_000)
    publisher.publish(bytes(template))
    return now


def publish_steadily(
    publisher: Any, template: bytearray, rate: float, seconds: float
) -> list[int]:
    begin = time.monotonic()
    sent = []
    for index in range(int(rate * seconds)):
        wait = begin + index / rate - time.monotonic()
        if wait > 0:
            time.sleep(wait)
        sent.append(publish(publisher, template))
    return sent


def commands(directory: str, tree: RigidBodyTree, compare: bool) -> dict[str, list[str]]:
    """Return the command lines of the publishers, by name."""
    urdf = Path(directory) / "robot.urdf"
    urdf.write_text(write_urdf(tree))
    program = (sys.executable, "-m", "rigid_tree_kinematics.nodes.tree_state_publisher")
    found = {"tree_state_publisher": [*program, "--ros-args", "-p", f"robot:={urdf}"]}
    if compare:
        executable = peer()
        if executable is None:
            print("robot_state_publisher is not installed: no comparison", file=sys.stderr)
        else:
            parameters = Path(directory) / "parameters.yaml"
            values = {"robot_description": urdf.read_text(), "publish_frequency": 1000.0}
            content = {"robot_state_publisher": {"ros__parameters": values}}
            parameters.write_text(json.dumps(content))  # JSON is valid YAML
            found["robot_state_publisher"] = [
                *(executable, "--ros-args", "--params-file", str(parameters))
            ]
    return found


def peer() -> str | None:
    """Return the path of robot_state_publisher, or None if it is not installed."""
    for prefix in os.environ.get("AMENT_PREFIX_PATH", "").split(os.pathsep):
        path = Path(prefix) / "lib" / "robot_state_publisher" / "robot_state_publisher"
        if path.exists():
            return str(path)
    return shutil.which("robot_state_publisher")


def run(options: Any, report: Report) -> None:
    """Measure two robots."""
    for name, tree in (("Panda", load_robot("panda")), ("60 links", sixty_links())):
        with tempfile.TemporaryDirectory() as folder, network("state_publisher") as asker:
            for node, command in commands(folder, tree, options.compare).items():
                row = measure(asker, command, tree, options.rate, options.seconds)
                report.row(f"joint states at {options.rate:g} Hz", f"{name}: {node}", row)


if __name__ == "__main__":
    main(run, seconds=20.0, rate=1000.0, compare=False)
