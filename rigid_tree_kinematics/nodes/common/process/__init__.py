"""Startup, loop and shutdown of a node: executors, parameters, timers, threads."""

from rigid_tree_kinematics.nodes.common.process.executors import (
    SurvivingExecutor,
    ThreadsFirstExecutor,
)
from rigid_tree_kinematics.nodes.common.process.goals import (
    Goal,
    GoalServer,
    LifeSign,
    end_goal,
)
from rigid_tree_kinematics.nodes.common.process.parameters import (
    AT_START,
    LARGEST_INTEGER,
    Parameters,
    Range,
    at_start,
    number_range,
    on_parameter_change,
    parameter,
    unused_parameters,
)
from rigid_tree_kinematics.nodes.common.process.plain_logger import Lines
from rigid_tree_kinematics.nodes.common.process.plain_node import (
    SERVICE_QOS,
    WARNING_PERIOD,
    PlainNode,
    below,
    given_parameters,
    made_in,
    report_error,
)
from rigid_tree_kinematics.nodes.common.process.polled_subscription import (
    NotForExecutors,
    PolledSubscription,
)
from rigid_tree_kinematics.nodes.common.process.rclpy_private import next_message, wait_for_message
from rigid_tree_kinematics.nodes.common.process.run_nodes import run_node, run_nodes
from rigid_tree_kinematics.nodes.common.process.waiting import (
    STEADY,
    WATCHDOG_PERIOD,
    Cancellation,
    Slots,
    ThreadFuture,
    Ticker,
    wait_in_thread,
    wait_until,
    within,
)
