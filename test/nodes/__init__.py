"""Packages, so that files of one name in two folders can be told apart when imported."""
