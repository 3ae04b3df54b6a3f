"""The interface for nodes of other packages: parameters, startup, robots, frames, motions.

A node that moves the robot to a joint position, then exits::

    @dataclass(frozen=True)
    class TurnSettings(Parameters):
        joint: str = parameter("shoulder", "Joint that moves.")
        goal: float = parameter(1.0, "Goal position.", low=-3.0, high=3.0, unit="rad")


    class Turn(MotionNode):
        def __init__(self) -> None:
            super().__init__("turn")
            self.settings = TurnSettings.declare(self)

        async def play(self) -> None:
            self.set_timeout(30.0)
            goal = JointState(name=[self.settings.joint], position=[self.settings.goal])
            await self.move(PlanRequest(goal_states=[goal]), replans=0)


    def main() -> int:
        return run_node("turn", Turn, (TurnSettings,))

Which class to derive from:

- ``PlainNode``: a node that runs until Ctrl-C.
- ``TaskNode``: runs the coroutine ``play``, then exits; ``TaskError`` makes it fail.
- ``MotionNode``: a TaskNode that also plans and executes motions.
- ``RobotServer``: advertises services for a ``Robot``, which is named by the parameters
  ``SOURCE_PARAMETERS`` or a topic, with its joint states.

What to use inside a node:

- ``Parameters``, ``parameter``, ``on_parameter_change``: declared and checked parameters.
- ``run_node``: runs a node until it ends, then exits the process.
- ``Ticker``: calls a function periodically in its own thread. ``within``: waits for a future.
- ``DescriptionTopic``: calls a function with every ``RobotDescription`` on a topic.
- ``PolledSubscription``: stores messages until they are taken, which costs less than callbacks.
- ``FrameTable``: the latest transforms of TF.
- ``pose_matrix``, ``pose_message``: conversion of Pose messages to 4x4 and back.
- ``LATCHED``: the QoS of topics whose last message late subscribers receive.

Names are imported on first use. ``nodes.motion``, ``nodes.planning``, ``nodes.scene`` and
``nodes.tf`` list further public names in ``__all__``. Everything else in ``nodes`` may change
without notice.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rigid_tree_kinematics.lazy_names import lazy_names

if TYPE_CHECKING:
    from rigid_tree_kinematics.nodes.common.process import (
        Parameters,
        PlainNode,
        PolledSubscription,
        Ticker,
        on_parameter_change,
        parameter,
        run_node,
        within,
    )
    from rigid_tree_kinematics.nodes.common.robot import (
        LATCHED,
        SOURCE_PARAMETERS,
        DescriptionTopic,
        Robot,
        RobotDescription,
        RobotServer,
    )
    from rigid_tree_kinematics.nodes.motion import MotionNode, TaskError, TaskNode
    from rigid_tree_kinematics.nodes.tf import FrameTable, pose_matrix, pose_message

__all__ = [
    "LATCHED",
    "SOURCE_PARAMETERS",
    "DescriptionTopic",
    "FrameTable",
    "MotionNode",
    "Parameters",
    "PlainNode",
    "PolledSubscription",
    "Robot",
    "RobotDescription",
    "RobotServer",
    "TaskError",
    "TaskNode",
    "Ticker",
    "on_parameter_change",
    "parameter",
    "pose_matrix",
    "pose_message",
    "run_node",
    "within",
]

# Nodes without a robot or motions load neither.
__getattr__ = lazy_names(__name__)
