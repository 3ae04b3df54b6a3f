"""Cost of checks and plans with the number of obstacles, points and joints."""
