"""Speed of kinematics, dynamics, differential IK and timing compared with other libraries."""
