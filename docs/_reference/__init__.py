"""The parts of the manual that are made of the sources: pages of the folder docs/reference/."""
