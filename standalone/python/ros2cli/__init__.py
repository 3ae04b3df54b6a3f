"""A stand-in for the ``ros2`` command; one module for each group of verbs."""
