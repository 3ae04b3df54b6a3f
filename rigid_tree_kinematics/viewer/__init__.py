"""A page in the browser that shows robots: their bodies, frames, sliders and targets (viser)."""
