"""Messages as bytes: raw subscriptions, readers, message templates."""

from rigid_tree_kinematics.nodes.common.fast.joint_state_reader import (
    COUNT,
    START,
    JointReading,
    JointStateReader,
    aligned,
    count_at,
    multi_dof_reading,
    string_at,
)
from rigid_tree_kinematics.nodes.common.fast.raw_subscription import (
    REST,
    RESTING_QOS,
    RawSubscription,
)
from rigid_tree_kinematics.nodes.common.fast.ready_message import JointStateMessage, ReadyMessage
