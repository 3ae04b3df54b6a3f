"""A simulated NAO with the real robot's protocol, which moves by the kinematic model."""
