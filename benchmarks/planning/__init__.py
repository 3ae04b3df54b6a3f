"""Speed of collision checking and planning, beside other planners and against the scene's size."""
