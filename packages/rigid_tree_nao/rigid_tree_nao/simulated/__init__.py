"""A simulated NAO with the real robot's protocol and a kinematic motion model."""
