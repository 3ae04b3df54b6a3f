"""What web_viewer is made of."""
