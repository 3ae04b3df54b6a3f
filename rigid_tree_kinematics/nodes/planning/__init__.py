"""What rrt_planner is made of."""
