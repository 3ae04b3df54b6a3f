"""Starting nodes: domains, forked processes, launch files, and waiting for discovery."""
