"""A valid request of every NAO method with arguments, as fields by method."""

from geometry_msgs.msg import Pose2D
from nao_motion_interfaces.msg import BezierCurve, BezierPoint, FootStep, NumberList


def lists(*rows):
    return [NumberList(values=row) for row in rows]


UPWARDS = [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.01, 0.0, 0.0, 0.0, 1.0]
ARM = [0.15, 0.13, 0.05, 0.0, 0.0, 0.0]
ARM_TRANSFORM = [1.0, 0.0, 0.0, 0.15, 0.0, 1.0, 0.0, 0.13, 0.0, 0.0, 1.0, 0.05]


HEAD = {"names": ["HeadYaw", "HeadPitch"]}
GOAL = {"name": "LArm", "space": 0, "fraction_max_speed": 0.5, "axis_mask": 7}
STEPS = [
    FootStep(leg_name="LLeg", time=0.3, x=0.02, y=0.1),
    FootStep(leg_name="RLeg", time=0.6, x=0.0, y=-0.1),
]
MOVES = {"x": 0.01, "y": 0.0, "theta": 0.0}
WHOLE_BODY = {
    "wb_enable": {"enable": True},
    "wb_foot_state": {"state_name": "Fixed", "support_leg": "Legs"},
    "wb_enable_balance_constraint": {"enable": True, "name": "Legs"},
    "wb_go_to_balance": {"support_leg": "LLeg", "duration": 1.0},
    "wb_enable_effector_control": {"name": "LArm", "enable": True},
    "wb_set_effector_control": {"effector_name": "LArm", "target": [0.1, 0.1, 0.1]},
    "wb_enable_effector_optimization": {"name": "LArm", "enable": True},
}
REQUESTS = {
    "set_stiffnesses": {"names": ["Body"], "stiffnesses": [1.0]},
    "get_stiffnesses": {"names": ["Body"]},
    "stiffness_interpolation": {
        **HEAD,
        "stiffness_lists": lists([0.9], [1.0]),
        "time_lists": lists([0.1], [0.1]),
    },
    "get_angles": {"names": ["Body"], "use_sensors": True},
    "set_angles": {**HEAD, "angles": [0.1, 0.1], "fraction_max_speed": 0.3},
    "change_angles": {**HEAD, "angles": [0.1, -0.1], "fraction_max_speed": 0.3},
    "angle_interpolation_with_speed": {**HEAD, "angles": [0.0, 0.0], "fraction_max_speed": 0.5},
    "angle_interpolation": {
        **HEAD,
        "angle_lists": lists([0.1, 0.2], [0.1]),
        "time_lists": lists([0.1, 0.2], [0.2]),
        "is_absolute": True,
    },
    "angle_interpolation_bezier": {
        "names": ["HeadYaw"],
        "time_lists": lists([0.2]),
        "control_points": [BezierCurve(points=[BezierPoint(angle=0.1, before_type=2)])],
    },
    "open_hand": {"name": "LHand"},
    "close_hand": {"name": "LHand"},
    "move": MOVES,
    "move_toward": MOVES,
    "move_to": MOVES,
    "move_to_places": {"places": [Pose2D(x=0.01), Pose2D(x=0.02, theta=0.1)]},
    "walk_to": MOVES,
    "set_walk_target_velocity": {**MOVES, "frequency": 0.5},
    "set_foot_steps": {"foot_steps": STEPS, "clear_existing": True},
    "set_foot_steps_with_speed": {
        "foot_steps": STEPS,
        "fraction_max_speed": [1.0, 1.0],
        "clear_existing": True,
    },
    "get_move_config": {"config": "Max"},
    "get_robot_position": {"use_sensors": True},
    "get_move_arms_enabled": {"name": "LArm"},
    "set_move_arms_enabled": {"left": True, "right": False},
    "get_position": {"name": "LArm", "space": 1, "use_sensors": True},
    "get_transform": {"name": "CameraTop", "space": 2, "use_sensors": True},
    "set_position": {**GOAL, "position": ARM},
    "change_position": {**GOAL, "position": [0.0, 0.0, 0.01, 0.0, 0.0, 0.0]},
    "set_transform": {**GOAL, "transform": ARM_TRANSFORM},
    "change_transform": {**GOAL, "transform": UPWARDS},
    "set_positions": {
        "names": ["LArm"],
        "positions": lists(ARM),
        "fraction_max_speed": 0.5,
        "axis_mask": 7,
    },
    "set_transforms": {
        "names": ["LArm"],
        "positions": lists(ARM_TRANSFORM),
        "fraction_max_speed": 0.5,
        "axis_mask": 7,
    },
    "position_interpolation": {
        "name": "LArm",
        "path": lists(ARM),
        "axis_mask": 7,
        "times": [0.3],
        "is_absolute": True,
    },
    "transform_interpolation": {
        "name": "LArm",
        "path": lists(ARM_TRANSFORM),
        "axis_mask": 7,
        "times": [0.3],
        "is_absolute": True,
    },
    "position_interpolations": {
        "names": ["LArm"],
        "paths": lists(ARM + ARM),
        "axis_masks": [7],
        "time_lists": lists([0.2, 0.3]),
    },
    "transform_interpolations": {
        "names": ["LArm"],
        "paths": lists(ARM_TRANSFORM),
        "axis_masks": [7],
        "time_lists": lists([0.3]),
    },
    "set_breath_enabled": {"name": "Body", "enable": True},
    "get_breath_enabled": {"name": "Arms"},
    "set_breath_config": {"names": ["Bpm"], "values": [6.0]},
    "set_idle_posture_enabled": {"name": "Head", "enable": True},
    "get_idle_posture_enabled": {"name": "Head"},
    "set_orthogonal_security_distance": {"value": 0.3},
    "set_tangential_security_distance": {"value": 0.1},
    "set_collision_protection_enabled": {"name": "Arms", "enable": True},
    "get_collision_protection_enabled": {"name": "LArm"},
    "set_external_collision_protection_enabled": {"name": "All", "enable": True},
    "get_external_collision_protection_enabled": {"name": "Move"},
    "is_collision": {"name": "LArm"},
    "get_body_names": {"name": "Body"},
    "get_joint_names": {"name": "LLeg"},
    "get_limits": {"name": "Body"},
    "get_mass": {"name": "Body"},
    "get_com": {"name": "Body", "space": 0, "use_sensors": True},
    "get_support_polygon": {"space": 2, "use_sensors": True},
    "are_resources_available": {"names": ["LArm"]},
    "kill_task": {"id": 1},
    "kill_tasks_using_resources": {"names": ["Head"]},
    "go_to_posture": {"posture_name": "StandInit", "speed": 1.0},
    "apply_posture": {"posture_name": "StandInit", "speed": 1.0},
    **WHOLE_BODY,
}
