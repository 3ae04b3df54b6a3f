"""The page itself: its server, document, camera and keys."""

from rigid_tree_web.web.document import STOP
from rigid_tree_web.web.guard import EVERYWHERE, AccessGuard
from rigid_tree_web.web.keyboard import KEYS, add_page_buttons, add_page_keys
from rigid_tree_web.web.page import (
    PageCaption,
    PageTitle,
    close_page,
    open_page,
    place_ground,
)
from rigid_tree_web.web.views import Views, box_corners
