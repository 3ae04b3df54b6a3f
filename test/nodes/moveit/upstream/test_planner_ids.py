"""Names of planners and pipelines, known or not, as MoveIt answers them."""

from __future__ import annotations

import pytest

from nodes.moveit.cell import CODE, says

PLANNERS = ["PRMk", "PRMkConfigDefault", "PRMstarkConfigDefault", "BiTRRTkConfigDefault"]


@pytest.mark.parametrize("planner_id", [*PLANNERS, "geometric::RRTConnect", "panda_arm[SBL]"])
def test_names_of_ompl(cell, planner_id):
    assert cell.plan(planner_id=planner_id).error_code.val == CODE.SUCCESS
    assert planner_id not in cell.process.output


def test_planning_context_manager_line_508(cell):
    """An unknown planner is a warning, and the group's default plans."""
    assert cell.plan(planner_id="Teleport").error_code.val == CODE.SUCCESS
    assert "planner_id 'Teleport' is unknown, using the default" in cell.process.output


@pytest.mark.parametrize("pipeline", ["chomp", "stomp", "moon"])
def test_plan_service_capability_line_82(cell, pipeline):
    """An unknown pipeline is a failure, with a sentence about those that there are."""
    words = f"pipeline '{pipeline}' is not available; there are 'ompl' with"
    assert says(cell.plan(pipeline_id=pipeline).error_code, CODE.FAILURE, words)
