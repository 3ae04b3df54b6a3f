"""Messages as bytes: raw subscriptions, readers, message templates."""

from rigid_tree_kinematics.nodes.common.fast.joint_state_reader import (
    COUNT,
    START,
    JointStateReader,
    aligned,
    count_at,
    string_at,
)
from rigid_tree_kinematics.nodes.common.fast.raw_subscription import (
    REST,
    RawSubscription,
)
from rigid_tree_kinematics.nodes.common.fast.ready_message import ReadyMessage
