"""What nao_bridge is made of."""
