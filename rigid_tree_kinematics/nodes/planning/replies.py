"""Results of plans as messages."""

from rigid_tree_interfaces.msg import PlanReply
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from rigid_tree_kinematics.nodes.common.requests import START_ADVICE, duration_of
from rigid_tree_kinematics.planning import PlanResult, PlanStatus, Space, Trajectory


def fill_reply(reply: PlanReply, result: PlanResult, space: Space, root: str) -> None:
    """Write a result into a reply; ``root`` is the frame of its trajectories."""
    for field in ("success", "message", "goal_index", "nodes", "checks", "length"):
        setattr(reply, field, getattr(result, field))
    reply.code = getattr(PlanReply, result.status.name, PlanReply.INVALID_REQUEST)
    reply.status = result.status.value
    if result.status is PlanStatus.START_BLOCKED:
        reply.message += START_ADVICE
    reply.dropped_goals = list(result.dropped_goals)
    for part in ("prepare", "search", "shorten", "timing"):
        setattr(reply, f"{part}_seconds", getattr(result.seconds, part))
    if not result.success:
        return
    reply.path = _trajectory_message(space, root)
    reply.path.points = [
        JointTrajectoryPoint(positions=point) for point in result.path[:, space.moving].tolist()
    ]
    if result.trajectory is not None:
        reply.trajectory = timed_message(result.trajectory, space, root)


def timed_message(timed: Trajectory, space: Space, root: str) -> JointTrajectory:
    """Return the moving positions of a trajectory as a message in frame ``root``."""
    rows = (timed.positions, timed.velocities, timed.accelerations)
    message = _trajectory_message(space, root)
    message.points = [
        JointTrajectoryPoint(
            positions=q, velocities=v, accelerations=a, time_from_start=duration_of(time)
        )
        for time, q, v, a in zip(
            timed.times.tolist(), *(row[:, space.moving].tolist() for row in rows), strict=True
        )
    ]
    return message


def _trajectory_message(space: Space, root: str) -> JointTrajectory:
    message = JointTrajectory(joint_names=[space.names[k] for k in space.moving])
    message.header.frame_id = root
    return message
