"""Joint states at 1 kHz into a state publisher: latency to TF, processor share, losses.

python -m benchmarks.nodes.state_publisher [--json FILE] [--seconds 20] [--rate 1000] [--compare]

The publisher runs in a process of its own; this process publishes joint states and receives TF
as bytes, so that it adds as little as possible. ``--compare`` measures robot_state_publisher in
the same way, where ROS 2 with it is installed.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shutil
import struct
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import rclpy
from rclpy.qos import QoSProfile
from rclpy.serialization import serialize_message
from sensor_msgs.msg import JointState
from tf2_msgs.msg import TFMessage

from rigid_tree_kinematics.description import load_robot, write_urdf
from rigid_tree_kinematics.model import Joint, RigidBody, RigidBodyTree
from rigid_tree_kinematics.nodes.common.raw_subscription import RawSubscription

START_TIMEOUT = 20.0  # s
DRAIN = 1.0  # s after the last joint state in which TF may still arrive
STAMP = struct.Struct("=iI")
FIRST_STAMP = 8  # in the bytes of a TFMessage: CDR header, number of transforms, stamp


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


def processor_seconds(pid: int) -> float:
    """Return the processor time that a process has used, in user and system mode."""
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(") ", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def resident_megabytes(pid: int) -> float:
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def measure(
    command: list[str], tree: RigidBodyTree, rate: float, seconds: float
) -> dict[str, Any]:
    """Run one publisher process under load; return what it cost and how late it was."""
    node = rclpy.create_node("state_publisher_benchmark")
    publisher = node.create_publisher(JointState, "joint_states", QoSProfile(depth=1000))
    arrivals: dict[int, int] = {}
    first = threading.Event()

    def on_transforms(data: bytes) -> None:
        now = time.time_ns()
        sec, nanosec = STAMP.unpack_from(data, FIRST_STAMP)
        arrivals.setdefault(sec * 1_000_000_000 + nanosec, now)
        first.set()

    listener = RawSubscription(node, TFMessage, "/tf", on_transforms, QoSProfile(depth=1000))
    listener.start()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        template = bytearray(joint_state_bytes(tree))
        deadline = time.monotonic() + START_TIMEOUT
        while not first.wait(0.1):
            if process.poll() is not None or time.monotonic() > deadline:
                raise SystemExit(f"{command[0]} published no frames")
            publish(publisher, template)
        arrivals.clear()
        before, begin = processor_seconds(process.pid), time.monotonic()
        warm = 0.1 * seconds
        sent = publish_steadily(publisher, template, rate, warm)
        memory_begin = resident_megabytes(process.pid)
        sent += publish_steadily(publisher, template, rate, seconds - warm)
        share = (processor_seconds(process.pid) - before) / (time.monotonic() - begin)
        time.sleep(DRAIN)
        memory = resident_megabytes(process.pid)
    finally:
        process.terminate()
        process.wait(10)
        listener.stop()
        node.destroy_node()
    latency = np.array([arrivals[stamp] - stamp for stamp in sent if stamp in arrivals]) / 1e3
    lost = len(sent) - len(latency)
    return {
        "sent": len(sent),
        "lost": lost,
        "lost_percent": 100.0 * lost / len(sent),
        "latency_us": {
            "median": float(np.median(latency)),
            "p99": float(np.percentile(latency, 99)),
            "max": float(latency.max()),
        },
        "processor_percent": 100.0 * share,
        "resident_mb_after_a_tenth": memory_begin,
        "resident_mb": memory,
    }


def joint_state_bytes(tree: RigidBodyTree) -> bytes:
    names = list(tree.position_names)
    positions = tree.home_configuration().tolist()
    return bytes(serialize_message(JointState(name=names, position=positions)))


def publish(publisher: Any, template: bytearray) -> int:
    """Publish the joint state with the time of now; return that."""
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
    """Return the command lines to measure, by name."""
    urdf = Path(directory) / "robot.urdf"
    urdf.write_text(write_urdf(tree))
    module = "rigid_tree_kinematics.nodes.tree_state_publisher"
    found = {
        "tree_state_publisher": [
            *(sys.executable, "-m", module, "--ros-args", "-p", f"robot:={urdf}")
        ]
    }
    if compare:
        executable = peer()
        if executable is None:
            print("robot_state_publisher is not installed here: no comparison", file=sys.stderr)
        else:
            parameters = Path(directory) / "parameters.yaml"
            values = {"robot_description": urdf.read_text(), "publish_frequency": 1000.0}
            content = {"robot_state_publisher": {"ros__parameters": values}}
            parameters.write_text(json.dumps(content))  # JSON is YAML
            found["robot_state_publisher"] = [
                *(executable, "--ros-args", "--params-file", str(parameters))
            ]
    return found


def peer() -> str | None:
    """Return the path of robot_state_publisher's executable, if there is one."""
    for prefix in os.environ.get("AMENT_PREFIX_PATH", "").split(os.pathsep):
        path = Path(prefix) / "lib" / "robot_state_publisher" / "robot_state_publisher"
        if path.exists():
            return str(path)
    return shutil.which("robot_state_publisher")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", help="write the results to this file")
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--rate", type=float, default=1000.0, help="joint states a second")
    parser.add_argument("--compare", action="store_true", help="measure robot_state_publisher too")
    options = parser.parse_args()
    rclpy.init()
    machine = {"python": platform.python_version(), "cpus": os.cpu_count()}
    results: dict[str, Any] = {"machine": machine, "rate": options.rate, "robots": {}}
    for name, tree in (("panda", load_robot("panda")), ("sixty_links", sixty_links())):
        with tempfile.TemporaryDirectory() as directory:
            for node, command in commands(directory, tree, options.compare).items():
                result = measure(command, tree, options.rate, options.seconds)
                results["robots"].setdefault(name, {})[node] = result
                latency = result["latency_us"]
                print(
                    f"{name:12} {node:22} median {latency['median']:6.0f} us, p99 "
                    f"{latency['p99']:6.0f} us, processor {result['processor_percent']:5.1f} %, "
                    f"lost {result['lost']} of {result['sent']}, {result['resident_mb']:.0f} MB"
                )
    rclpy.try_shutdown()
    if options.json:
        Path(options.json).write_text(json.dumps(results, indent=2) + "\n")


if __name__ == "__main__":
    main()
