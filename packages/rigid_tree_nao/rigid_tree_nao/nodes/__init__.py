"""The parts of nao_bridge."""
