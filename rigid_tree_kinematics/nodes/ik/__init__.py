"""What ik_server is made of."""
