"""The folder of a planner's obstacles: add, choose, resize, remove, save and load."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from rigid_tree_web.panels.actions import Actions, Size

if TYPE_CHECKING:
    import viser

NONE = "(none)"  # is chosen; an obstacle of this name is not listed
FREE = "(nothing)"  # carries the obstacle
REMOVE = (166, 77, 0)  # not the color of the other buttons
SHAPES = ("Box", "Cylinder", "Sphere")
SMALLEST, LARGEST = 1e-3, 100.0  # m


class ObstaclesPanel:
    """The folder in a robot's tab, hidden without a planner."""

    def __init__(self, gui: viser.GuiApi, bodies: Sequence[str], actions: Actions) -> None:
        self.folder = gui.add_folder("Scene", visible=False, expand_by_default=False)
        with self.folder:
            add = gui.add_button_group("Add", SHAPES, hint="In front of the end of the arm")
            self._chosen: Any = gui.add_dropdown("Edit", (NONE,), hint="Or click it in the scene")
            hidden: dict[str, Any] = {"step": 0.01, "visible": False}
            ends: dict[str, Any] = {"min": (SMALLEST,) * 3, "max": (LARGEST,) * 3}
            self._size: Any = gui.add_vector3("Size (m)", (1.0,) * 3, **ends, **hidden)
            self._place: Any = gui.add_vector3("At x, y, z (m)", (0.0,) * 3, **hidden)
            hint = "The body that carries it, which it may touch, with the bodies beyond"
            links = (FREE, *(body for body in bodies if body != FREE))
            self._link: Any = gui.add_dropdown("Attached to", links, hint=hint, visible=False)
            self._remove = gui.add_button("Remove", visible=False, color=REMOVE)
            save = gui.add_button("Save scene", hint="As a .scene file, as RViz writes it")
            hint = "A .scene or .yaml file replaces the obstacles; or drop it on the page"
            kinds = ".scene,.yaml,.yml"
            load = gui.add_upload_button("Load scene", mime_type=kinds, hint=hint)
        self._size.precision = self._place.precision = 3
        add.on_click(lambda event: actions.add_obstacle(event.target.value))
        self._shown = NONE
        self._choose = actions.choose_obstacle
        self._chosen.on_update(self._on_choice)
        self._size.on_update(lambda event: self._typed(event, actions.resize_obstacle))
        self._place.on_update(lambda event: self._typed(event, actions.place_obstacle))
        self._attach, self._detach = actions.attach_obstacle, actions.detach_obstacle
        self._link.on_update(self._on_link)
        self._remove.on_click(lambda _: actions.remove_obstacle())
        save.on_click(lambda event: actions.save_scene(event.client) if event.client else None)
        load.on_upload(lambda event: actions.load_scene(load.value.name, load.value.content))

    def _on_choice(self, event: Any) -> None:
        if event.client:
            self._shown = self._chosen.value
            self._choose(self._shown)

    def _on_link(self, event: Any) -> None:
        if event.client:
            link = str(self._link.value)
            self._detach() if link == FREE else self._attach(link)

    def _typed(self, event: Any, act: Callable[[Size], None]) -> None:
        """Pass on numbers that a user has typed; a client can send any."""
        x, y, z = (float(value) for value in event.target.value)
        if event.client and all(map(math.isfinite, (x, y, z))):
            act((x, y, z))

    def show(
        self,
        names: Sequence[str],
        chosen: str,
        size: Size | None,
        place: Size | None,
        link: str,
    ) -> None:
        """Show the obstacles, and the size and place of the chosen one if it has them.

        ``link`` is the body that carries it; empty: none.
        """
        options = (NONE, *names)
        if tuple(self._chosen.options) != options:
            self._chosen.options = options
        if chosen != self._shown:  # else a choice that is on its way here would be lost
            self._shown = self._chosen.value = chosen
        self._remove.visible = self._link.visible = chosen != NONE
        if (carrier := link or FREE) in self._link.options and self._link.value != carrier:
            self._link.value = carrier
        self._size.visible, self._place.visible = size is not None, place is not None
        if size is not None:
            self._size.value = tuple(round(value, 3) for value in size)
        if place is not None:
            self._place.value = tuple(round(value, 3) for value in place)
