"""What the demonstrations have in common."""
