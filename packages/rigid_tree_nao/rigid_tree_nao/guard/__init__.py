"""The processes that stop a walking NAO when its bridge dies."""

from rigid_tree_nao.guard.walk_guard import WalkEffect, WalkGuard, WalkState
