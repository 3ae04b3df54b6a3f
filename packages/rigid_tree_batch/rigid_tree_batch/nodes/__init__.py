"""Program: a reachability map in RViz."""
