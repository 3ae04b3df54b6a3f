"""Files of others: regular files of bounded size, folders that no other user can write to."""

from rigid_tree_kinematics.files.plain_file import read_plain_file
from rigid_tree_kinematics.files.trusted_files import UntrustedFolderError, check_folder
from rigid_tree_kinematics.files.user_cache import user_cache

__all__ = ["UntrustedFolderError", "check_folder", "read_plain_file", "user_cache"]
