"""Demonstrations: each node runs one story with the nodes of the other packages."""
