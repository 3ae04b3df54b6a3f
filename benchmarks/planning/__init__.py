"""Speed of collision checking and planning, with other planners for comparison."""
