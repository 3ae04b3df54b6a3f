"""Speed of kinematics, dynamics, IK and timing compared with other libraries."""
