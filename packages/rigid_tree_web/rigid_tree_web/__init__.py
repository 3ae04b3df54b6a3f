"""A browser page with robots: their bodies, frames, sliders and targets (viser).

Its parts are ``web``, the page itself, ``panels`` with controls, and ``drawn``, the scene.
"""
