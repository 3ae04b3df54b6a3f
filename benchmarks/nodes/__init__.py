"""Memory, processor time and latency of nodes and launch files."""
