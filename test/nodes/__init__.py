"""Packages, so that files with equal names in two folders can be imported."""
