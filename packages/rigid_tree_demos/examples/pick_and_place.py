"""A Panda carries a box from one side of a pillar to the other, with pymoveit2.

    pip install pymoveit2
    ros2 launch rigid_tree_demos pick_and_place.launch.py          # also starts this script

To run your own copy, start the robot in another terminal:

    ros2 launch rigid_tree_moveit moveit.launch.py robot:=panda_hand
    python3 pick_and_place.py

The script does not import this package. It also runs with MoveIt, if that has the group panda_arm
and the action gripper_action_controller/gripper_cmd.
"""

import argparse
import sys
import threading
import time
from collections.abc import Callable

import rclpy
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.executors import MultiThreadedExecutor
from rclpy.signals import SignalHandlerOptions

try:
    from pymoveit2 import GripperCommand, GripperInterface, MoveIt2
    from pymoveit2.robots import panda
except ImportError:
    sys.exit("pymoveit2 is missing: pip install pymoveit2")

TIMEOUT = 60.0  # s, of a motion
LOG_PERIOD = 5.0  # s between two log lines while waiting
IDENTITY = (0.0, 0.0, 0.0, 1.0)
DOWN = (1.0, 0.0, 0.0, 0.0)  # the hand points down
# Centers and sizes in panda_link0, m.
TABLE, TABLE_SIZE = (0.55, 0.0, 0.18), (0.7, 1.2, 0.04)
PILLAR, PILLAR_SIZE = (0.5, 0.0, 0.45), (0.08, 0.08, 0.5)
BOX_SIZE = (0.05, 0.05, 0.1)
BOX_HEIGHT = 0.252  # of the center: the box is 2 mm above the table
SIDES = ((0.5, 0.3), (0.5, -0.3))
GRASP, ABOVE = 0.28, 0.42  # heights of the tip, m
HALF_BOX = 0.5 * BOX_SIZE[1]
FINGERS = ["panda_hand", "panda_leftfinger", "panda_rightfinger"]


class PickAndPlace:
    """The arm, its gripper and the scene. Failures raise a RuntimeError."""

    def __init__(self, node: rclpy.node.Node) -> None:
        self._log = node.get_logger()
        group = ReentrantCallbackGroup()
        self._arm = MoveIt2(
            node,
            panda.joint_names(),
            panda.base_link_name(),
            panda.end_effector_name(),
            "panda_arm",
            callback_group=group,
            # Plans of the action include the attached box. pymoveit2's other plans do not: their
            # start states name all joints, and no objects.
            use_move_group_action=True,
        )
        self._gripper = GripperInterface(
            node,
            panda.gripper_joint_names(),
            panda.OPEN_GRIPPER_JOINT_POSITIONS,
            panda.CLOSED_GRIPPER_JOINT_POSITIONS,
            callback_group=group,
            interface=GripperCommand,
        )
        self._arm.max_velocity = self._arm.max_acceleration = 0.5
        self._arm.allowed_planning_time = 5.0  # s

    def set_the_scene(self) -> None:
        """Add the table, the pillar and the box to the scene."""
        while not self._arm.wait_for_joint_state(LOG_PERIOD):
            self._say("waiting for joint states ...")
        wanted = {
            "table": (TABLE_SIZE, TABLE),
            "pillar": (PILLAR_SIZE, PILLAR),
            "box": (BOX_SIZE, (*SIDES[0], BOX_HEIGHT)),
        }

        while missing := wanted.keys() - self._objects():
            for name in missing:
                size, center = wanted[name]
                self._arm.add_collision_box(name, size, position=center, quat_xyzw=IDENTITY)
            time.sleep(0.2)  # then try again: move_group may not have its robot yet

    def carry(self, start: tuple[float, float], end: tuple[float, float]) -> None:
        """Carry the box from one place (x, y) to another."""
        self._say("to the box")
        self._done(self._gripper, self._gripper.open())
        self._move((*start, ABOVE))
        self._move((*start, GRASP), straight=True)
        self._done(self._gripper, self._gripper.move_to_position(HALF_BOX))
        self._arm.attach_collision_object("box", panda.end_effector_name(), FINGERS)
        self._until(lambda: "box" not in self._objects(), "the attached box")
        self._say("around the pillar")
        self._move((*start, ABOVE), straight=True)
        self._move((*end, ABOVE))
        self._move((*end, GRASP), straight=True)
        self._say("down")
        self._done(self._gripper, self._gripper.open())
        self._arm.detach_collision_object("box")
        self._until(lambda: "box" in self._objects(), "the detached box")
        self._move((*end, ABOVE), straight=True)

    def _move(self, position: tuple[float, float, float], straight: bool = False) -> None:
        self._arm.move_to_pose(
            position=position,
            quat_xyzw=DOWN,
            cartesian=straight,
            cartesian_fraction_threshold=1.0 if straight else 0.0,
        )
        if not self._arm.wait_until_executed(TIMEOUT):
            raise RuntimeError(f"the motion to {position} failed: {self._arm.last_failure()}")

    def _done(self, gripper: GripperInterface, sent: bool) -> None:
        if not (sent and gripper.wait_until_executed(TIMEOUT)):
            raise RuntimeError(f"the gripper failed: {gripper.last_failure()}")

    def _objects(self) -> set[str]:
        """Return the names of the objects in the scene that are not attached."""
        while not self._arm.update_planning_scene(timeout_sec=LOG_PERIOD):
            self._say("waiting for move_group, which may take a minute to start ...")
        return {item.id for item in self._arm.planning_scene.world.collision_objects}

    def _until(self, condition: Callable[[], bool], what: str) -> None:
        deadline = time.monotonic() + TIMEOUT
        while not condition():
            if time.monotonic() > deadline:
                raise RuntimeError(f"timeout while waiting for {what}")
            time.sleep(0.05)

    def _say(self, words: str) -> None:
        self._log.info(words)


def run(once: bool) -> None:
    """Carry the box back and forth, or once."""
    node = rclpy.create_node("pick_and_place")
    # Before the executor: rclpy's can fail on an action client that is still being created.
    robot = PickAndPlace(node)
    executor = MultiThreadedExecutor(3)
    executor.add_node(node)
    thread = threading.Thread(target=executor.spin, daemon=True)
    thread.start()
    try:
        robot.set_the_scene()
        ends = SIDES
        while True:
            robot.carry(*ends)
            if once:
                node.get_logger().info("the box is on the other side")
                return
            ends = ends[::-1]
    finally:
        executor.shutdown()
        thread.join(TIMEOUT)
        node.destroy_node()


def main() -> int:
    """Return the exit code: 1 after a failure, 0 after the end or Ctrl-C."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--once", action="store_true", help="exit when the box has been set down")
    chosen = parser.parse_args(rclpy.utilities.remove_ros_args(sys.argv)[1:])
    try:
        # rclpy's handler would end the context while the executor's thread uses it.
        rclpy.init(signal_handler_options=SignalHandlerOptions.NO)
        run(chosen.once)
    except KeyboardInterrupt:
        pass
    except RuntimeError as error:
        rclpy.logging.get_logger("pick_and_place").error(str(error))
        return 1
    finally:
        rclpy.try_shutdown()
    return 0


if __name__ == "__main__":
    sys.exit(main())
