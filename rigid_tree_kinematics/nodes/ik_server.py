"""ik_server: inverse and forward kinematics services, and tracking of a pose target."""

from collections.abc import Mapping
from typing import Any

from rigid_tree_interfaces.srv import ComputeFK, SolveIK

from rigid_tree_kinematics.deadline import Deadline
from rigid_tree_kinematics.nodes import ik
from rigid_tree_kinematics.nodes.common import robot as robots
from rigid_tree_kinematics.nodes.common.process import run_node
from rigid_tree_kinematics.nodes.common.robot import SOURCE_PARAMETERS
from rigid_tree_kinematics.nodes.scene import SceneListener
from rigid_tree_kinematics.nodes.tf import RobotInTf, TargetFrames

NAME = "ik_server"


class IkServer(robots.RobotServer[ik.IkRobot]):
    """The node. Raises a RigidTreeError or a parameter exception if it cannot start."""

    def __init__(self) -> None:
        super().__init__(NAME)
        self.settings = ik.IkSettings.declare(self)
        self.thread_count = self.settings.threads
        self._frames = TargetFrames(self)
        self._scene = SceneListener(self)
        self._tracking = ik.TargetTracking(self, self._frames, self.settings)
        self.begin()
        self.advertise(SolveIK, "inverse_kinematics", self._on_ik)
        self.advertise(ComputeFK, "forward_kinematics", self._on_fk)

    async def _on_ik(self, request: SolveIK.Request, response: SolveIK.Response) -> None:
        robot, prefix = self.present_robot, self.settings.frame_prefix
        query = ik.read_query(request, robot, self.settings)
        in_tf, solver, start = RobotInTf(robot, prefix), query.solver, query.start
        # Before the deadline starts: what takes long only the first time.
        free = self._scene.checker(robot.tree, prefix) if request.avoid_collisions else None
        await self._frames.first_transforms(query.target, in_tf)
        deadline = Deadline(query.timeout)
        T = await self._frames.in_base(query.target, in_tf, start, solver.base, deadline)
        found = ik.solve(solver, T, start, deadline, free, query.max_solutions)
        ik.fill_solutions(response, found, robot, self.get_clock().now())

    async def _on_fk(self, request: ComputeFK.Request, response: ComputeFK.Response) -> None:
        ik.answer_fk(request, self.present_robot, self.settings.frame_prefix, response)

    def make_robot(self, description: robots.RobotDescription) -> ik.IkRobot:
        """Return the robot with its solvers."""
        return ik.IkRobot(description, self.settings)

    def robot_taken(self, robot: ik.IkRobot) -> None:
        """Update the tracking for the new robot."""
        self._tracking.use(robot)

    def check(self, changed: Mapping[str, Any]) -> None:
        """Raise a RigidTreeError for an invalid change."""
        settings = self.settings.changed(changed)
        if self.robot is not None and changed.keys().isdisjoint(robots.SOURCE_PARAMETERS):
            ik.tracking_solver(self.robot, settings)

    def apply(self, changed: Mapping[str, Any]) -> None:
        """Use new settings."""
        super().apply(changed)
        if self.robot is not None:
            self.robot.apply(self.settings)
        self._tracking.apply(self.settings)


PARAMETERS = (
    ik.IkSettings,
    SOURCE_PARAMETERS,
)


def main() -> int:
    """Run the node; return the exit code of the process."""
    return run_node(NAME, IkServer, PARAMETERS)
