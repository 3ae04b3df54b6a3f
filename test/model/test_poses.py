"""Pose types of other libraries are accepted wherever a 4x4 is."""

import numpy as np
import pinocchio as pin
import pytest
import spatialmath as sm
from scipy.spatial import transform as scipy_transform
from scipy.spatial.transform import Rotation

from harness.cases import case
from rigid_tree_kinematics import InverseKinematics, load_robot
from rigid_tree_kinematics.collision import CollisionChecker, Obstacle, PlacedShape, Scene
from rigid_tree_kinematics.deadline import Deadline
from rigid_tree_kinematics.errors import ConfigurationError, ModelError
from rigid_tree_kinematics.ik import (
    CartesianBounds,
    IKTracker,
    OrientationBounds,
    OrientationTarget,
    PoseTarget,
    RegionBounds,
    free_solutions,
)
from rigid_tree_kinematics.model import Box
from rigid_tree_kinematics.model.transforms import rotation_taking_z_to
from rigid_tree_kinematics.model.transforms.poses import checked_pose, checked_rotation, pose_array
from rigid_tree_kinematics.perception import OwnBody
from rigid_tree_kinematics.planning import (
    PoseGoal,
    PoseRegion,
    ToolLine,
    arc_about,
    exact_solver,
    follow_straight_line,
)
from rigid_tree_kinematics.servo import Servo

RPY, XYZ = (0.1, 0.2, 0.3), (0.4, 0.1, 0.5)
R = Rotation.from_euler("xyz", RPY).as_matrix()
T = np.eye(4)
T[:3, :3], T[:3, 3] = R, XYZ
TURN = np.eye(4)
TURN[:3, :3] = R

POSES = {
    "spatialmath": sm.SE3(*XYZ) * sm.SE3.RPY(RPY),
    "Pinocchio": pin.SE3(R, np.array(XYZ)),
    "nested list": T.tolist(),
}
# SciPy has it since 1.16.
if hasattr(scipy_transform, "RigidTransform"):
    POSES["SciPy"] = scipy_transform.RigidTransform.from_matrix(T)
TURNS = {
    "SO3": sm.SO3.RPY(RPY),
    "UnitQuaternion": sm.UnitQuaternion.RPY(RPY),
    "Rotation": Rotation.from_euler("xyz", RPY),
}


def test_a_pose_is_its_matrix_and_a_rotation_one_at_the_origin():
    for name, given in POSES.items():
        with case(name):
            np.testing.assert_allclose(pose_array(given), T, atol=1e-15)
            np.testing.assert_allclose(checked_pose(given, "it"), T, atol=1e-15)
            several = pose_array([given, given, T])
            np.testing.assert_allclose(several, [T, T, T], atol=1e-15)
    for name, given in TURNS.items():
        with case(name):
            np.testing.assert_allclose(checked_pose(given, "it"), TURN, atol=1e-15)
            np.testing.assert_allclose(checked_rotation(given, "it"), R, atol=1e-15)
    np.testing.assert_allclose(pose_array(sm.SE3([T, TURN])), [T, TURN])
    several = pose_array(Rotation.from_matrix([R, R.T]))[:, :3, :3]
    np.testing.assert_allclose(several, [R, R.T], atol=1e-15)
    for wrong in (sm.SE2(0, 0, 0.3), sm.SO2(0.3), sm.SE3([T, T]), "pose", None):
        with case(wrong), pytest.raises(ModelError, match="target: "):
            checked_pose(wrong, "target")


@pytest.fixture(scope="module")
def robot():
    return load_robot("panda")


BODY = "panda_link8"
DOWN = sm.SE3(0.4, 0.1, 0.5) * sm.SE3.Rx(np.pi)


@pytest.fixture(params=list(POSES))
def pose(request):
    """Return one reachable pose as an object of a library, and as a matrix."""
    makers = {"spatialmath": sm.SE3, "Pinocchio": pin.SE3, "nested list": np.ndarray.tolist}
    if request.param == "SciPy":
        return scipy_transform.RigidTransform.from_matrix(DOWN.A), DOWN.A
    return makers[request.param](DOWN.A), DOWN.A


def test_inverse_kinematics(robot, pose):
    given, matrix = pose
    ik = InverseKinematics(robot, BODY)
    for solve in (ik.solve, lambda target: ik.solve_batch([target, target])[1]):
        a, b = solve(given), solve(matrix)
        assert a.success
        np.testing.assert_array_equal(a.configuration, b.configuration)
    assert ik.solve_all(given, most=2)[1].success
    free = [free_solutions(ik, CollisionChecker(robot), target)[0] for target in (given, matrix)]
    np.testing.assert_array_equal(*(found[0].configuration for found in free))
    tool = InverseKinematics(robot, BODY, tool=given)
    np.testing.assert_array_equal(tool.tool, matrix)
    step = IKTracker(ik).step(given, 0.01)
    np.testing.assert_array_equal(
        step.configuration, IKTracker(ik).step(matrix, 0.01).configuration
    )
    with pytest.raises(ModelError, match=r"target: SE2.* 4x4"):
        ik.solve(sm.SE2(0, 0, 0.3))
    with pytest.raises(ConfigurationError, match="SE2"):
        ik.solve_batch([sm.SE2(1, 2, 0.3)])


def test_constraints_and_goals(robot, pose):
    given, matrix = pose
    for made in (PoseTarget(BODY, given).target, PoseTarget(BODY, np.eye(4), tool=given).tool):
        np.testing.assert_array_equal(made, matrix)
    bounds = CartesianBounds(BODY, (0, 0, 0), (1, 1, 1), box=given)
    np.testing.assert_array_equal(bounds.box, matrix)
    turn = matrix[:3, :3] if isinstance(given, list) else given
    np.testing.assert_array_equal(OrientationTarget(BODY, turn).target, matrix[:3, :3])
    made = OrientationBounds(BODY, turn, (0.1, 0.1, 0.1), axes=turn)
    np.testing.assert_array_equal(made.target, matrix[:3, :3])
    np.testing.assert_array_equal(made.axes, matrix[:3, :3])
    regions = RegionBounds(BODY, [(Box((1, 1, 1)), given)]).regions
    np.testing.assert_array_equal(regions[0][1], matrix)
    np.testing.assert_array_equal(PoseGoal(BODY, given).pose, matrix)
    bounds = np.zeros((3, 2))
    np.testing.assert_array_equal(PoseRegion(BODY, given, bounds, bounds).pose, matrix)


def test_obstacles_paths_and_sensors(robot, pose):
    given, matrix = pose
    np.testing.assert_array_equal(PlacedShape(Box((1, 1, 1)), given).pose, matrix)
    scene = Scene([Obstacle.of("box", Box((0.1, 0.1, 0.1)), given)])
    scene.move("box", np.eye(4))
    scene.move("box", given)
    np.testing.assert_array_equal(scene.obstacles["box"].pose, matrix)
    scene.attach("box", BODY, given)
    np.testing.assert_array_equal(scene.attached["box"].T_body_obstacle, matrix)
    line = ToolLine(np.eye(4), given)
    np.testing.assert_array_equal(line.end, matrix)
    assert line.length == pytest.approx(np.linalg.norm(matrix[:3, 3]))
    q = InverseKinematics(robot, BODY).solve(matrix).configuration
    higher = sm.SE3(0, 0, 0.05).A @ matrix
    deadline = Deadline(10.0)
    followed = follow_straight_line(
        exact_solver(robot.compiled(), BODY),
        q,
        [pin.SE3(higher), given],
        0.05,
        deadline=deadline,
    )
    np.testing.assert_allclose(
        robot.get_transform(followed.path[-1], BODY), matrix, atol=1e-6, err_msg=followed.trouble
    )
    servos = [Servo(robot, robot.joint_names, BODY) for _ in range(2)]
    steps = [
        servo.step_pose(target) for servo, target in zip(servos, (given, matrix), strict=True)
    ]
    np.testing.assert_array_equal(servos[0].velocities, servos[1].velocities)
    assert steps[0].status == steps[1].status
    points = np.random.default_rng(0).uniform(-0.5, 0.5, (50, 3))
    seen = [
        OwnBody(robot, 0.01).cells(points, sensor, robot.home_configuration(), (), 0.05).numbers
        for sensor in (given, matrix)
    ]
    np.testing.assert_array_equal(*seen)
    with pytest.raises(ModelError, match="end: "):
        arc_about(given, sm.SE2(1, 2, 0.3), np.zeros(3))


@pytest.mark.parametrize("off", [1e-1, 1e-5, 1e-6, 1e-9, 1e-150, 0.0])
def test_rotations_to_axes_near_minus_z_are_exact(off):
    axis = np.array([off, -0.3 * off, -np.sqrt(1.0 - 1.09 * off * off)])
    R = rotation_taking_z_to(axis)
    np.testing.assert_allclose(R @ R.T, np.eye(3), atol=1e-15)
    np.testing.assert_allclose(R[:, 2], axis, rtol=1e-12, atol=0.0)


def test_rounded_digits_are_replaced_by_the_nearest_rotation():
    """As in gtsam (pull request 2621); spatialmath-python rejects them (issues 28 and 112)."""
    robot = load_robot("panda")
    q = robot.home_configuration() + 0.1
    exact = robot.get_transform(q, "panda_link8")
    rounded = exact.round(4)
    pose = checked_pose(rounded, "target")
    assert np.abs(pose[:3, :3] @ pose[:3, :3].T - np.eye(3)).max() < 1e-12
    assert np.abs(pose - exact).max() < 1e-4
    ik = InverseKinematics(robot, "panda_link8")
    for result in (
        ik.solve(rounded, q),
        ik.solve_all(rounded, q, most=1)[0],
        ik.solve_batch([rounded], q)[0],
    ):
        assert result.success
        assert np.abs(robot.get_transform(result.configuration, "panda_link8") - pose).max() < 1e-4
    assert np.array_equal(checked_pose(exact, "target"), exact)
    for wrong in (exact.round(2), np.diag((1.01, 1.0, 1.0, 1.0))):
        with pytest.raises(ModelError, match="not a rotation"):
            ik.solve(wrong)
