"""What a recording shows when it is played."""

import numpy as np
import pytest

from rigid_tree_kinematics import load_robot
from rigid_tree_kinematics.viewer.panels.motion_panel import MotionPanel
from rigid_tree_kinematics.viewer.web.guard import Guard
from rigid_tree_kinematics.viewer.web.page import close_page, open_page

pytest.importorskip("viser")


@pytest.fixture
def panel():
    server = open_page("127.0.0.1", 0, Guard.of("127.0.0.1"), print)
    tab = server.gui.add_tab_group().add_tab("Robot")
    compiled = load_robot("ur5").compiled()
    yield MotionPanel(server, tab, compiled, lambda call: call(), 0.0, print)
    close_page(server)


def seen(panel, begin, end, first):
    """Let the panel see a robot whose joints all turn by 1 rad/s, every 0.1 s."""
    shown = None
    for k in range(round((end - begin) / 0.1) + 1):
        shown = panel.update(begin + 0.1 * k, begin + 0.1 * k, np.full(6, first + 0.1 * k))
    return shown


def test_each_recording_is_played_from_its_begin_to_its_end(panel):
    now = 0.0
    for first, lasts in ((0.0, 1.0), (5.0, 3.0)):
        panel.toggle_recording()
        assert seen(panel, now, now + lasts, first) is None
        panel.toggle_recording()
        now += lasts
        panel.toggle_playing()
        for after in np.arange(0.1, lasts + 0.05, 0.1):
            shown = panel.update(now + after, now + after, np.zeros(6))
            assert shown == pytest.approx(np.full(6, first + after), abs=0.101)
        assert shown == pytest.approx(np.full(6, first + lasts))
        now += lasts + 0.1
    panel.show_robot()
    assert panel.update(now, now, np.zeros(6)) is None
