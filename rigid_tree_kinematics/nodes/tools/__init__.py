"""Programs beside the nodes: sliders, markers, a keyboard, and checks by eye."""
