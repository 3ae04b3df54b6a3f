"""Inconsistent settings of move_group."""

import pytest

from rigid_tree_kinematics.errors import ConfigurationError
from rigid_tree_moveit.move_group.settings import ToolSettings


def test_inconsistent_numbers_are_rejected():
    with pytest.raises(ConfigurationError, match="max_trans_dec"):
        ToolSettings(max_trans_dec=1e-300).check()
