"""A short scenario that calls every kernel called from Python."""

import numpy as np

from rigid_tree_kinematics import (
    InverseKinematics,
    Joint,
    RigidBody,
    RigidBodyTree,
    dynamics,
    kinematics,
    load_robot,
)
from rigid_tree_kinematics.collision import (
    CollisionChecker,
    Obstacle,
    Scene,
    load_scene,
    voxel_cloud,
)
from rigid_tree_kinematics.collision.shapes.hull_distance import distances_from_hull
from rigid_tree_kinematics.collision.shapes.hulls import convex_hull
from rigid_tree_kinematics.collision.shapes.spheres import fit_spheres, surface
from rigid_tree_kinematics.description.robots import bundled_folder
from rigid_tree_kinematics.ik import (
    CollisionBarrier,
    ComTask,
    DifferentialIK,
    DirectionBounds,
    FrameTask,
    GeneralizedInverseKinematics,
    IKTracker,
    JointVelocityTask,
    LookAtTask,
    OrientationTarget,
    PlaneBarrier,
    PositionTarget,
    PostureTask,
    RelativeFrameTask,
)
from rigid_tree_kinematics.kinematics import topology
from rigid_tree_kinematics.model import Box
from rigid_tree_kinematics.model.transforms import transform, transform_from_xyz_rpy
from rigid_tree_kinematics.perception import OwnBody
from rigid_tree_kinematics.planning import MotionPlanner, PlanSettings
from rigid_tree_kinematics.planning.planar_demo import PLANAR_DEMO, search_paths
from rigid_tree_kinematics.servo import Servo, ServoSettings

ROBOT, TIP = load_robot("panda"), "panda_link8"
START = np.array([1.0, 0.3, 0.0, -1.8, 0.0, 2.1, 0.785])
GOAL = np.array([-1.0, *START[1:]])
POINTS = np.random.default_rng(1).uniform([0.5, -0.4, 0.0], [0.9, 0.4, 0.3], (2_000, 3))


def run() -> None:
    """Run all parts."""
    move_robots()
    move_by_topology()
    solve_inverse_kinematics()
    follow_tasks()
    fit_shapes()
    plan()
    follow()


def move_robots() -> None:
    """Compute the kinematics and dynamics of six configurations, then of the first one."""
    rng = np.random.default_rng(0)
    for robot in (ROBOT, load_robot("nao_v4_h21")):
        compiled = robot.compiled()
        body = compiled.body_names[-1]
        q = np.array([robot.random_configuration(rng) for _ in range(6)])
        v, a = rng.normal(size=(2, 6, compiled.velocity_count))
        kinematics.poses_in_parents(robot, q[0])
        for k in (slice(None), 0):
            kinematics.body_transforms(robot, q[k])
            kinematics.body_transform(robot, q[k], body)
            kinematics.geometric_jacobian(robot, q[k], body)
            kinematics.center_of_mass(robot, q[k])
            torque = dynamics.inverse_dynamics(robot, q[k], v[k], a[k])
            dynamics.mass_matrix(robot, q[k])
            dynamics.coriolis_matrix(robot, q[k], v[k])
            kinematics.jacobian_time_derivative(robot, q[k], v[k], body)
            dynamics.forward_dynamics(robot, q[k], v[k], torque)
    against_the_stops = np.full(7, 60.0)
    dynamics.simulate(ROBOT, START, against_the_stops, None, 0.02)


def move_by_topology() -> None:
    """Move a floating body and come back."""
    tree = RigidBodyTree()
    tree.add_body(RigidBody("body", Joint("free", "floating")), "base")
    compiled = tree.compiled()
    topology.position_rates(compiled, compiled.home, np.ones(6))
    moved = topology.integrated(compiled, compiled.home, np.ones(6), 0.1)
    topology.difference(compiled.position_kinds, compiled.home, moved)


def solve_inverse_kinematics() -> None:
    """Solve poses by both solvers, alone and in a batch, and one as a constraint."""
    configurations = np.random.default_rng(2).uniform(-1.0, 1.0, (8, 7))
    poses = kinematics.body_transform(ROBOT, configurations, TIP)
    home = ROBOT.home_configuration()
    for solver in ("lm", "bfgs"):
        ik = InverseKinematics(ROBOT, TIP, solver=solver)
        ik.solve(poses[0], home)
        ik.solve_batch(poses, np.tile(home, (8, 1)))
        IKTracker(ik).step(poses[0], 0.05)
    # Rounding decides which rows of an exact pose are violated.
    place = PositionTarget(TIP, poses[1, :3, 3], tolerance=1e-3)
    turn = OrientationTarget(TIP, poses[1, :3, :3], tolerance=1e-3)
    GeneralizedInverseKinematics(ROBOT, [place, turn]).solve()


def follow_tasks() -> None:
    """Move the hand toward a box and down to a plane, by tasks of all kinds and priorities."""
    place = kinematics.body_transform(ROBOT, START, TIP) @ transform([0.0, 0.0, 0.1])
    turn = transform_from_xyz_rpy([0.0, 0.0, 0.0], [0.6, 0.4, 0.2])  # no faces are parallel
    crate = Obstacle.of("crate", Box((0.1, 0.1, 0.1)), place @ turn)
    scene = Scene([crate])
    checker = CollisionChecker(ROBOT, scene)
    barriers = PlaneBarrier(TIP, (0, 0, 1), place[2, 3] + 0.09), CollisionBarrier(checker)
    hand = FrameTask(TIP, orientation_cost=0.0, gain=0.3, lm_damping=0.1)
    tasks = [
        JointVelocityTask({"panda_joint7": 1.0}, priority=0),
        hand,
        RelativeFrameTask(TIP, "panda_link3", priority=2),
        LookAtTask("panda_link4", priority=2),
        ComTask(priority=2),
        PostureTask(priority=2),
    ]
    ik = DifferentialIK(ROBOT, tasks, start=START, barriers=barriers)
    hand.set_target(place)
    for _ in range(9):
        ik.step(0.05)
    # A joint stops at its limit near the box, and then a box appears ahead.
    turns, limits = JointVelocityTask(), dict.fromkeys(ROBOT.joint_names, 5.0)
    start, barriers = [*START[:6], 2.85], [CollisionBarrier(checker)]
    ik = DifferentialIK(ROBOT, [turns], start=start, barriers=barriers, acceleration_limits=limits)
    turns.set_target([2.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.3])
    for number in range(10):
        ik.step(0.05)
        if number == 8:
            place = kinematics.body_transform(ROBOT, ik.configuration + 0.25 * np.eye(7)[0], TIP)
            scene.add(Obstacle.of("new", Box((0.05, 0.05, 0.05)), place @ turn))


def fit_shapes() -> None:
    """Fit spheres around a box, and measure the distance of points from it."""
    box = Box((1.0, 0.5, 0.3))
    fit_spheres(box)
    vertices, _ = surface(box)
    hull = convex_hull(vertices)
    distances_from_hull(POINTS[:5], vertices[hull.simplices], hull.equations)


def plan() -> None:
    """Plan among obstacles: for the shortest time, for the shortest path, under a constraint."""
    scene = load_scene("panda_pillars")
    scene.add(Obstacle.of("seen", voxel_cloud(POINTS, voxel=0.05, radius=0.005)))
    checker = CollisionChecker(ROBOT, scene)
    checker.check(START)
    checker.distance(START)
    checker.is_free_batch(np.array([START, GOAL]))
    checker.motion_free(START, GOAL)
    scene.add(
        Obstacle.of(
            "crate", Box((0.1, 0.1, 0.1)), transform_from_xyz_rpy([0.9, 0.0, 0.9], [0.0] * 3)
        )
    )
    checker.check(START)
    scene.remove("crate")
    checker.check(START)
    planner = MotionPlanner(ROBOT, checker)
    planner.plan(START, GOAL, PlanSettings(seed=3))
    planner.plan(START, GOAL, PlanSettings(seed=3, planner="aorrtc", time_limit=0.5))
    upright = DirectionBounds(TIP, direction=(0, 0, -1), tolerance=0.1)
    turn = transform_from_xyz_rpy([0.0, 0.0, 0.0], [0.0999, 0.0, 0.0])  # to the constraint's edge
    edge = kinematics.body_transform(ROBOT, START, TIP) @ turn
    start = InverseKinematics(ROBOT, TIP).solve(edge, START).configuration
    planner.plan(start, GOAL, PlanSettings(seed=3), constraints=[upright])
    search_paths(PLANAR_DEMO, most_runs=3)
    PLANAR_DEMO.map(20)


def follow() -> None:
    """Servo a hand to an obstacle, and tell the points on the robot from others."""
    hand = load_robot("panda_hand")
    srdf = bundled_folder("robots") / "panda_hand.srdf"
    start = np.array([0.0, -0.8, 0.0, -2.4, 0.0, 1.6, 0.8, 0.035])
    tip = kinematics.body_transform(hand, start, "panda_hand_tcp")[:3, 3]
    cloud = voxel_cloud(tip + [0.08, 0.0, 0.0] + 0.1 * POINTS * [0, 1, 1], 0.01, 0.005)
    checker = CollisionChecker(hand, Scene([Obstacle.of("seen", cloud)]), srdf=srdf)
    servo = Servo(hand, hand.joint_names[:7], "panda_hand_tcp", ServoSettings(), checker)
    servo.reset(start)
    for _ in range(20):
        servo.update_distances()
        servo.step_twist([0.2, 0.0, 0.0, 0.0, 0.0, 0.0])
    OwnBody(ROBOT, 0.03).cells(POINTS, np.eye(4), START, (), 0.02)
