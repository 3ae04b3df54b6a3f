"""Showing figures on a screen."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def opened(figure: Figure) -> None:
    """Show a figure without blocking, if there is a screen."""
    import matplotlib as mpl
    from matplotlib.backends import BackendFilter, backend_registry

    figure.tight_layout()
    screens = backend_registry.list_builtin(BackendFilter.INTERACTIVE)
    if mpl.get_backend().lower() in {name.lower() for name in screens}:
        figure.show()
