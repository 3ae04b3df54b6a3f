"""Obstacles from messages and back; the scene that nodes share."""
