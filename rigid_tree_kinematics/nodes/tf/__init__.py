"""Frames of the network: TF messages, tables and look-ups."""
