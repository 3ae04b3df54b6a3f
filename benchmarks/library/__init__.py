"""Speed of the library beside other libraries: kinematics, dynamics, IK, timing."""
