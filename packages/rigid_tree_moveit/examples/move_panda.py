"""A Panda moves to named, joint and pose targets and avoids a box, with MoveIt's method names.

ros2 launch rigid_tree_moveit moveit.launch.py robot:=panda
python3 move_panda.py
"""

from geometry_msgs.msg import PoseStamped

from rigid_tree_moveit.commander import MoveGroupCommander, PlanningSceneInterface


def main() -> None:
    arm = MoveGroupCommander("panda_arm", wait_for_servers=60.0)
    scene = PlanningSceneInterface()
    print("moving", arm.get_end_effector_link(), "in", arm.get_planning_frame())
    assert arm.go("ready")

    # The box blocks the straight motion to the target.
    place = PoseStamped()
    place.header.frame_id = "panda_link0"
    place.pose.position.x, place.pose.position.y, place.pose.position.z = 0.5, 0.2, 0.3
    place.pose.orientation.w = 1.0
    assert scene.add_box("box", place, size=(0.1, 0.1, 0.6))
    assert arm.go([1.2, -0.785, 0.0, -2.356, 0.0, 1.571, 0.785])
    scene.remove_world_object("box")

    # Down in a straight line, and back.
    start = arm.get_current_pose()
    arm.set_max_velocity_scaling_factor(0.3)
    lower = arm.get_current_pose().pose
    lower.position.z -= 0.1
    trajectory, fraction = arm.compute_cartesian_path([lower], 0.01)
    assert fraction == 1.0
    assert arm.execute(trajectory)
    arm.set_pose_target(start)
    assert arm.go()
    print("joints:", [round(value, 3) for value in arm.get_current_joint_values()])


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        print("stopped")
