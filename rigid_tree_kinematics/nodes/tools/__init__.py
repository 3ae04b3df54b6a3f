"""Tools: joint sliders, interactive markers, commands and a watch of frames."""
