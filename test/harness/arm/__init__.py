"""Arms behind MoveIt and Servo: controllers, motions and requests."""
