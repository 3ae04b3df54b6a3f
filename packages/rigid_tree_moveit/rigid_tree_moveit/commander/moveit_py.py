"""MoveItPy, its planning components and its scene monitor, with moveit_py's names."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

from geometry_msgs.msg import PoseStamped
from moveit_msgs import msg
from moveit_msgs.srv import GetStateValidity

from rigid_tree_moveit.commander.client import Client
from rigid_tree_moveit.commander.errors import CommanderError
from rigid_tree_moveit.commander.fields import converted
from rigid_tree_moveit.commander.goals import constrain_pose, joint_goal
from rigid_tree_moveit.commander.robot_state import RobotModel, RobotState

# The tolerances of moveit_cpp's goals.
JOINT, DISTANCE, ANGLE = 1e-4, 1e-4, 1e-3
DEFAULT = "plan_request_params"  # of MoveItPy's parameters
WHOLE_SCENE = 1023  # all PlanningSceneComponents of moveit_msgs


class MoveItPy:
    """Plans and moves with a move_group node; MoveIt's class plans in its own process.

    Args:
        node_name: of the client's node.
        name_space: of move_group.
        launch_params_filepaths: parameter files, for ``plan_request_params``; None: those of the
            command line.
        config_dict: the same parameters as a dictionary.
        remappings: names to remap, such as joint_states.

    Raises CommanderError if move_group is missing.
    """

    def __init__(
        self,
        node_name: str = "moveit_py",
        name_space: str = "",
        launch_params_filepaths: Sequence[str] | None = None,
        config_dict: Mapping[str, Any] | None = None,
        remappings: Mapping[str, str] | None = None,
    ) -> None:
        options = [("-r", f"{old}:={new}") for old, new in (remappings or {}).items()]
        options += [("--params-file", path) for path in launch_params_filepaths or ()]
        arguments = ["--ros-args", *(text for pair in options for text in pair)]
        self._client = Client(name_space, node_name, arguments=arguments if options else None)
        self._config = config_dict

    def get_planning_component(self, planning_component_name: str) -> PlanningComponent:
        """Return a planning group; CommanderError lists the groups."""
        return PlanningComponent(planning_component_name, self)

    def get_planning_scene_monitor(self) -> PlanningSceneMonitor:
        """Return the planning scene of move_group."""
        return PlanningSceneMonitor(self._client)

    def get_trajectory_execution_manager(self) -> Client:
        """Return an object with ``stop_execution``."""
        return self._client

    def get_robot_model(self) -> RobotModel:
        """Return the robot."""
        return RobotModel(self._client)

    def execute(self, robot_trajectory: RobotTrajectory, controllers: Sequence[str] = ()) -> bool:
        """Execute a trajectory; return whether its end was reached.

        move_group selects the controllers.
        """
        return self._client.execute(robot_trajectory.get_robot_trajectory_msg())

    def _parameters(self, namespace: str) -> dict[str, Any]:
        """Return ``plan_request_params`` of a namespace; empty if there are none."""
        path = [*namespace.split("."), DEFAULT] if namespace else [DEFAULT]
        if self._config is None:
            found = self._client.node.get_parameters_by_prefix(".".join(path))
            return {name: parameter.value for name, parameter in found.items()}
        given: Any = self._config
        for part in path:
            given = given.get(part, {})
        return dict(given)

    def shutdown(self) -> None:
        """Destroy the node."""
        self._client.close()


class PlanRequestParameters:
    """Planner settings from MoveItPy's parameters ``<namespace>.plan_request_params``."""

    def __init__(self, moveit_py: MoveItPy, namespace: str = "") -> None:
        given = moveit_py._parameters(namespace)

        def value(name: str, kind: str, default: Any) -> Any:
            return converted(name, kind, given.get(name, default))

        self.planner_id: str = value("planner_id", "string", "")
        self.planning_pipeline: str = value("planning_pipeline", "string", "")
        self.planning_time: float = value("planning_time", "double", 1.0)
        self.planning_attempts: int = value("planning_attempts", "int32", 5)
        self.max_velocity_scaling_factor, self.max_acceleration_scaling_factor = (
            value(f"max_{kind}_scaling_factor", "double", 1.0)
            for kind in ("velocity", "acceleration")
        )


class MultiPipelinePlanRequestParameters:
    """Several PlanRequestParameters, by their namespaces."""

    def __init__(self, moveit_py: MoveItPy, planning_pipeline_names: Sequence[str]) -> None:
        names = converted("planning_pipeline_names", "sequence<string>", planning_pipeline_names)
        self.multi_plan_request_parameters = [
            PlanRequestParameters(moveit_py, name) for name in names
        ]


class RobotTrajectory:
    """A planned trajectory."""

    def __init__(self, message: msg.RobotTrajectory, group: str) -> None:
        self._message = message
        self.joint_model_group_name = group

    def get_robot_trajectory_msg(self) -> msg.RobotTrajectory:
        """Return the trajectory as a message."""
        return self._message

    def __len__(self) -> int:
        return len(self._message.joint_trajectory.points)

    @property
    def duration(self) -> float:
        """The time of the last point, s."""
        points = self._message.joint_trajectory.points
        end = points[-1].time_from_start if points else None
        return end.sec + 1e-9 * end.nanosec if end else 0.0


class MotionPlanResponse:
    """The result of a plan; truthy if it succeeded."""

    def __init__(self, message: msg.MotionPlanResponse, planner_id: str) -> None:
        self.trajectory = RobotTrajectory(message.trajectory, message.group_name)
        self.planning_time: float = message.planning_time
        self.error_code: msg.MoveItErrorCodes = message.error_code
        self.start_state: msg.RobotState = message.trajectory_start
        self.planner_id = planner_id

    def __bool__(self) -> bool:
        return bool(self.error_code.val == msg.MoveItErrorCodes.SUCCESS)


class PlanningComponent:
    """Plans motions of a group.

    Raises CommanderError for an unknown group.
    """

    def __init__(self, joint_model_group_name: str, moveit_py_instance: MoveItPy) -> None:
        self._moveit = moveit_py_instance
        self._client = moveit_py_instance._client
        self._group = self._client.group(joint_model_group_name)
        self._request = msg.MotionPlanRequest(group_name=joint_model_group_name)
        self.set_start_state_to_current_state()

    @property
    def planning_group_name(self) -> str:
        """The group's name."""
        return self._group.name

    @property
    def named_target_states(self) -> list[str]:
        """The names of the SRDF's states."""
        return list(self._group.states)

    def get_named_target_state_values(self, name: str) -> dict[str, float]:
        """Return a state of the SRDF by joint; CommanderError lists the names."""
        return self._client.named(self._group.name, name)

    def set_start_state_to_current_state(self) -> bool:
        """Plan from the current state."""
        self._request.start_state = msg.RobotState(is_diff=True)
        return True

    def set_start_state(
        self, configuration_name: str | None = None, robot_state: RobotState | None = None
    ) -> bool:
        """Plan from a state of the SRDF, or from a RobotState."""
        _one_of(configuration_name=configuration_name, robot_state=robot_state)
        state = robot_state
        if state is None:
            state = RobotState(self._moveit.get_robot_model())
            state.joint_positions = self._client.positions()
            state.joint_positions = self.get_named_target_state_values(str(configuration_name))
        self._request.start_state = state.state_message
        return True

    def set_goal_state(
        self,
        configuration_name: str | None = None,
        robot_state: RobotState | None = None,
        pose_stamped_msg: PoseStamped | None = None,
        pose_link: str | None = None,
        motion_plan_constraints: Sequence[msg.Constraints] | None = None,
    ) -> bool:
        """Set the goal: a state of the SRDF, a RobotState, a link's pose, or alternatives.

        Raises CommanderError unless exactly one of them is given, and for unknown names.
        """
        _one_of(
            configuration_name=configuration_name,
            robot_state=robot_state,
            pose_stamped_msg=pose_stamped_msg,
            motion_plan_constraints=motion_plan_constraints,
        )
        if (pose_stamped_msg is None) != (pose_link is None):
            raise CommanderError("pose_stamped_msg and pose_link must be given together")
        if motion_plan_constraints is not None:
            kind = "sequence<moveit_msgs/Constraints>"
            goals = converted("motion_plan_constraints", kind, motion_plan_constraints)
        elif pose_stamped_msg is not None:
            goals = [msg.Constraints()]
            pose = converted("pose_stamped_msg", "geometry_msgs/PoseStamped", pose_stamped_msg)
            constrain_pose(goals[0], str(pose_link), pose, DISTANCE, ANGLE)
        elif robot_state is not None:
            at = robot_state.joint_positions
            goals = [joint_goal({name: at[name] for name in self._group.joints}, JOINT)]
        else:
            at = self.get_named_target_state_values(str(configuration_name))
            goals = [joint_goal(at, JOINT)]
        self._request.goal_constraints = goals
        return True

    def set_path_constraints(self, path_constraints: msg.Constraints) -> bool:
        """Set constraints of the whole path."""
        self._request.path_constraints = converted(
            "path_constraints", "moveit_msgs/Constraints", path_constraints
        )
        return True

    def plan(
        self,
        single_plan_parameters: PlanRequestParameters | None = None,
        multi_plan_parameters: MultiPipelinePlanRequestParameters | None = None,
    ) -> MotionPlanResponse:
        """Return a plan, which is falsy if it failed; with several parameters, the shortest plan.

        Failures are logged with MoveIt's code. Raises CommanderError if there is no goal.
        """
        if not self._request.goal_constraints:
            raise CommanderError(f"group '{self._group.name}': call set_goal_state first")
        if single_plan_parameters and multi_plan_parameters:
            raise CommanderError("give single_plan_parameters or multi_plan_parameters, not both")
        chosen = [single_plan_parameters or PlanRequestParameters(self._moveit)]
        if multi_plan_parameters:
            chosen = multi_plan_parameters.multi_plan_request_parameters
        if not chosen:
            raise CommanderError("multi_plan_parameters has no pipelines")
        with ThreadPoolExecutor(len(chosen)) as pool:
            plans = list(pool.map(self._plan, chosen))
        return min(plans, key=lambda plan: plan.trajectory.duration if plan else float("inf"))

    def _plan(self, parameters: PlanRequestParameters) -> MotionPlanResponse:
        request = copy.copy(self._request)
        request.pipeline_id = parameters.planning_pipeline
        request.planner_id = parameters.planner_id
        request.num_planning_attempts = parameters.planning_attempts
        request.allowed_planning_time = parameters.planning_time
        request.max_velocity_scaling_factor = parameters.max_velocity_scaling_factor
        request.max_acceleration_scaling_factor = parameters.max_acceleration_scaling_factor
        return MotionPlanResponse(self._client.plan(request), parameters.planner_id)


class PlanningSceneMonitor:
    """The planning scene of move_group."""

    def __init__(self, client: Client) -> None:
        self._client = client

    @contextmanager
    def read_only(self) -> Iterator[PlanningScene]:
        """Yield a copy of the scene."""
        yield PlanningScene(self._client)

    # Changes are applied at once. Other clients may change the scene meanwhile.
    read_write = read_only

    def process_collision_object(self, collision_object_msg: msg.CollisionObject) -> bool:
        """Add, move or remove an object."""
        return self._client.change(collision_object_msg)

    def process_attached_collision_object(
        self, attached_collision_object_msg: msg.AttachedCollisionObject
    ) -> bool:
        """Attach or detach an object."""
        return self._client.change(attached_collision_object_msg)


class PlanningScene:
    """A copy of the scene; its methods check and change that of move_group."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self.planning_scene_message: msg.PlanningScene = client.scene(WHOLE_SCENE)
        self.robot_model = RobotModel(client)
        self.current_state = RobotState(self.robot_model)
        self.current_state.joint_positions = client.positions()
        self.planning_frame = client.planning_frame

    def apply_collision_object(self, collision_object_msg: msg.CollisionObject) -> bool:
        """Add, move or remove an object."""
        return self._client.change(collision_object_msg)

    def process_attached_collision_object(self, object: msg.AttachedCollisionObject) -> bool:
        """Attach or detach an object."""
        return self._client.change(object)

    def remove_all_collision_objects(self) -> bool:
        """Remove all objects that are not attached."""
        return self._client.change(msg.CollisionObject(operation=msg.CollisionObject.REMOVE))

    def is_state_valid(
        self, robot_state: RobotState, joint_model_group_name: str, verbose: bool = False
    ) -> bool:
        """Return whether a state has no collisions and is within the limits."""
        return bool(self._validity(robot_state, joint_model_group_name).valid)

    def is_state_colliding(
        self,
        robot_state: RobotState | None = None,
        joint_model_group_name: str = "",
        verbose: bool = False,
    ) -> bool:
        """Return whether a state, by default the current one, has collisions; log the pairs."""
        found = self._validity(robot_state or self.current_state, joint_model_group_name).contacts
        if verbose:
            pairs = sorted({(one.contact_body_1, one.contact_body_2) for one in found})
            self._client.log.info(f"collisions: {pairs or 'none'}")
        return bool(found)

    def _validity(self, state: RobotState, group: str) -> GetStateValidity.Response:
        request = GetStateValidity.Request(robot_state=state.state_message, group_name=group)
        return self._client.call("check_state_validity", request)


def _one_of(**given: Any) -> None:
    names = [name for name, value in given.items() if value is not None]
    if len(names) != 1:
        found = " and ".join(names) or "none"
        raise CommanderError(f"give exactly one of {', '.join(given)}, not {found}")
