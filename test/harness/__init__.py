"""What the tests share: processes, a network of their own, the truth, a simulated NAO."""
