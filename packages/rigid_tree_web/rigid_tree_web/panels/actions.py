"""The commands of a robot's panel."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from functools import partial
from typing import TYPE_CHECKING, Any

from rigid_tree_kinematics.arrays import Array

if TYPE_CHECKING:
    import viser

Size = tuple[float, float, float]  # m, along the axes of an obstacle

NOTHING, ORIENTATION, Z_AXIS = "nothing", "orientation", "z axis"
KEPT = (NOTHING, ORIENTATION, Z_AXIS)  # of the body, along a path


@dataclass(frozen=True)
class PlanOptions:
    """How a user wants to plan; zeros and an empty planner mean the planner's parameters."""

    start: str
    planner: str
    time_limit: float  # s
    velocity_scale: float
    acceleration_scale: float
    straight_line: bool
    plan_again: bool
    kept: str  # along the path: one of KEPT


@dataclass(frozen=True)
class Actions:
    """The functions that the panel calls."""

    show_frames: Callable[[bool], None]
    show_names: Callable[[bool], None]
    show_balance: Callable[[bool], None]
    show_layer: Callable[[str, bool], None]
    move_joints: Callable[[Mapping[str, float]], None]
    go_to: Callable[[str], None]  # a state's name, HOME or RANDOM
    stop: Callable[[], None]
    take_posture: Callable[[str], None]
    follow: Callable[[bool], None]  # whether the robot follows the target
    show_ghost: Callable[[bool], None]
    choose_body: Callable[[str], None]
    constrain: Callable[[bool, Array | None], None]  # keep the orientation, aim at a point
    set_pose: Callable[[Array], None]  # T_base_target
    choose_goal: Callable[[str], None]
    change_options: Callable[[], None]  # of plans
    plan: Callable[[PlanOptions, bool], None]  # and whether to execute
    execute: Callable[[PlanOptions], None]
    scrub: Callable[[float], None]  # to a time of the path, s
    play: Callable[[bool], None]  # whether the path is played
    add_obstacle: Callable[[str], None]  # one of SHAPES
    choose_obstacle: Callable[[str], None]  # by name, or NONE
    resize_obstacle: Callable[[Size], None]
    place_obstacle: Callable[[Size], None]  # at a position in the base frame
    remove_obstacle: Callable[[], None]
    attach_obstacle: Callable[[str], None]  # to a body
    detach_obstacle: Callable[[], None]
    save_scene: Callable[[viser.ClientHandle], None]
    load_scene: Callable[[str, bytes], None]  # the file's name and content

    def posted(self, post: Callable[[Callable[[], None]], None]) -> Actions:
        """Return functions that pass their calls to ``post``, which runs them in its thread."""
        functions = {item.name: getattr(self, item.name) for item in fields(self)}
        return Actions(**{name: partial(_post, post, call) for name, call in functions.items()})


def _post(post: Callable[..., None], function: Callable[..., None], *arguments: Any) -> None:
    post(partial(function, *arguments))
