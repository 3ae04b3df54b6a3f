"""Starting nodes: forked processes, launch files, and waiting for discovery."""
