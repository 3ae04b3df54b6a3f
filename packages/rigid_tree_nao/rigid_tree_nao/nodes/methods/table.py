"""The table of NAO's methods: the ROS service of each, by its name."""

from typing import Any

import nao_motion_interfaces.srv as srv
from nao_motion_interfaces import action

from rigid_tree_nao.guard import WalkEffect
from rigid_tree_nao.nodes.methods import arguments, checks, outcomes, replies
from rigid_tree_nao.nodes.methods.arguments import POSITION, TRANSFORM
from rigid_tree_nao.nodes.methods.method import BlockingAction, Method

STARTS, ENDS = WalkEffect.STARTS, WalkEffect.ENDS

# Options that several rows share.
HAND: dict[str, Any] = {"check": checks.effectors, "outcome": outcomes.hand_is_stiff}
POSTURE: dict[str, Any] = {"check": checks.body, "outcome": outcomes.posture_taken}
# Walks by velocity, which return at once, and to a place, which block.
VELOCITY: dict[str, Any] = {"check": checks.legs, "walk": STARTS}
PLACE: dict[str, Any] = {
    "check": checks.reachable_places,
    "walk": STARTS | ENDS,
    "outcome": outcomes.arrived,
}
EFFECTOR: dict[str, Any] = {"check": checks.effectors}
PATH: dict[str, Any] = {**EFFECTOR, "outcome": outcomes.paths_followed}

STIFFNESS = (
    Method("wake_up", "ALMotion.wakeUp", srv.Call, outcome=outcomes.awake),
    Method("rest", "ALMotion.rest", srv.Call, walk=ENDS, outcome=outcomes.resting),
    Method("robot_is_wake_up", "ALMotion.robotIsWakeUp", srv.GetFlag),
    Method("set_stiffnesses", "ALMotion.setStiffnesses", srv.SetStiffnesses),
    Method("get_stiffnesses", "ALMotion.getStiffnesses", srv.GetStiffnesses),
    Method(
        "stiffness_interpolation",
        "ALMotion.stiffnessInterpolation",
        srv.StiffnessInterpolation,
        check=checks.stiffness_lists,
        outcome=outcomes.stiffness_reached,
        arguments=arguments.lists_of_all_fields,
    ),
)

JOINTS = (
    Method("get_angles", "ALMotion.getAngles", srv.GetAngles),
    Method("set_angles", "ALMotion.setAngles", srv.SetAngles, check=checks.angles_within_limits),
    Method(
        "change_angles", "ALMotion.changeAngles", srv.SetAngles, check=checks.changes_within_limits
    ),
    Method(
        "angle_interpolation_with_speed",
        "ALMotion.angleInterpolationWithSpeed",
        srv.SetAngles,
        check=checks.angles_within_limits,
        outcome=outcomes.angles_reached,
        action=BlockingAction(
            action.AngleInterpolationWithSpeed,
            "kill_tasks_using_resources",
            replies.present_angles,
        ),
    ),
    Method(
        "angle_interpolation",
        "ALMotion.angleInterpolation",
        srv.AngleInterpolation,
        check=checks.lists_within_limits,
        outcome=outcomes.lists_followed,
        action=BlockingAction(
            action.AngleInterpolation, "kill_tasks_using_resources", replies.present_angles
        ),
        arguments=arguments.lists_of_all_fields,
    ),
    Method(
        "angle_interpolation_bezier",
        "ALMotion.angleInterpolationBezier",
        srv.AngleInterpolationBezier,
        arguments=arguments.bezier,
        check=checks.curves_within_limits,
        outcome=outcomes.curves_followed,
    ),
    Method("open_hand", "ALMotion.openHand", srv.CallFor, **HAND),
    Method("close_hand", "ALMotion.closeHand", srv.CallFor, **HAND),
)

LOCOMOTION = (
    Method("move", "ALMotion.move", srv.Move, arguments=arguments.walk, **VELOCITY),
    Method("move_toward", "ALMotion.moveToward", srv.Move, arguments=arguments.walk, **VELOCITY),
    Method(
        "move_to",
        "ALMotion.moveTo",
        srv.Move,
        arguments=arguments.walk,
        action=BlockingAction(action.MoveTo, "stop_move", replies.present_place),
        **PLACE,
    ),
    Method(
        "move_to_places", "ALMotion.moveTo", srv.MoveToPlaces, arguments=arguments.places, **PLACE
    ),
    Method("walk_to", "ALMotion.walkTo", srv.Move, arguments=arguments.walk, **PLACE),
    Method(
        "set_walk_target_velocity",
        "ALMotion.setWalkTargetVelocity",
        srv.SetWalkTargetVelocity,
        **VELOCITY,
    ),
    Method("move_init", "ALMotion.moveInit", srv.Call, check=checks.legs),
    # Not ENDS: sent just after a walk, it may return before that begins, and is no stop.
    Method("wait_until_move_is_finished", "ALMotion.waitUntilMoveIsFinished", srv.Call),
    Method(
        "stop_move", "ALMotion.stopMove", srv.Call, arguments=arguments.no_arguments, walk=ENDS
    ),
    Method("stop_walk", "ALMotion.stopWalk", srv.Call, walk=ENDS),
    Method("move_is_active", "ALMotion.moveIsActive", srv.GetFlag),
    # Returns at once; the steps may take much longer.
    Method(
        "set_foot_steps",
        "ALMotion.setFootSteps",
        srv.SetFootSteps,
        arguments=arguments.timed_steps,
        **VELOCITY,
    ),
    Method(
        "set_foot_steps_with_speed",
        "ALMotion.setFootStepsWithSpeed",
        srv.SetFootStepsWithSpeed,
        arguments=arguments.steps_with_speed,
        check=checks.legs,
        walk=STARTS | ENDS,
        outcome=outcomes.not_false,
    ),
    Method("get_foot_steps", "ALMotion.getFootSteps", srv.GetFootSteps),
    Method("get_move_config", "ALMotion.getMoveConfig", srv.GetMoveConfig),
    Method("get_robot_position", "ALMotion.getRobotPosition", srv.GetRobotPosition),
    Method("get_next_robot_position", "ALMotion.getNextRobotPosition", srv.GetPlanar),
    Method("get_robot_velocity", "ALMotion.getRobotVelocity", srv.GetPlanar),
    Method("get_move_arms_enabled", "ALMotion.getMoveArmsEnabled", srv.GetFlagOf),
    Method("set_move_arms_enabled", "ALMotion.setMoveArmsEnabled", srv.SetMoveArmsEnabled),
)

CARTESIAN = (
    Method("get_position", "ALMotion.getPosition", srv.GetPosition),
    Method("get_transform", "ALMotion.getTransform", srv.GetTransform),
    Method("set_position", "ALMotion.setPosition", srv.SetPosition, **EFFECTOR),
    Method("change_position", "ALMotion.changePosition", srv.SetPosition, **EFFECTOR),
    Method(
        "set_transform",
        "ALMotion.setTransform",
        srv.SetTransform,
        arguments=arguments.transform,
        **EFFECTOR,
    ),
    Method(
        "change_transform",
        "ALMotion.changeTransform",
        srv.SetTransform,
        arguments=arguments.transform,
        **EFFECTOR,
    ),
    Method(
        "set_positions",
        "ALMotion.setPositions",
        srv.SetPositions,
        arguments=arguments.several_poses(POSITION),
        **EFFECTOR,
    ),
    Method(
        "set_transforms",
        "ALMotion.setTransforms",
        srv.SetPositions,
        arguments=arguments.several_poses(TRANSFORM),
        **EFFECTOR,
    ),
    Method(
        "position_interpolation",
        "ALMotion.positionInterpolation",
        srv.PositionInterpolation,
        arguments=arguments.several_poses(POSITION),
        **PATH,
    ),
    Method(
        "transform_interpolation",
        "ALMotion.transformInterpolation",
        srv.PositionInterpolation,
        arguments=arguments.several_poses(TRANSFORM),
        **PATH,
    ),
    Method(
        "position_interpolations",
        "ALMotion.positionInterpolations",
        srv.PositionInterpolations,
        arguments=arguments.several_paths(POSITION),
        **PATH,
    ),
    Method(
        "transform_interpolations",
        "ALMotion.transformInterpolations",
        srv.PositionInterpolations,
        arguments=arguments.several_paths(TRANSFORM),
        **PATH,
    ),
)

WHOLE_BODY = (
    Method("wb_enable", "ALMotion.wbEnable", srv.SetFlag),
    Method("wb_foot_state", "ALMotion.wbFootState", srv.WbFootState),
    # The only switch that takes the value before the name.
    Method(
        "wb_enable_balance_constraint",
        "ALMotion.wbEnableBalanceConstraint",
        srv.SetFlagOf,
        arguments=arguments.value_and_name,
    ),
    Method(
        "wb_go_to_balance",
        "ALMotion.wbGoToBalance",
        srv.WbGoToBalance,
        check=checks.legs,
        outcome=outcomes.in_balance,
    ),
    Method("wb_enable_effector_control", "ALMotion.wbEnableEffectorControl", srv.SetFlagOf),
    Method(
        "wb_enable_effector_optimization", "ALMotion.wbEnableEffectorOptimization", srv.SetFlagOf
    ),
    Method(
        "wb_set_effector_control",
        "ALMotion.wbSetEffectorControl",
        srv.WbSetEffectorControl,
        **EFFECTOR,
    ),
)

IDLE_AND_PROTECTION = (
    Method("set_breath_enabled", "ALMotion.setBreathEnabled", srv.SetFlagOf),
    Method("get_breath_enabled", "ALMotion.getBreathEnabled", srv.GetFlagOf),
    Method(
        "set_breath_config", "ALMotion.setBreathConfig", srv.SetConfig, arguments=arguments.config
    ),
    Method("get_breath_config", "ALMotion.getBreathConfig", srv.GetConfig),
    Method("set_idle_posture_enabled", "ALMotion.setIdlePostureEnabled", srv.SetFlagOf),
    Method("get_idle_posture_enabled", "ALMotion.getIdlePostureEnabled", srv.GetFlagOf),
    Method(
        "set_collision_protection_enabled", "ALMotion.setCollisionProtectionEnabled", srv.SetFlagOf
    ),
    Method(
        "get_collision_protection_enabled", "ALMotion.getCollisionProtectionEnabled", srv.GetFlagOf
    ),
    Method(
        "set_external_collision_protection_enabled",
        "ALMotion.setExternalCollisionProtectionEnabled",
        srv.SetFlagOf,
    ),
    Method(
        "get_external_collision_protection_enabled",
        "ALMotion.getExternalCollisionProtectionEnabled",
        srv.GetFlagOf,
    ),
    Method("set_fall_manager_enabled", "ALMotion.setFallManagerEnabled", srv.SetFlag),
    Method("get_fall_manager_enabled", "ALMotion.getFallManagerEnabled", srv.GetFlag),
    Method("set_smart_stiffness_enabled", "ALMotion.setSmartStiffnessEnabled", srv.SetFlag),
    Method("get_smart_stiffness_enabled", "ALMotion.getSmartStiffnessEnabled", srv.GetFlag),
    Method("set_diagnosis_effect_enabled", "ALMotion.setDiagnosisEffectEnabled", srv.SetFlag),
    Method("get_diagnosis_effect_enabled", "ALMotion.getDiagnosisEffectEnabled", srv.GetFlag),
    Method("set_push_recovery_enabled", "ALMotion.setPushRecoveryEnabled", srv.SetFlag),
    Method("get_push_recovery_enabled", "ALMotion.getPushRecoveryEnabled", srv.GetFlag),
    Method(
        "set_orthogonal_security_distance", "ALMotion.setOrthogonalSecurityDistance", srv.SetNumber
    ),
    Method(
        "get_orthogonal_security_distance", "ALMotion.getOrthogonalSecurityDistance", srv.GetNumber
    ),
    Method(
        "set_tangential_security_distance", "ALMotion.setTangentialSecurityDistance", srv.SetNumber
    ),
    Method(
        "get_tangential_security_distance", "ALMotion.getTangentialSecurityDistance", srv.GetNumber
    ),
    Method("is_collision", "ALMotion.isCollision", srv.GetTextOf),
)

GENERAL = (
    Method("get_body_names", "ALMotion.getBodyNames", srv.GetNamesOf),
    Method("get_joint_names", "ALMotion.getJointNames", srv.GetNamesOf),
    Method("get_sensor_names", "ALMotion.getSensorNames", srv.GetNames),
    Method("get_limits", "ALMotion.getLimits", srv.GetLimits),
    Method("get_motion_cycle_time", "ALMotion.getMotionCycleTime", srv.GetNumber),
    Method("get_robot_config", "ALMotion.getRobotConfig", srv.GetRobotConfig),
    Method("get_summary", "ALMotion.getSummary", srv.GetText),
    Method("get_mass", "ALMotion.getMass", srv.GetNumberOf),
    Method("get_com", "ALMotion.getCOM", srv.GetCOM),
    Method("get_support_polygon", "ALMotion.getSupportPolygon", srv.GetSupportPolygon),
    Method("get_task_list", "ALMotion.getTaskList", srv.GetTaskList),
    Method(
        "are_resources_available",
        "ALMotion.areResourcesAvailable",
        srv.GetFlagOfAll,
        arguments=arguments.names,
    ),
    Method("kill_task", "ALMotion.killTask", srv.KillTask),
    Method(
        "kill_tasks_using_resources",
        "ALMotion.killTasksUsingResources",
        srv.CallForAll,
        arguments=arguments.names,
    ),
    Method("kill_move", "ALMotion.killMove", srv.Call, walk=ENDS),
    Method("kill_all", "ALMotion.killAll", srv.Call, walk=ENDS),
)

POSTURES = (
    Method(
        "go_to_posture",
        "ALRobotPosture.goToPosture",
        srv.GoToPosture,
        action=BlockingAction(action.GoToPosture, "stop_posture", replies.present_posture),
        **POSTURE,
    ),
    Method("apply_posture", "ALRobotPosture.applyPosture", srv.GoToPosture, **POSTURE),
    Method("stop_posture", "ALRobotPosture.stopMove", srv.Call, arguments=arguments.no_arguments),
    Method("get_posture_list", "ALRobotPosture.getPostureList", srv.GetNames),
    Method("get_posture", "ALRobotPosture.getPosture", srv.GetText),
    Method("get_posture_family", "ALRobotPosture.getPostureFamily", srv.GetText),
)

ROWS = (*STIFFNESS, *JOINTS, *LOCOMOTION, *CARTESIAN, *WHOLE_BODY, *IDLE_AND_PROTECTION)
METHODS = {method.name: method for method in (*ROWS, *GENERAL, *POSTURES)}
