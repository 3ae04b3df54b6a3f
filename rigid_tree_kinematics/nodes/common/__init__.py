"""Shared parts of nodes: process, parameters, robot, requests, messages."""
