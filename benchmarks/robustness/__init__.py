"""Nodes over long runs, under invalid requests, and after another node was killed."""
