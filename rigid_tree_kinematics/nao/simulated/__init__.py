"""A NAO without hardware: it speaks the real robot's protocol, and moves as the model says."""
