"""Nodes in long runs, with invalid requests, and after other nodes were killed."""
