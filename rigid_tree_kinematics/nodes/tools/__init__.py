"""Tools: sliders, markers, keyboard control, commands and visual checks."""
