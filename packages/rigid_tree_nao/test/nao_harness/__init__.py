"""A simulated NAO, its nao_bridge, and requests of every method."""
